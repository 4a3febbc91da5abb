import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import {
  cosignatureLine,
  decodeBase64url,
  type Frontier,
  KEY_TYPES,
  noteKey,
  openCheckpoint,
  readNote,
  vkeyOf,
} from '@deputize/protocol'
import { eventually } from '@deputize/testing/eventually.ts'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import { assertExtends, openCheckpointFile, RolledBackError } from '../../src/log/checkpoint-file.ts'
import { type Cosign, openCheckpointSigner, type Peers } from '../../src/log/checkpoint-signer.ts'
import { logTree } from '../../src/log/tree.ts'
import type { LogReader, StoredCheckpoint } from '../../src/store/port/log-reader.ts'
import { aLongLog } from './long-log.ts'

function aSigner(name: string, type: (typeof KEY_TYPES)[keyof typeof KEY_TYPES]) {
  const { privateKey } = generateKeyPairSync('ed25519')
  const { x = '' } = privateKey.export({ format: 'jwk' })
  return {
    key: noteKey(name, type, decodeBase64url(x)),
    sign: (data: Uint8Array) => sign(null, data, privateKey),
  }
}

const witness = aSigner('witness.example/w1', KEY_TYPES.witness)
const goodWitness: Cosign = async ({ note }) => [
  await cosignatureLine(readNote(note).text, 1_800_000_000, witness.key, witness.sign),
]

async function aCheckpointSigner(
  context: TestContext,
  options: {
    leaves?: number
    quorum?: number
    cosign?: Cosign
    path?: string
    peers?: Peers
    confirm?: (log: LogReader) => Promise<Frontier>
    clock?: () => number
    interval_ms?: number
  } = {},
) {
  const { confirm } = options
  const log = await aLongLog(context, options.leaves ?? 3)
  const signer = aSigner('log.example/deputy', KEY_TYPES.log)
  const file = openCheckpointFile(options.path ?? join(dirname(log.file), 'checkpoint'))
  const kept: StoredCheckpoint[] = []
  const troubles: unknown[] = []
  const checkpointSigner = await openCheckpointSigner({
    reader: log.reader.log,
    file,
    ...signer,
    clock: options.clock ?? Date.now,
    interval_ms: options.interval_ms ?? 0,
    confirm: confirm && (() => confirm(log.reader.log)),
    store: async (checkpoint) => void kept.push(checkpoint),
    cosign: options.cosign,
    quorum: options.quorum ?? 0,
    onTrouble: (cause) => troubles.push(cause),
    peers: options.peers,
  })
  context.after(() => checkpointSigner.close())
  return { log, checkpointSigner, signer, file, kept, troubles }
}

describe('the checkpoint signer', () => {
  test('signs each committed size once, and writes it to the checkpoint file before publishing', async (context) => {
    const { log, checkpointSigner, signer, file, kept } = await aCheckpointSigner(context)
    const first = await openCheckpoint(checkpointSigner.published()?.note ?? '', signer.key)
    assert.equal(first.size, 3)
    assert.deepEqual(Buffer.from(first.root), Buffer.from(await logTree(log.reader.log).rootAt(3)))
    assert.equal(await file.read(), first.note)
    await log.grow(2)
    assert.equal((await checkpointSigner.covering(5))?.size, 5)
    assert.equal((await checkpointSigner.covering(1))?.size, 5)
    assert.deepEqual(
      kept.map(({ size }) => size),
      [3, 5],
    )
    assert.match(readFileSync(file.path, 'utf8'), /^log\.example\/deputy\n5\n/)
  })

  test('signs only what is confirmed as durable', async (context) => {
    let isConfirmed = true
    const confirm = async (log: LogReader) => {
      if (!isConfirmed) throw new Error('the standby is away')
      return log.head()
    }
    const { log, checkpointSigner, file, troubles } = await aCheckpointSigner(context, { confirm })
    isConfirmed = false
    await log.grow(2)
    await checkpointSigner.close()
    assert.match(String(troubles[0]), /the standby is away/)
    assert.equal(checkpointSigner.published()?.size, 3)
    assert.equal(await file.read(), checkpointSigner.published()?.note)
  })

  test('signs nothing that a standby lacks which takes over before that is confirmed', async (context) => {
    const standby = await aLongLog(context, 3)
    // Its reader stays connected to the old primary, which has more.
    const { checkpointSigner, file } = await aCheckpointSigner(context, {
      leaves: 4,
      confirm: () => standby.reader.log.head(),
    })
    assert.equal(checkpointSigner.published()?.size, 3)
    assert.match((await file.read()) ?? '', /^log\.example\/deputy\n3\n/)
  })

  test("publishes nothing that it couldn't write to the checkpoint file", async (context) => {
    const blocked = join(dirname((await aLongLog(context, 0)).file), 'blocked')
    writeFileSync(blocked, 'a file where a directory should be')
    const { checkpointSigner, kept, troubles } = await aCheckpointSigner(context, {
      path: join(blocked, 'checkpoint'),
    })
    assert.equal(checkpointSigner.published(), undefined)
    assert.equal(kept.length, 0)
    assert.ok(troubles.length > 0)
  })

  test('publishes without waiting for cosignatures, and adds them when they arrive', async (context) => {
    const { log, checkpointSigner, signer } = await aCheckpointSigner(context, { cosign: goodWitness })
    await log.grow(1)
    const covering = await checkpointSigner.covering(4)
    assert.equal(covering?.size, 4)
    while ((checkpointSigner.published()?.note.split('\n— ').length ?? 0) < 3) await new Promise(setImmediate)
    const { witnesses } = await openCheckpoint(checkpointSigner.published()?.note ?? '', signer.key, [
      witness.key,
    ])
    assert.deepEqual(
      witnesses.map(({ key }) => vkeyOf(key)),
      [vkeyOf(witness.key)],
    )
  })

  test('publishes nothing until the quorum of witnesses has cosigned', async (context) => {
    let isThere = false
    const cosign: Cosign = async (checkpoint) => (isThere ? goodWitness(checkpoint) : [])
    const { checkpointSigner, troubles, kept } = await aCheckpointSigner(context, { quorum: 1, cosign })
    assert.equal(checkpointSigner.published(), undefined)
    assert.match(String(troubles[0]), /only 0 of 1 witnesses/)
    isThere = true
    assert.equal((await checkpointSigner.covering(3))?.size, 3)
    assert.equal(kept.length, 1)
  })

  test('reports a missed quorum when it begins, when it changes and every five minutes', async (context) => {
    const clock = manualClock()
    let rounds = 0
    let cosigned = 0
    const cosign: Cosign = async () => {
      rounds += 1
      return Array.from({ length: cosigned }, () => 'a cosignature')
    }
    const { checkpointSigner, troubles } = await aCheckpointSigner(context, { quorum: 2, cosign, clock })
    const nextRound = async () => {
      const before = rounds
      await eventually('a round', () => {
        checkpointSigner.look() // joins the previous round if that is still running
        return rounds > before
      })
    }
    for (let second = 0; second < 10; second++) {
      clock.advance(1_000)
      await nextRound()
    }
    assert.equal(troubles.length, 1)
    cosigned = 1
    await nextRound()
    await eventually('the change', () => troubles.length === 2)
    assert.match(String(troubles[1]), /only 1 of 2 witnesses/)
    clock.advance(300_000)
    await nextRound()
    await eventually('the reminder', () => troubles.length === 3)
  })

  test('signs the rest of the log before it closes', async (context) => {
    const { log, checkpointSigner, file } = await aCheckpointSigner(context)
    await log.grow(4)
    await checkpointSigner.close()
    assert.match((await file.read()) ?? '', /^log\.example\/deputy\n7\n/)
  })

  test('asks for its turn only when a checkpoint is due', async (context) => {
    const turns: string[] = []
    const peers: Peers = {
      takeTurn(work) {
        turns.push('taken')
        return work()
      },
      awaitTurn(work) {
        turns.push('awaited')
        return work()
      },
      notify() {},
      onRolledBack: (cause) => assert.fail(cause),
    }
    const { log, checkpointSigner, kept } = await aCheckpointSigner(context, {
      peers,
      interval_ms: 3_600_000,
    })
    await log.grow(4)
    checkpointSigner.look()
    await new Promise(setImmediate) // a round that reads an embedded store has ended by then
    await checkpointSigner.close()
    assert.deepEqual(turns, ['taken', 'awaited'])
    assert.deepEqual(
      kept.map(({ size }) => size),
      [3, 7],
    )
  })

  test('takes its turn in time even if the time of day stands still', async (context) => {
    const peers: Peers = {
      takeTurn: (work) => work(),
      awaitTurn: (work) => work(),
      notify() {},
      onRolledBack: (cause) => assert.fail(cause),
    }
    const { log, checkpointSigner } = await aCheckpointSigner(context, {
      peers,
      clock: () => 0,
      interval_ms: 50,
    })
    await log.grow(4)
    assert.equal((await checkpointSigner.covering(7))?.size, 7)
  })

  test('signs the rest even if another node is signing while it closes', async (context) => {
    const peers: Peers = {
      takeTurn: async () => {},
      awaitTurn: (work) => work(),
      notify() {},
      onRolledBack: (cause) => assert.fail(cause),
    }
    const { checkpointSigner, file } = await aCheckpointSigner(context, { peers })
    assert.equal(await file.read(), undefined)
    await checkpointSigner.close()
    assert.match((await file.read()) ?? '', /^log\.example\/deputy\n3\n/)
  })
})

describe('the checkpoint file', () => {
  test('accepts a log that extends the signed checkpoint', async (context) => {
    const { log, signer, file } = await aCheckpointSigner(context, { leaves: 300 })
    await log.grow(300)
    await assertExtends(file, signer.key, log.reader.log, logTree(log.reader.log))
  })

  test('refuses a log that is shorter, different, or signed with another key', async (context) => {
    const { signer, file, log } = await aCheckpointSigner(context, { leaves: 300 })
    const shorter = await aLongLog(context, 299)
    const other = await aLongLog(context, 300) // the same leaves with different salts
    const refused = async (reader: typeof log.reader, message: RegExp, key = signer.key) =>
      assert.rejects(assertExtends(file, key, reader.log, logTree(reader.log)), (error) => {
        assert.ok(error instanceof RolledBackError)
        assert.match(error.message, message)
        return true
      })
    await refused(shorter.reader, /holds 299 log entries, .* over 300 was signed/)
    await refused(other.reader, /do not match the checkpoint/)
    await refused(log.reader, /is not a checkpoint of this log/, aSigner('log.example/deputy', 1).key)
    await refused(log.reader, /not of log\.example\/other/, aSigner('log.example/other', 1).key)
    writeFileSync(file.path, 'not a signed note')
    await refused(log.reader, /is not a checkpoint of this log/)
  })

  test('contains a whole note after each write, even if nodes share a directory', async (context) => {
    const { file } = await aCheckpointSigner(context)
    const nodes = ['one', 'other'].map((name) => ({
      note: `${name} `.repeat(1_000),
      file: openCheckpointFile(file.path),
    }))
    for (let round = 0; round < 20; round++) {
      await Promise.all(nodes.map((node) => node.file.write(node.note)))
      const kept = await file.read()
      assert.ok(nodes.some(({ note }) => note === kept))
    }
    assert.deepEqual(
      readdirSync(dirname(file.path)).filter((name) => name.endsWith('.new')),
      [],
    )
  })

  test('removes drafts left by crashes, and nothing else', async (context) => {
    const { file } = await aCheckpointSigner(context)
    const directory = dirname(file.path)
    const draft = (name: string, age_ms: number) => {
      const path = join(directory, name)
      writeFileSync(path, 'half a note')
      const written = new Date(Date.now() - age_ms)
      utimesSync(path, written, written)
      return name
    }
    const two_hours = 2 * 60 * 60_000
    const left = draft(`checkpoint.${'a'.repeat(16)}.new`, two_hours)
    const unremovable = `checkpoint.${'d'.repeat(16)}.new`
    mkdirSync(join(directory, unremovable))
    utimesSync(join(directory, unremovable), 0, 0)
    const kept = [
      unremovable,
      draft(`checkpoint.${'b'.repeat(16)}.new`, 0),
      draft('checkpoint.new', two_hours),
      draft(`other.${'c'.repeat(16)}.new`, two_hours),
    ]
    await openCheckpointFile(file.path).assertWritable()
    const names = readdirSync(directory)
    assert.equal(names.includes(left), false)
    assert.deepEqual(names.filter((name) => name.endsWith('.new')).sort(), kept.sort())
  })

  test('accepts a deployment that has signed nothing yet', async (context) => {
    const { log, signer } = await aCheckpointSigner(context)
    const nowhere = openCheckpointFile(join(dirname(log.file), 'nowhere', 'checkpoint'))
    await assertExtends(nowhere, signer.key, log.reader.log, logTree(log.reader.log))
    mkdirSync(dirname(nowhere.path))
    await nowhere.write('a note\n')
    assert.equal(await nowhere.read(), 'a note\n')
  })
})
