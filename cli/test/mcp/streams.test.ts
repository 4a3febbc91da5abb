import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { streamEvents, withData } from '../../src/mcp/events.ts'
import { streamLines } from '../../src/mcp/lines.ts'
import { readClientMessage } from '../../src/mcp/messages.ts'
import { MappingError, readToolMapping } from '../../src/mcp/tool-mapping.ts'

/** The text in chunks of `size` bytes, as a socket may deliver it. */
async function* inPieces(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const one of source) found.push(one)
  return found
}

describe('the streams of the guard', () => {
  test('are split into lines without loss, wherever a chunk ends', async () => {
    const text = '{"a":"ä€😀"}\r\n\n{"b":1}\nrest'
    for (let size = 1; size <= 12; size += 1) {
      const found = (await all(streamLines(inPieces(text, size)))).map(String)
      assert.deepEqual(found, ['{"a":"ä€😀"}\r\n', '\n', '{"b":1}\n', 'rest'])
    }
  })

  test('are split into events without loss, wherever a chunk ends', async () => {
    const text = 'id: 1\ndata: {"a":\ndata: "ä😀"}\n\n: ping\r\n\r\ndata:x\r\rdata: cut'
    for (let size = 1; size <= 12; size += 1) {
      const found = await all(streamEvents(inPieces(text, size)))
      assert.equal(Buffer.concat(found.map(({ bytes }) => bytes)).toString(), text)
      assert.deepEqual(
        found.map(({ data }) => data),
        ['{"a":\n"ä😀"}', '', 'x', 'cut'],
      )
    }
  })

  test('are independent of each other', async () => {
    const text = 'data: 1\n\ndata: 2\n\ndata: 3\n\n'
    const [first, second] = [
      streamEvents(inPieces(text, 100)),
      streamEvents(inPieces(`: longer\n\n${text}`, 100)),
    ]
    const seen: string[] = []
    for (let i = 0; i < 3; i += 1) {
      seen.push((await first.next()).value?.data ?? '')
      await second.next()
    }
    assert.deepEqual(seen, ['1', '2', '3'])
  })

  test('keep the id of an event whose data is replaced', async () => {
    const [event] = await all(streamEvents(inPieces('event: message\nid: 7\ndata: old\n\n', 100)))
    assert.ok(event)
    assert.equal(String(withData(event, 'new')), 'event: message\nid: 7\ndata: new\n\n')
  })
})

describe('the mapping of tools', () => {
  test('fills in tool and server, and inherits missing members from the default', () => {
    const rules = readToolMapping(
      {
        tools: { a: { spend_usd: 1 } },
        default: { action: '{tool}', resource: 'x:{server}', approval: 'refuse' },
      },
      's',
    )
    assert.deepEqual(rules.ruleFor('a'), {
      action: 'a',
      resource: 'x:s',
      spend_usd: 1,
      approval: 'refuse',
      arguments: 'show',
    })
    assert.equal(rules.ruleFor('{server}'), undefined)
    assert.equal(rules.ruleFor('__proto__')?.action, '__proto__')
    assert.equal(rules.on_unavailable, 'deny')
  })

  test('reports all problems at once', () => {
    assert.throws(
      () =>
        readToolMapping(
          { on_unavailable: 'perhaps', tools: { a: { spend: 1, approval: 'no' } }, x: 1 },
          undefined,
        ),
      (error) => error instanceof MappingError && error.problems.length === 5,
    )
  })
})

const NUMBERS: { exact: string[]; inexact: string[] } = JSON.parse(
  readFileSync(new URL('../../../vectors/exact-numbers/texts.json', import.meta.url), 'utf8'),
)

describe('a message of a client', () => {
  const kindOf = (text: string) => readClientMessage(Buffer.from(text), []).kind

  test('is classified by its method', () => {
    assert.equal(kindOf('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}'), 'call')
    assert.equal(kindOf('{"jsonrpc":"2.0","id":1,"method":"tools/list"}'), 'list')
    assert.equal(
      kindOf('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'),
      'cancel',
    )
    assert.equal(kindOf('{"jsonrpc":"2.0","id":1,"result":{}}'), 'other')
    assert.equal(kindOf('{"jsonrpc":"2.0","id":1,"method":"ping"}'), 'other')
    assert.equal(kindOf('{"jsonrpc":"2.0","id":1,"method":["tools/call"]}'), 'refused')
    assert.equal(kindOf('{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"x"}}'), 'refused')
  })

  test('is refused if an argument is a number that would be judged rounded and executed exactly', () => {
    const call = (given: string, meta = '1') =>
      kindOf(
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","arguments":${given},"_meta":{"n":${meta}}}}`,
      )
    for (const text of NUMBERS.exact) assert.equal(call(`{"to":${text}}`), 'call', text)
    for (const text of NUMBERS.inexact) assert.equal(call(`{"to":[${text}]}`), 'refused', text)
    assert.equal(call('{"to":"12345678901234567"}', '12345678901234567'), 'call')
  })
})
