import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import {
  aLeaf,
  aLog,
  aWitness,
  type Files,
  instant,
  readFrom,
  someLeaves,
  type TestLog,
} from '@deputize/testing/log/a-log.ts'
import { aWorkflowLog, WORKFLOW } from '@deputize/testing/log/a-workflow-log.ts'
import { aTruth, BEFORE, LIES, NOW } from '@deputize/testing/log/lies.ts'
import { serveLog } from '@deputize/testing/log/serve-log.ts'
import fc from 'fast-check'
import { type AuditOptions, auditLog, type Kept } from '../../src/log/audit-log.ts'
import { believeCheckpoint } from '../../src/log/believe-checkpoint.ts'
import { FAULTS, type FaultCode, KeptError, LogFault } from '../../src/log/faults.ts'
import type { ReadFile } from '../../src/log/read-tiles.ts'

function keptOf(log: TestLog): Kept {
  return { note: log.note, frontier: log.frontier, last_at: instant(log.leaves.length - 1) }
}

function audit(log: TestLog, options: Partial<AuditOptions> = {}) {
  return auditLog({ read: readFrom(log.files), log: log.signatory.key, ...options })
}

const isFault = (code: FaultCode) => (error: unknown) => {
  assert.ok(error instanceof LogFault, String(error))
  assert.equal(error.fault, code, error.message)
  assert.ok(error.message.startsWith(FAULTS[code]))
  return true
}

function readOver(url: string): ReadFile {
  return async (path) => {
    const answer = await fetch(`${url}/${path}`)
    return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : undefined
  }
}

describe('a truthful log', async () => {
  const { log, before } = await aTruth()

  test('is sound, and the audit reports its contents', async () => {
    const sound = await audit(log)
    assert.equal(sound.checkpoint.size, NOW)
    assert.equal(sound.entries, NOW)
    assert.equal(sound.newly_seen, NOW)
    assert.deepEqual(sound.counts, { 'action.recorded': NOW })
    assert.deepEqual([sound.first_at, sound.last_at], [instant(0), instant(NOW - 1)])
    assert.deepEqual(sound.frontier, log.frontier)
  })

  test('of every size near a tile boundary is sound, in full and from every earlier size', async () => {
    const leaves = someLeaves(1030)
    const sizes = [0, 1, 2, 255, 256, 257, 511, 512, 513, 1030]
    const logs = await Promise.all(sizes.map((size) => aLog({ leaves: leaves.slice(0, size) })))
    for (const now of logs) {
      assert.equal((await audit(now)).entries, now.leaves.length)
      for (const earlier of logs.filter(({ leaves }) => leaves.length <= now.leaves.length)) {
        const kept =
          earlier.leaves.length === 0 ? { ...keptOf(earlier), last_at: undefined } : keptOf(earlier)
        const fresh = now.leaves.length - earlier.leaves.length
        const quick = await audit(now, { kept, quick: true })
        assert.deepEqual([quick.entries, quick.newly_seen], [fresh, fresh])
        assert.deepEqual(quick.frontier, now.frontier)
        assert.equal((await audit(now, { kept })).newly_seen, fresh)
      }
    }
  })

  test('with a third tile level is sound, in full and from before that level existed', async () => {
    const leaves = Array.from({ length: 66_000 }, (_, index) => aLeaf(index))
    const large = await aLog({ leaves })
    assert.equal((await audit(large)).entries, 66_000)
    for (const size of [65_535, 65_536]) {
      const kept = keptOf(await aLog({ leaves: leaves.slice(0, size) }))
      assert.deepEqual((await audit(large, { kept, quick: true })).frontier, large.frontier)
    }
    const path = 'tile/2/000.p/1'
    const files: Files = new Map([...large.files, [path, Buffer.alloc(32, 7)]])
    await assert.rejects(audit(large, { read: readFrom(files) }), isFault('upper_tile_wrong'))
  })

  test('may delete a partial tile once the full tile exists', async () => {
    const grown = await aLog({ leaves: someLeaves(512) })
    const files: Files = new Map([...grown.files, ['checkpoint', Buffer.from(before.note)]])
    for (const [path, bytes] of before.files) if (path.startsWith('tile/1/')) files.set(path, bytes)
    assert.equal((await audit(before, { read: readFrom(files) })).entries, BEFORE)
  })

  test('is read only from the kept checkpoint on in quick mode', async () => {
    const asked: string[] = []
    const read: ReadFile = async (path) => {
      asked.push(path)
      return log.files.get(path)
    }
    await audit(log, { read, kept: keptOf(before), quick: true })
    assert.ok(!asked.includes('tile/entries/000'))
    assert.ok(asked.includes('tile/entries/001'))
  })

  test('reports the indexes of a workflow', async () => {
    const { log: other, indexes } = await aWorkflowLog()
    assert.deepEqual((await audit(other, { watch: WORKFLOW })).watched, indexes)
  })

  test('reports its progress', async () => {
    const seen: number[] = []
    await audit(log, { onProgress: ({ checked, of }) => seen.push(checked, of) })
    assert.deepEqual(seen, [256, NOW, 512, NOW, NOW, NOW])
  })

  test('extends its own other checkpoints, and no others', async () => {
    const trust = { log: log.signatory.key }
    const anchor = await believeCheckpoint(before.note, trust)
    assert.equal((await audit(log, { anchors: [anchor] })).entries, NOW)
    const fork = await aLog({ leaves: [...before.leaves.slice(1), aLeaf(BEFORE)] })
    const foreign = await believeCheckpoint(fork.note, trust)
    await assert.rejects(audit(log, { anchors: [anchor, foreign] }), isFault('log_rewritten'))
  })

  test('passes errors of the reader through', async () => {
    const read: ReadFile = async (path) => {
      if (path === 'tile/entries/001') throw new TypeError('connection lost')
      return log.files.get(path)
    }
    await assert.rejects(audit(log, { read }), /connection lost/)
  })
})

describe('a lying log', async () => {
  const { log, before } = await aTruth()
  const served = await serveLog({ after }, log.files)

  test('is tested with at least 25 different lies', () => assert.ok(LIES.length >= 25))

  for (const { name, expect, tell } of LIES) {
    test(`that ${name} is found out: ${expect}`, async () => {
      served.files = await tell({ log, before })
      const read = readOver(served.url)
      const kept = keptOf(before)
      await assert.rejects(audit(log, { read, kept }), isFault(expect))
      await assert.rejects(audit(log, { read, kept, quick: true }), isFault(expect))
    })
  }

  test('is reported with both checkpoints when it forks', async () => {
    for (const { tell } of LIES.filter(({ expect }) => /^log_/.test(expect))) {
      const files = await tell({ log, before })
      await assert.rejects(audit(log, { read: readFrom(files), kept: keptOf(before) }), (error) => {
        assert.ok(error instanceof LogFault)
        assert.deepEqual(error.notes, [before.note, Buffer.from(files.get('checkpoint') ?? []).toString()])
        return true
      })
    }
  })

  test('cannot change a single bit of any file unnoticed', async () => {
    const small = await aLog({ size: 300 })
    const paths = [...small.files.keys()].filter((path) => !path.startsWith('.'))
    const bit = fc.constantFrom(...paths).chain((path) => {
      const last = 8 * (small.files.get(path)?.length ?? 1) - 1
      return fc.tuple(fc.constant(path), fc.integer({ min: 0, max: last }))
    })
    await fc.assert(
      fc.asyncProperty(bit, async ([path, at]) => {
        const bytes = new Uint8Array(small.files.get(path) ?? [])
        bytes[at >> 3] = (bytes[at >> 3] ?? 0) ^ (1 << (at & 7))
        const read = readFrom(new Map([...small.files, [path, bytes]]))
        await assert.rejects(audit(small, { read }), LogFault)
      }),
      { numRuns: 300 },
    )
  })
})

describe('witnesses', async () => {
  const [one, two] = [aWitness('witness.example/one', 21), aWitness('witness.example/two', 22)]
  const witnesses = [one.key, two.key]
  const at_s = 1_800_000_000
  const log = await aLog({ size: 10, witnesses: [one], witnessed_at_s: at_s })

  test('must reach the quorum', async () => {
    assert.equal((await audit(log, { witnesses, quorum: 1 })).checkpoint.witnesses.length, 1)
    await assert.rejects(audit(log, { witnesses }), isFault('witnesses_too_few'))
    await assert.rejects(audit(log, { witnesses, quorum: 2 }), isFault('witnesses_too_few'))
  })

  test('are counted once each', async () => {
    const twice = await aLog({ size: 10, witnesses: [one, one] })
    await assert.rejects(audit(twice, { witnesses, quorum: 2 }), isFault('witnesses_too_few'))
  })

  test('invalidate the checkpoint if the signature was made by another one', async () => {
    const impostor = { key: one.key, sign: two.sign }
    const forged = await aLog({ size: 10, witnesses: [impostor] })
    await assert.rejects(audit(forged, { witnesses, quorum: 1 }), isFault('witness_signature_wrong'))
  })

  test('prove the age of the checkpoint', async () => {
    const now_ms = (at_s + 100) * 1000
    const options = { witnesses, quorum: 1 }
    assert.ok(await audit(log, { ...options, fresh: { now_ms, max_age_s: 100 } }))
    await assert.rejects(
      audit(log, { ...options, fresh: { now_ms, max_age_s: 99 } }),
      isFault('checkpoint_stale'),
    )
    assert.ok(await audit(log, { fresh: { now_ms, max_age_s: 1 } }), 'without a witness the age is unknown')
  })
})

describe('kept state', async () => {
  const { log, before } = await aTruth()

  test('is refused when it is inconsistent, without blaming the log', async () => {
    const kept = keptOf(before)
    const other = await aLog({ leaves: [...before.leaves.slice(1), aLeaf(BEFORE)] })
    for (const damaged of [
      { ...kept, frontier: log.frontier },
      { ...kept, frontier: other.frontier },
      { ...kept, note: kept.note.replace('\n400\n', '\n401\n') },
      { ...kept, note: '' },
    ])
      await assert.rejects(audit(log, { kept: damaged }), KeptError)
  })
})
