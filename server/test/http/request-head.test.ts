import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { Duplex } from 'node:stream'
import { after, describe, test } from 'node:test'
import { TELLING_BYTES } from '@deputize/testing/mutated-bytes.ts'
import fc from 'fast-check'
import { readRequestHead, requestBytes } from '../../src/http/fronts/request-head.ts'

const CALL = [
  'POST /v1/vat/record/action HTTP/1.1',
  'Host: 127.0.0.1:8420',
  'content-type: application/json',
  'Content-Length: 13',
  'Connection: keep-alive',
  '',
  '{"result":42}',
].join('\r\n')
const READ = 'GET /healthz?a=b HTTP/1.1\r\nhost: localhost\r\naccept: */*\r\n\r\n'
const EMPTY = 'DELETE /v1/x HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\nx-a: 1\r\nx-a: 2\r\n\r\n'
const LAST = 'GET /last HTTP/1.1\r\nhost: last\r\n\r\n'

const NAMES = [
  'accept',
  'X-Long-Name_1',
  'authorization',
  'Content-Type',
  "a!#$%&'*+.^`|~",
  'Connection',
  'Idempotency-Key',
  'idempotency-key',
]
const VALUES = [
  'b',
  'c',
  'd',
  'e',
  'f',
  'a',
  'keep-alive',
  'Keep-Alive',
  'close',
  'a  b',
  ':',
  '"\\',
  '~',
  '',
  '\t',
  'x ',
  'a, b',
  '\x7f',
]
const LENGTHS = [
  '3',
  '3',
  '3',
  '3',
  '0',
  '0',
  '2',
  '03',
  '3 ',
  '+3',
  '3, 3',
  '4',
  '-1',
  '0x3',
  '3.0',
  '99999999999',
  '',
]
const URLS = [
  '/',
  '/v1/x',
  '/-._~!$&()*+,;=:@',
  '/a?b=c#d',
  '/%',
  '/{|}',
  '//x',
  '*',
  'http://a/',
  '/a b',
  '/é',
  '/\\',
]
const METHODS = [
  'GET',
  'POST',
  'GET',
  'POST',
  'POST',
  'HEAD',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'get',
  'CONNECT',
]
const ENDS = ['\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r', '\r\n ']

/** Requests as programs write them, and some that are slightly wrong. */
const REQUESTS = fc
  .record({
    line: fc.tuple(fc.constantFrom(...METHODS), fc.constantFrom(...URLS)),
    headers: fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...VALUES)), { maxLength: 3 }),
    length: fc.option(fc.constantFrom(...LENGTHS), { nil: undefined }),
    change: fc.option(
      fc.record({ at: fc.nat(200), byte: fc.oneof(fc.constantFrom(...TELLING_BYTES), fc.nat(255)) }),
      { nil: undefined, freq: 2 },
    ),
    end: fc.constantFrom(...ENDS),
  })
  .map(({ line, headers, length, change, end }) => {
    const lines = [['host', 'a:1'], ...headers, ...(length === undefined ? [] : [['Content-Length', length]])]
    const head = `${line.join(' ')} HTTP/1.1${end}${lines.map((pair) => `${pair.join(': ')}\r\n`).join('')}`
    const bytes = Buffer.from(`${head}\r\n${'abc'}`, 'latin1')
    if (change !== undefined && change.at < bytes.length) bytes[change.at] = change.byte
    return bytes
  })

interface SeenRequest {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly raw_headers: readonly string[]
  readonly body: string
}

/** The requests that Node reads from the bytes of a connection, or 'refused' if it refuses any. */
async function seenByNode(server: Server, bytes: Buffer): Promise<SeenRequest[] | 'refused'> {
  const seen: SeenRequest[] = []
  const connection = new Duplex({
    read() {},
    write: (_chunk, _encoding, done) => done(),
    allowHalfOpen: true,
  })
  const done = Promise.withResolvers<'refused' | undefined>()
  const listener = (request: IncomingMessage, response: { end(): void }) => {
    let body = ''
    request.setEncoding('latin1')
    request.on('data', (text) => {
      body += text
    })
    request.on('end', () => {
      seen.push({ method: request.method, url: request.url, raw_headers: request.rawHeaders, body })
      response.end()
      if (request.url === '/last') done.resolve(undefined)
    })
  }
  const refuse = () => done.resolve('refused')
  server.on('request', listener).on('clientError', refuse)
  connection.once('close', refuse)
  server.emit('connection', connection)
  connection.push(bytes)
  connection.push(null)
  const outcome = await done.promise
  server.off('request', listener).off('clientError', refuse)
  connection.destroy()
  return outcome ?? seen
}

describe('the head of a request', () => {
  const server = createServer()
  after(() => server.close())

  test('is read if it has the form that programs use, with the length of the body', () => {
    const head = readRequestHead(Buffer.from(CALL))
    assert.deepEqual(
      [head?.method, head?.url, head?.body_bytes, head?.head_bytes, head?.has_repeated],
      ['POST', '/v1/vat/record/action', 13, CALL.length - 13, false],
    )
    assert.equal(readRequestHead(Buffer.from(EMPTY))?.has_repeated, true)
    const body = Buffer.from('{"result":42}')
    assert.ok(head !== undefined)
    assert.equal(requestBytes(head, body).toString(), CALL)
  })

  for (const [what, keys] of Object.entries({
    'one key': ['Idempotency-Key: a-1'],
    'two keys': ['Idempotency-Key: a-1', 'idempotency-key: a-2'],
    'a key with spaces': ['idempotency-key: a  1'],
  }))
    test(`has every header at its place, with ${what}`, () => {
      const call = CALL.replace('Content-Length', `${keys.join('\r\n')}\r\nContent-Length`)
      for (const round of [1, 2]) {
        const head = readRequestHead(Buffer.from(call))
        assert.ok(head !== undefined, `round ${round}`)
        assert.equal(requestBytes(head, Buffer.from('{"result":42}')).toString(), call)
        assert.equal(head.headers['idempotency-key'], keys.at(-1)?.slice('idempotency-key: '.length))
        assert.equal(head.has_repeated, keys.length > 1)
        assert.equal(head.body_bytes, 13)
      }
    })

  test('has at most 50 headers, with an Idempotency-Key or without', () => {
    const others = (count: number) =>
      Array.from({ length: count }, (_, index) => `x-${index}: 1\r\n`).join('')
    const isRead = (headers: string) =>
      readRequestHead(Buffer.from(`GET / HTTP/1.1\r\nhost: a\r\n${headers}\r\n`)) !== undefined
    assert.deepEqual([isRead(others(49)), isRead(others(50))], [true, false])
    const key = 'idempotency-key: a\r\n'
    assert.deepEqual([isRead(others(48) + key), isRead(others(49) + key)], [true, false])
  })

  for (const [what, text] of Object.entries({
    'not whole': CALL.slice(0, 60),
    'of another version': READ.replace('1.1', '1.0'),
    'with lines that end in LF alone': READ.replaceAll('\r\n', '\n'),
    'without Host': READ.replace('host: localhost\r\n', ''),
    'with a line that continues another': READ.replace('accept', ' accept'),
    'with a space before the colon': READ.replace('host:', 'host :'),
    'with two lengths': CALL.replace('Connection: keep-alive', 'content-length: 13'),
    'with a signed length': CALL.replace('13', '+13'),
    'with a body in chunks': CALL.replace('Connection: keep-alive', 'Transfer-Encoding: chunked'),
    'with a question before the body': CALL.replace('Connection: keep-alive', 'Expect: 100-continue'),
    'that ends its connection': CALL.replace('keep-alive', 'close'),
    'with an absolute address': READ.replace('/healthz', 'http://localhost/healthz'),
    'with a tab': READ.replace('*/*', '*/*\t'),
    'with a byte beyond ASCII': READ.replace('*/*', 'é'),
    'after an empty line': `\r\n${READ}`,
  }))
    test(`is left to the server: ${what}`, () => {
      assert.equal(readRequestHead(Buffer.from(text, 'latin1')), undefined)
    })

  test('shares equal headers among requests, frozen, unless they contain a credential or a key', () => {
    const twice = (headers: string) =>
      ['/a', '/b'].map((path) => readRequestHead(Buffer.from(`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`)))
    const [first, second] = twice('host: shared\r\naccept: */*')
    assert.deepEqual([first?.url, second?.url], ['/a', '/b'])
    assert.equal(second?.headers, first?.headers)
    assert.equal(second?.raw_headers, first?.raw_headers)
    assert.throws(() => Object.assign(first?.headers ?? {}, { accept: 'x' }), TypeError)
    for (const name of ['authorization', 'cookie', 'dpop', 'deputy-token', 'idempotency-key', 'x-unknown']) {
      const [one, other] = twice(`host: shared\r\n${name}: secret`)
      assert.deepEqual(other?.headers, one?.headers)
      assert.notEqual(other?.headers, one?.headers)
    }
    const [long, again] = twice(`host: shared\r\nuser-agent: ${'x'.repeat(600)}`)
    assert.notEqual(again?.headers, long?.headers)
  })

  test('caches a limited number of the headers that were read', () => {
    const read = (agent: number) =>
      readRequestHead(Buffer.from(`GET / HTTP/1.1\r\nhost: many\r\nuser-agent: ${agent}\r\n\r\n`))?.headers
    const first = read(0)
    assert.equal(read(0), first)
    for (let agent = 1; agent <= 1_000; agent++) read(agent)
    assert.notEqual(read(0), first)
    assert.deepEqual(read(0), first)
  })

  test('has the same end and contents that Node reads, whatever the bytes are', async () => {
    let read = 0
    await fc.assert(
      fc.asyncProperty(REQUESTS, async (bytes) => {
        const head = readRequestHead(bytes)
        if (head === undefined || head.head_bytes + head.body_bytes > bytes.length) return
        read += 1
        const end = head.head_bytes + head.body_bytes
        const seen = await seenByNode(server, Buffer.concat([bytes.subarray(0, end), Buffer.from(LAST)]))
        const { method, url, raw_headers } = head
        const body = bytes.toString('latin1', head.head_bytes, end)
        assert.ok(seen !== 'refused')
        assert.deepEqual(seen[0], { method, url, raw_headers, body })
        assert.deepEqual([seen.length, seen[1]?.url], [2, '/last'])
      }),
      { numRuns: 5_000 },
    )
    assert.ok(read > 200, `only ${read} heads were read`)
  })
})
