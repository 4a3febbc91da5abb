import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  addCheckpointBody,
  KEY_TYPES,
  openCheckpoint,
  openCosignature,
  readNote,
  vkeyOf,
} from '@deputize/protocol'
import { eventually } from '@deputize/testing/eventually.ts'
import { aGrowingLog, aRandomSignatory, type GrowingLog } from '@deputize/testing/log/a-growing-log.ts'
import { rawExchange, rawRequest, statusOf, unfinishedRequest } from '@deputize/testing/raw-http.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { aWitnessProgram, refusedWitness, type WitnessProgram, witnessWith } from './witness-program.ts'

async function bodyOf(log: GrowingLog, from: number, to: number): Promise<string> {
  const { note } = await log.checkpoint(to)
  return addCheckpointBody({ old_size: from, proof: from <= to ? log.proof(from, to) : [], note })
}

function originHash(log: GrowingLog): string {
  return createHash('sha256').update(log.key.name).digest('hex')
}

/** The size that the witness shows to monitors, once the signatures of log and witness are verified. */
async function sizeAt({ url, key }: WitnessProgram, log: GrowingLog): Promise<number> {
  const response = await fetch(`${url}/${originHash(log)}/checkpoint`)
  if (response.status === 404) return 0
  const { size, witnesses } = await openCheckpoint(await response.text(), log.key, [key])
  assert.equal(witnesses.length, 1)
  return size
}

function evidenceIn(directory: string): string[] {
  return readdirSync(join(directory, 'evidence')).sort()
}

describe('a witness', () => {
  const log = aGrowingLog()

  test('creates a private key file and keeps it', async (t) => {
    const directory = temporaryDirectory(t)
    const first = await aWitnessProgram(t, directory, [log.key])
    assert.equal(first.key.type, KEY_TYPES.witness)
    assert.equal(first.key.name, 'witness.test/w1')
    assert.equal(statSync(join(directory, 'witness.json')).mode & 0o777, 0o600)
    assert.ok(first.output().includes(vkeyOf(log.key)))
    assert.equal(await first.stop(), 0)
    const second = await aWitnessProgram(t, directory, [log.key])
    assert.equal(vkeyOf(second.key), vkeyOf(first.key))
  })

  test('cosigns a growing log and serves the checkpoints', async (t) => {
    const other = aGrowingLog('another.test/log')
    const program = await aWitnessProgram(t, temporaryDirectory(t), [log.key, other.key])
    const before_s = Math.floor(Date.now() / 1000)
    for (const [from, to] of [
      [0, 3],
      [3, 3],
      [3, 8],
    ] as const) {
      const { status, body } = await program.add(await bodyOf(log, from, to))
      assert.equal(status, 200, body)
      const { text } = readNote((await log.checkpoint(to)).note)
      const { time_s } = await openCosignature(body, text, program.key)
      assert.ok(time_s !== undefined && time_s >= before_s && time_s <= Date.now() / 1000)
      assert.equal(await sizeAt(program, log), to)
    }
    const hash = originHash(log)
    const notes = [`/checkpoint/${hash}`, `/${hash}/checkpoint`].map(async (path) =>
      (await fetch(program.url + path)).text(),
    )
    const [note, same] = await Promise.all(notes)
    assert.equal(note, same)
    assert.equal((await fetch(`${program.url}/${originHash(other)}/checkpoint`)).status, 404)
    const page = await (await fetch(program.url)).text()
    for (const part of [
      vkeyOf(program.key),
      vkeyOf(log.key),
      vkeyOf(other.key),
      `size  8   /${hash}/checkpoint`,
    ])
      assert.ok(page.includes(part), page)
  })

  test('answers according to the protocol', async (t) => {
    const program = await aWitnessProgram(t, temporaryDirectory(t), [log.key])
    await program.add(await bodyOf(log, 0, 5))
    const answer = async (body: string) => {
      const { status, type } = await program.add(body)
      return [status, type?.split(';')[0]]
    }
    assert.deepEqual(await answer(await bodyOf(log, 5, 6)), [200, 'text/plain'])
    assert.deepEqual(await answer('old 1\nnonsense\n\n'), [400, 'text/plain'])
    assert.deepEqual(await answer(await bodyOf(log, 7, 6)), [400, 'text/plain'])
    assert.deepEqual(await answer(await bodyOf(aGrowingLog(), 0, 5)), [403, 'text/plain'])
    assert.deepEqual(await answer(await bodyOf(aGrowingLog('another.test/log'), 0, 5)), [404, 'text/plain'])
    assert.deepEqual(await answer(await bodyOf(log.forkAt(2), 6, 9)), [422, 'text/plain'])
    const { status, type, body } = await program.add(await bodyOf(log, 0, 9))
    assert.deepEqual([status, type, body], [409, 'text/x.tlog.size', '6\n'])
    const notUtf8 = Buffer.concat([Buffer.from('old 0\n\n'), Buffer.of(0xff, 0x0a)])
    assert.equal((await program.add(notUtf8)).status, 400)
    assert.equal((await fetch(`${program.url}/add-checkpoint`)).status, 405)
    assert.equal((await fetch(program.url, { method: 'POST', body: 'x' })).status, 405)
    assert.equal((await fetch(`${program.url}/nothing`)).status, 404)
    assert.equal(statusOf(await rawExchange(program.url, rawRequest('GET //', ['Host: x']))), 404)
    assert.equal(await sizeAt(program, log), 6)
  })

  test('saves a fork, a rollback and unproven growth as evidence, each once', async (t) => {
    const directory = temporaryDirectory(t)
    const program = await aWitnessProgram(t, directory, [log.key])
    const fork = log.forkAt(2)
    const { note: cosigned } = await log.checkpoint(5)
    await program.add(await bodyOf(log, 0, 5))
    for (let round = 0; round < 3; round++) {
      assert.equal((await program.add(await bodyOf(fork, 5, 5))).status, 422)
      assert.equal((await program.add(await bodyOf(fork, 0, 5))).status, 409)
      assert.equal((await program.add(await bodyOf(fork, 5, 7))).status, 422)
      assert.equal((await program.add(await bodyOf(log, 0, 4))).status, 409)
    }
    // Mistakes, and checkpoints that the log did not sign, are not evidence.
    await program.add(await bodyOf(log, 0, 9))
    await program.add(await bodyOf(aGrowingLog(), 5, 5))
    const files = evidenceIn(directory)
    assert.deepEqual(
      files.map((file) => file.split('-')[0]),
      ['fork', 'rollback', 'unproven'],
    )
    const evidence = JSON.parse(readFileSync(join(directory, 'evidence', files[0] ?? ''), 'utf8'))
    const refused = await openCheckpoint(evidence.refused.note, log.key)
    const kept = await openCheckpoint(evidence.cosigned, log.key, [program.key])
    assert.deepEqual([refused.size, kept.size, kept.witnesses.length], [5, 5, 1])
    assert.notDeepEqual(refused.root, kept.root)
    assert.ok(evidence.cosigned.startsWith(cosigned))
    assert.equal(await sizeAt(program, log), 5)
    assert.equal(await program.stop(), 0)
    const notices = program.output().match(/^\{.*"contradiction".*\}$/gm) ?? []
    assert.equal(notices.length, 3)
    assert.equal(JSON.parse(notices[0] ?? '').evidence, join(directory, 'evidence', files[0] ?? ''))
  })

  test('does not cosign a checkpoint that it cannot save', async (t) => {
    const directory = temporaryDirectory(t)
    const program = await aWitnessProgram(t, directory, [log.key])
    await program.add(await bodyOf(log, 0, 5))
    const obstacle = join(directory, `${originHash(log)}.checkpoint.new`)
    mkdirSync(obstacle) // where the file would be drafted
    const { status, body } = await program.add(await bodyOf(log, 5, 8))
    assert.equal(status, 503)
    assert.doesNotMatch(body, /—/)
    assert.equal(await sizeAt(program, log), 5)
    rmdirSync(obstacle)
    assert.equal((await program.add(await bodyOf(log, 5, 8))).status, 200)
    assert.equal(await program.stop(), 0)
    assert.match(program.output(), /"event":"failure"/)
  })

  test('limits evidence to a thousand files of each kind', async (t) => {
    const directory = temporaryDirectory(t)
    const program = await aWitnessProgram(t, directory, [log.key])
    await program.add(await bodyOf(log, 0, 5))
    const kind = `rollback-${originHash(log).slice(0, 16)}-`
    for (let n = 0; n < 999; n++) writeFileSync(join(directory, 'evidence', `${kind}${n}.json`), '')
    for (const size of [4, 3, 2]) assert.equal((await program.add(await bodyOf(log, 0, size))).status, 409)
    assert.equal(evidenceIn(directory).length, 1_000)
    assert.equal((await program.add(await bodyOf(log.forkAt(2), 5, 5))).status, 422)
    assert.equal(evidenceIn(directory).length, 1_001)
  })

  test('remembers its checkpoints after a restart, also of a log that it stopped watching for a while', async (t) => {
    const directory = temporaryDirectory(t)
    const other = aGrowingLog('another.test/log')
    const first = await aWitnessProgram(t, directory, [log.key, other.key])
    await first.add(await bodyOf(log, 0, 5))
    await first.add(await bodyOf(other, 0, 7))
    assert.equal(await first.stop(), 0)
    const second = await aWitnessProgram(t, directory, [log.key])
    assert.match(second.output(), /\(size 5\)/)
    assert.equal((await second.add(await bodyOf(log.forkAt(2), 5, 5))).status, 422)
    assert.equal((await second.add(await bodyOf(other, 7, 8))).status, 404)
    assert.equal(await second.stop(), 0)
    const third = await aWitnessProgram(t, directory, [other.key, log.key])
    assert.deepEqual([await sizeAt(third, log), await sizeAt(third, other)], [5, 7])
  })

  test('keeps its saved checkpoint if killed before the response', async (t) => {
    const directory = temporaryDirectory(t)
    const path = join(directory, `${originHash(log)}.checkpoint`)
    let size = 0
    for (const next of [3, 6, 10]) {
      const program = await aWitnessProgram(t, directory, [log.key])
      const body = await bodyOf(log, size, next)
      const socket = connect(Number(new URL(program.url).port), '127.0.0.1')
      socket.on('error', () => {})
      const head = ['Host: x', `Content-Length: ${Buffer.byteLength(body)}`]
      socket.write(rawRequest('POST /add-checkpoint', head, body))
      while (!isKept(path, next)) await sleep(0)
      await program.kill() // the response is not read
      socket.destroy()
      size = next
    }
    const program = await aWitnessProgram(t, directory, [log.key])
    assert.equal(await sizeAt(program, log), 10)
    const { status, body } = await program.add(await bodyOf(log, 6, 10))
    assert.deepEqual([status, body], [409, '10\n'])
    assert.equal((await program.add(await bodyOf(log.forkAt(9), 10, 10))).status, 422)
    assert.equal((await program.add(await bodyOf(log, 10, 10))).status, 200)
  })

  test('never forgets a cosigned checkpoint when killed under load', async (t) => {
    const directory = temporaryDirectory(t)
    let answered = 0
    for (let cycle = 0; cycle < 5; cycle++) {
      const program = await aWitnessProgram(t, directory, [log.key])
      const before = await sizeAt(program, log)
      assert.ok(before >= answered, `it cosigned ${answered} and remembers ${before}`)
      let size = before
      const grow = async () => {
        for (;;) {
          const { status } = await program.add(await bodyOf(log, size, size + 1))
          assert.equal(status, 200)
          size += 1
          answered = size
        }
      }
      const load = assert.rejects(grow(), TypeError) // the fetch that was open when the process was killed
      await eventually('the witness is at work', () => size > before + 1)
      await sleep(Math.random() * 250)
      await program.kill()
      await load
    }
    assert.ok(answered > 5, `only ${answered} checkpoints were cosigned`)
  })

  test('answers 64 concurrent requests, and its size never decreases', async (t) => {
    const program = await aWitnessProgram(t, temporaryDirectory(t), [log.key])
    const sizes: number[] = []
    let isOver = false
    const monitor = (async () => {
      while (!isOver) sizes.push(await sizeAt(program, log))
    })()
    const cosigned: number[] = []
    const callers = Array.from({ length: 64 }, async (_, index) => {
      const target = 1 + ((index * 37) % 64)
      let old = 0
      for (;;) {
        if (old > target) return
        const { status, body } = await program.add(await bodyOf(log, old, target))
        if (status === 200) return cosigned.push(target)
        assert.equal(status, 409, body)
        assert.ok(Number(body) > old, `it went from ${old} back to ${body}`)
        old = Number(body)
      }
    })
    await Promise.all(callers)
    isOver = true
    await monitor
    assert.equal(await sizeAt(program, log), 64)
    assert.ok(cosigned.includes(64))
    assert.deepEqual(
      sizes,
      sizes.toSorted((a, b) => a - b),
    )
  })
})

function isKept(path: string, size: number): boolean {
  try {
    return readFileSync(path, 'utf8').split('\n')[1] === String(size)
  } catch {
    return false
  }
}

describe('a witness among bad callers', () => {
  const log = aGrowingLog()

  test('disconnects slow callers and serves the others', async (t) => {
    const program = await aWitnessProgram(t, temporaryDirectory(t), [log.key])
    const head = 'POST /add-checkpoint HTTP/1.1\r\nHost: x\r\n'
    const beginnings = [head, `${head}Content-Length: 100\r\n\r\nold 0\n`, '']
    const endings = Array.from({ length: 90 }, (_, index) =>
      unfinishedRequest(t, program.url, beginnings[index % 3] ?? ''),
    )
    for (let size = 0; size < 20; size++)
      assert.equal((await program.add(await bodyOf(log, size, size + 1))).status, 200)
    const statuses = (await Promise.all(endings)).map((received, index) => [index % 3, statusOf(received)])
    for (const [kind, status] of statuses) if (kind !== 2) assert.equal(status, 408)
  })

  test('does not read oversized bodies', async (t) => {
    const program = await aWitnessProgram(t, temporaryDirectory(t), [log.key])
    const head = ['Host: x', 'Content-Length: 10000000000']
    assert.equal(
      statusOf(await rawExchange(program.url, rawRequest('POST /add-checkpoint', head, 'old'))),
      413,
    )
    const chunk = `8000\r\n${'x'.repeat(0x8000)}\r\n`
    const endless = rawRequest(
      'POST /add-checkpoint',
      ['Host: x', 'Transfer-Encoding: chunked'],
      chunk.repeat(3),
    )
    assert.equal(statusOf(await rawExchange(program.url, endless)), 413)
    assert.equal((await program.add('x'.repeat(65_536))).status, 400)
    assert.equal((await program.add(await bodyOf(log, 0, 1))).status, 200)
  })

  test('exits cleanly during an unfinished request', async (t) => {
    const program = await aWitnessProgram(t, temporaryDirectory(t), [log.key])
    const socket = connect(Number(new URL(program.url).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write('POST /add-checkpoint HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nold 0\n')
    assert.equal((await program.add(await bodyOf(log, 0, 1))).status, 200)
    assert.equal(await program.stop(), 0)
    socket.destroy()
  })
})

describe('a witness does not start', () => {
  const log = aGrowingLog()

  async function aUsedDirectory(t: Parameters<typeof temporaryDirectory>[0]): Promise<string> {
    const directory = temporaryDirectory(t)
    const program = await aWitnessProgram(t, directory, [log.key])
    assert.equal((await program.add(await bodyOf(log, 0, 5))).status, 200)
    assert.equal(await program.stop(), 0)
    return directory
  }

  function assertRefused({ status, stderr }: ReturnType<typeof refusedWitness>, reason: RegExp): void {
    assert.match(stderr, reason)
    assert.equal(status, 78)
  }

  test('with a key that others can read or a published test key', async (t) => {
    const directory = await aUsedDirectory(t)
    const path = join(directory, 'witness.json')
    chmodSync(path, 0o640)
    assertRefused(refusedWitness(directory, [log.key]), /can be read by others/)
    chmodSync(path, 0o600)
    const file = JSON.parse(readFileSync(path, 'utf8'))
    const published = {
      x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
      d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
    }
    writeFileSync(path, JSON.stringify({ ...file, ...published }))
    assertRefused(refusedWitness(directory, [log.key]), /published test key/)
    writeFileSync(path, JSON.stringify({ ...file, d: published.d }))
    assertRefused(refusedWitness(directory, [log.key]), /do not belong together/)
    writeFileSync(path, '{')
    assertRefused(refusedWitness(directory, [log.key]), /not the key file of a witness/)
  })

  test('under another name, or without its former key', async (t) => {
    const directory = await aUsedDirectory(t)
    assertRefused(refusedWitness(directory, [log.key], { name: 'witness.test/w2' }), /witness\.test\/w1/)
    rmSync(join(directory, 'witness.json'))
    assertRefused(refusedWitness(directory, [log.key]), /is missing/)
  })

  test('on a checkpoint that it did not write', async (t) => {
    const directory = await aUsedDirectory(t)
    const path = join(directory, `${originHash(log)}.checkpoint`)
    const note = readFileSync(path, 'utf8')
    for (const damaged of [
      '',
      note.slice(0, 40),
      note.replace('\n5\n', '\n4\n'),
      (await log.checkpoint(4)).note,
    ]) {
      writeFileSync(path, damaged)
      assertRefused(refusedWitness(directory, [log.key]), /could not detect a fork/)
    }
    writeFileSync(path, note)
    const other = aGrowingLog('another.test/log')
    writeFileSync(join(directory, `${originHash(other)}.checkpoint`), note)
    assertRefused(refusedWitness(directory, [other.key]), /could not detect a fork/)
  })

  test('next to another on the same directory or port', async (t) => {
    const directory = temporaryDirectory(t)
    const program = await aWitnessProgram(t, directory, [log.key])
    assertRefused(refusedWitness(directory, [log.key]), /is using/)
    const { port } = new URL(program.url)
    assertRefused(refusedWitness(temporaryDirectory(t), [log.key], { port }), /is in use/)
  })

  test('with invalid options, and names each of them', () => {
    const key = aRandomSignatory('witness.test/w2', KEY_TYPES.witness).key
    const logs = [
      '--log',
      vkeyOf(key),
      '--log',
      'nonsense',
      '--log',
      vkeyOf(log.key),
      '--log',
      vkeyOf(log.key),
    ]
    const ending = witnessWith('--name', 'a b', '--port', '70000', '--data', '/nowhere', ...logs)
    for (const reason of [/--name a b/, /--port 70000/, /key of a witness/, /--log nonsense/, /twice/])
      assertRefused(ending, reason)
    assertRefused(witnessWith('--name', 'w', '--data', '/nowhere'), /--log <vkey> is missing/)
  })
})
