import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { describe, test } from 'node:test'
import {
  type AddCheckpoint,
  checkpointText,
  encodeBase64,
  KEY_TYPES,
  noteKey,
  readAddCheckpoint,
  readNote,
  vkeyOf,
} from '@deputize/protocol'
import { aServer } from '@deputize/testing/a-server.ts'
import {
  aGrowingLog,
  aRandomSignatory,
  aRandomWitness,
  cosign,
  type GrowingLog,
} from '@deputize/testing/log/a-growing-log.ts'
import type { Signatory } from '@deputize/testing/log/a-log.ts'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import { openWitnesses, readWitnesses, type Trouble, type WitnessEndpoint } from '../../src/log/witnesses.ts'

const NOW_S = Date.parse('2027-01-01T00:00:00Z') / 1000

type Script = (
  request: AddCheckpoint & { readonly text: string },
  response: ServerResponse,
) => string | Promise<string> | Promise<void>

/** A witness that returns 200 with the script's text, unless the script responds itself. */
async function aScripted(scope: TestScope, signatory: Signatory, script: Script): Promise<WitnessEndpoint> {
  const url = await aServer(scope, async (incoming, response) => {
    assert.equal(incoming.url, '/add-checkpoint')
    const request = readAddCheckpoint(await bodyOf(incoming))
    const body = await script({ ...request, text: readNote(request.note).text }, response)
    if (typeof body === 'string') response.end(body)
  })
  return { key: signatory.key, url }
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function aCollector(list: readonly WitnessEndpoint[], timeout_ms = 5_000) {
  const troubles: Trouble[] = []
  const clock = manualClock()
  const { cosign } = openWitnesses(list, {
    onTrouble: (trouble) => troubles.push(trouble),
    timeout_ms,
    now_ms: clock,
  })
  return {
    clock,
    collect: async (log: GrowingLog, size: number) =>
      cosign(await log.checkpoint(size), async (from, to) => log.proof(from, to)),
    /** The troubles reported since the last call. */
    troubles: () => troubles.splice(0).map(({ kind }) => kind),
  }
}

describe('collecting cosignatures', () => {
  const log = aGrowingLog()

  test('sends the proof from the last size that the witness saw, and verifies its cosignature', async (t) => {
    const signatory = aRandomWitness()
    const asked: [number, string[]][] = []
    const witness = await aScripted(t, signatory, ({ old_size, proof, text }) => {
      asked.push([old_size, proof.map(encodeBase64)])
      return cosign(signatory, text, NOW_S)
    })
    const { collect, troubles } = aCollector([witness])
    for (const size of [3, 7, 7]) {
      const { note } = await log.checkpoint(size)
      assert.deepEqual(await collect(log, size), [await cosign(signatory, readNote(note).text, NOW_S)])
    }
    assert.deepEqual(asked, [
      [0, []],
      [3, log.proof(3, 7).map(encodeBase64)],
      [7, []],
    ])
    assert.deepEqual(troubles(), [])
  })

  test('learns the size of a witness from a 409 and retries once', async (t) => {
    const signatory = aRandomWitness()
    const asked: number[] = []
    const witness = await aScripted(t, signatory, async ({ old_size, text }, response) => {
      asked.push(old_size)
      if (old_size === 4) return cosign(signatory, text, NOW_S)
      response.statusCode = 409
      return '4\n'
    })
    const { collect, troubles } = aCollector([witness])
    assert.equal((await collect(log, 9)).length, 1)
    assert.deepEqual(asked, [0, 4])
    // It cosigned 9 but reports 4. It gets the proof that it needs, and the error is reported.
    assert.equal((await collect(log, 10)).length, 1)
    assert.deepEqual(asked, [0, 4, 9, 4])
    assert.deepEqual(troubles(), ['forgot'])
  })

  test('retries a 409 only once', async (t) => {
    let asked = 0
    const witness = await aScripted(t, aRandomWitness(), async (_, response) => {
      asked += 1
      response.statusCode = 409
      return '4\n'
    })
    const { collect, troubles } = aCollector([witness])
    assert.deepEqual(await collect(log, 9), [])
    assert.deepEqual([asked, troubles()], [2, ['refused']])
  })

  test('reports a witness that is ahead of the log until the log catches up', async (t) => {
    const signatory = aRandomWitness()
    const witness = await aScripted(t, signatory, async ({ old_size, text }, response) => {
      if (old_size === 6) return cosign(signatory, text, NOW_S)
      response.statusCode = 409
      return '6\n'
    })
    const { collect, troubles, clock } = aCollector([witness])
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(await collect(log, 5), [])
      assert.deepEqual(troubles(), ['ahead'])
      clock.advance(60_000)
    }
    assert.equal((await collect(log, 8)).length, 1)
    assert.deepEqual(troubles(), [])
  })

  test('reports a witness that has seen a different tree', async (t) => {
    const witness = await aScripted(t, aRandomWitness(), async (_, response) => {
      response.statusCode = 422
      return 'no\n'
    })
    const { collect, troubles } = aCollector([witness])
    assert.deepEqual(await collect(log, 5), [])
    assert.deepEqual(troubles(), ['contradicted'])
  })

  test('drops and reports every invalid answer', async (t) => {
    const signatory = aRandomWitness()
    const namesake = aRandomWitness()
    const elsewhere = await aScripted(t, signatory, ({ text }) => cosign(signatory, text, NOW_S))
    const status =
      (code: number, body = '', headers = {}): Script =>
      async (_, response) => {
        response.writeHead(code, headers)
        return body
      }
    const lies: Readonly<Record<string, [string, Script]>> = {
      'another checkpoint': [
        'bad_cosignature',
        ({ text }) => cosign(signatory, text.replace('\n5\n', '\n6\n'), NOW_S),
      ],
      'another root': [
        'bad_cosignature',
        async () => {
          const text = checkpointText(await log.forkAt(1).checkpoint(5))
          return cosign(signatory, text, NOW_S)
        },
      ],
      'another key': ['bad_cosignature', ({ text }) => cosign(namesake, text, NOW_S)],
      'the key of a log': [
        'bad_cosignature',
        ({ text }) => cosign(aRandomSignatory(signatory.key.name, KEY_TYPES.log), text, NOW_S),
      ],
      'no time': ['bad_cosignature', ({ text }) => cosign(signatory, text, 0)],
      'the far future': ['bad_cosignature', ({ text }) => cosign(signatory, text, NOW_S + 86_400)],
      garbage: ['bad_answer', () => 'garbage'],
      nothing: ['bad_answer', () => ''],
      'a whole note': ['bad_answer', async ({ text }) => `${text}\n${await cosign(signatory, text, NOW_S)}`],
      'a cosignature after more text': [
        'bad_answer',
        async ({ text }) => `more\n\n${await cosign(signatory, `${text}\nmore\n`, NOW_S)}`,
      ],
      'a body without end': ['bad_answer', (_, response) => pour(response)],
      'a 409 without end': [
        'bad_answer',
        (_, response) => {
          response.statusCode = 409
          return pour(response)
        },
      ],
      'a 409 without a size': ['bad_answer', status(409, 'five\n')],
      'a redirect to an honest witness': [
        'refused',
        status(307, '', { location: `${elsewhere.url}/add-checkpoint` }),
      ],
      'an error': ['refused', status(500)],
      'no content': ['refused', status(204)],
      'a broken connection': [
        'unreachable',
        async (_, response) => {
          response.socket?.destroy()
        },
      ],
    }
    for (const [name, [kind, script]] of Object.entries(lies)) {
      const { collect, troubles } = aCollector([await aScripted(t, signatory, script), elsewhere])
      assert.equal((await collect(log, 5)).length, 1, name)
      assert.deepEqual(troubles(), [kind], name)
    }
  })

  test('waits for no witness beyond the timeout', async (t) => {
    const signatory = aRandomWitness()
    const slow = [aRandomWitness('witness.test/w2'), aRandomWitness('witness.test/w3')]
    const good = await aScripted(t, signatory, ({ text }) => cosign(signatory, text, NOW_S))
    const silent = await aServer(t, () => {})
    const dripping = await aServer(t, (_, response) => {
      const drip = setInterval(() => response.write('—'), 50)
      response.on('close', () => clearInterval(drip))
    })
    const list = [silent, dripping].map((url, index) => ({ key: slow[index]?.key ?? signatory.key, url }))
    const { collect, troubles } = aCollector([...list, good], 3_000)
    const start = performance.now()
    assert.equal((await collect(log, 5)).length, 1)
    assert.ok(performance.now() - start < 30_000)
    assert.deepEqual(troubles(), ['unreachable', 'unreachable'])
  })

  test('backs off from a failing witness, longer each time, and retries', async (t) => {
    const signatory = aRandomWitness()
    let asked = 0
    let isWell = false
    const witness = await aScripted(t, signatory, async ({ text }, response) => {
      asked += 1
      if (!isWell) response.statusCode = 500
      return cosign(signatory, text, NOW_S)
    })
    const { collect, clock } = aCollector([witness])
    await collect(log, 5)
    for (const [index, pause_s] of [1, 2, 4, 8, 16, 32, 60, 60, 60].entries()) {
      clock.advance((pause_s - 1) * 1_000)
      await collect(log, 5)
      assert.equal(asked, index + 1, `asked before ${pause_s} seconds were over`)
      clock.advance(1_000)
      await collect(log, 5)
      assert.equal(asked, index + 2, `not asked after ${pause_s} seconds`)
    }
    clock.advance(60_000)
    isWell = true
    assert.equal((await collect(log, 5)).length, 1)
    isWell = false
    assert.deepEqual(await collect(log, 6), [])
    clock.advance(1_000)
    isWell = true
    assert.equal((await collect(log, 6)).length, 1)
  })

  test('never sends two requests to one witness at a time', async (t) => {
    const signatory = aRandomWitness()
    let asked = 0
    const witness = await aScripted(t, signatory, ({ text }) => {
      asked += 1
      return cosign(signatory, text, NOW_S)
    })
    const { collect, troubles } = aCollector([witness])
    const lines = await Promise.all([collect(log, 5), collect(log, 5), collect(log, 5)])
    assert.equal(lines.flat().length, 1)
    assert.deepEqual([asked, troubles()], [1, []])
  })
})

describe('the list of witnesses', () => {
  const one = vkeyOf(aRandomWitness('witness.test/w1').key)
  const two = vkeyOf(aRandomWitness('witness.test/w2').key)

  test('may be separated by commas or newlines, with any white space', () => {
    const expected = [
      ['witness.test/w1', 'http://127.0.0.1:8421'],
      ['witness.test/w2', 'https://two.example/sub/path'],
    ]
    const texts = [
      `${one} http://127.0.0.1:8421,${two} https://two.example/sub/path`,
      `${one} http://127.0.0.1:8421/\n${two}\thttps://two.example/sub/path/\n`,
      `\n  ${one}   http://127.0.0.1:8421 ,\n\n ${two} https://two.example/sub/path,`,
    ]
    for (const text of texts) {
      const { witnesses, problems } = readWitnesses(text)
      assert.deepEqual(problems, [])
      assert.deepEqual(
        witnesses.map(({ key, url }) => [key.name, url]),
        expected,
      )
    }
    assert.deepEqual(readWitnesses(' \n'), { witnesses: [], problems: [] })
  })

  test('reports every problem', () => {
    const log = vkeyOf(aRandomSignatory('log.test', KEY_TYPES.log).key)
    const renamed = vkeyOf({ ...aRandomWitness('x').key, name: 'y' })
    const lowOrder = vkeyOf(noteKey('witness.test/w3', KEY_TYPES.witness, new Uint8Array(32)))
    const wrong: [string, RegExp][] = [
      [one, /must be a verifier key, a space and an address/],
      [`${one} http://a.example http://b.example`, /must be a verifier key, a space and an address/],
      [`nonsense http://a.example`, /nonsense can't be used/],
      [`${renamed} http://a.example`, /can't be used/],
      [`${lowOrder} http://a.example`, /low order/],
      [`${log} http://a.example`, /is a log key/],
      [
        'witness.test/w1+36003d80+BKCapfR6Z1mAL/lV+NwtKhSlyZ0jvpf4ZBJ/+Tg0VaTw http://a.example',
        /published test key/,
      ],
      [`${one} ftp://a.example`, /http or https/],
      [`${one} a.example`, /http or https/],
      [`${one} http://user:word@a.example`, /without user/],
      [`${one} http://a.example/?x=1`, /without user, query/],
      [`${one} http://a.example/#x`, /without user, query or fragment/],
    ]
    for (const [text, problem] of wrong) {
      const { witnesses, problems } = readWitnesses(text)
      assert.deepEqual(witnesses, [], text)
      assert.equal(problems.length, 1, text)
      assert.match(problems[0] ?? '', problem)
    }
    const { witnesses, problems } = readWitnesses(
      `${one} http://a.example, nonsense, ${one} http://b.example, ${two} ftp://c.example`,
    )
    assert.deepEqual([witnesses.length, problems.length], [1, 3])
    assert.match(problems[1] ?? '', /counts once/)
  })
})

/** Sends until the connection closes. */
async function pour(response: ServerResponse): Promise<void> {
  function* endless() {
    for (;;) yield 'x'.repeat(16_384)
  }
  await assert.rejects(pipeline(endless, response), { code: 'ERR_STREAM_PREMATURE_CLOSE' })
}
