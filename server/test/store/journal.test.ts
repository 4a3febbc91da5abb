import assert from 'node:assert/strict'
import fs, { copyFileSync, existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { writeEmptyStore } from '@deputize/testing/empty-store.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import fc from 'fast-check'
import { BatchState } from '../../src/clerk/batch-state.ts'
import { judge, needsOf } from '../../src/clerk/judge.ts'
import { runBatch } from '../../src/clerk/run-batch.ts'
import { startWritingThread } from '../../src/clerk/thread.ts'
import { STATE_COLUMNS, type StateRow } from '../../src/store/rows/tokens.ts'
import {
  type EncodedFrame,
  FrameEncoder,
  type FrameValue,
  type JournalFrame,
  readFrames,
  sealFrame,
} from '../../src/store/sqlite/journal/frame.ts'
import { framesBeside } from '../../src/store/sqlite/journal/journal-files.ts'
import { RecordedStatements } from '../../src/store/sqlite/journal/recorded-statements.ts'
import { sqliteReadStore } from '../../src/store/sqlite/read/read-store.ts'
import { tokenReader } from '../../src/store/sqlite/read/tokens.ts'
import { sqliteTables } from '../../src/store/sqlite/store-tables.ts'
import { TokenStates } from '../../src/store/sqlite/write/token-states.ts'
import {
  type SqliteOptions,
  type SqliteWriteStore,
  sqliteWriteStore,
} from '../../src/store/sqlite/write/write-store.ts'
import { anAuthorization } from '../an-authorization.ts'
import { rootClaims } from '../root-claims.ts'
import { issued } from '../simulation/wishes.ts'

const TOKEN = 'vat_root_journal'
const NOW_MS = Date.UTC(2026, 0, 1)
const OPTIONS = {
  instance: 'test',
  vault_key: new Uint8Array(32).fill(7),
  clock: () => NOW_MS,
  defers_sums: true,
}
const USE = new Uint8Array(8).fill(1)

describe('frames of the journal', () => {
  const values = fc.array(
    fc.oneof(
      fc.constant(null),
      fc.integer(),
      fc.double({ noNaN: true }),
      fc.string({ unit: 'binary' }),
      fc.uint8Array({ maxLength: 300 }),
    ),
    { maxLength: 30 },
  )
  const statements = fc.array(fc.tuple(fc.nat(5), values), { minLength: 1, maxLength: 8 })

  test('return every statement and value up to the first wrong byte', () => {
    fc.assert(
      fc.property(fc.array(statements, { minLength: 1, maxLength: 4 }), fc.nat(), (batches, place) => {
        const encoder = new FrameEncoder()
        const ends: number[] = []
        const parts: Buffer[] = []
        let checksum = 0
        for (const [index, batch] of batches.entries()) {
          for (const [number, given] of batch) encoder.add(encoder.numberOf(`statement ${number}`), given)
          const frame = taken(encoder, index + 1)
          checksum = sealFrame(frame, USE, checksum)
          parts.push(frame.bytes)
          ends.push((ends.at(-1) ?? 0) + frame.bytes.length)
        }
        const file = Buffer.concat(parts)
        const expected = batches.map((batch, index) => ({
          number: index + 1,
          statements: batch.map(([number, given]) => ({ sql: `statement ${number}`, values: given })),
        }))
        assert.deepEqual(readFrames(file), expected)

        const cut = place % (file.length + 1)
        const whole = ends.filter((end) => end <= cut).length
        assert.deepEqual(readFrames(file.subarray(0, cut)), expected.slice(0, whole))
        if (cut === file.length) return
        const changed = Buffer.from(file)
        changed[cut] = (changed[cut] ?? 0) ^ 0x10
        assert.deepEqual(readFrames(changed), expected.slice(0, whole))
      }),
      { numRuns: 300 },
    )
  })

  test('left over from an earlier use of the file do not continue a later one', () => {
    const encoder = new FrameEncoder()
    const write = (number: number, value: FrameValue): EncodedFrame => {
      encoder.forgetTexts()
      encoder.add(encoder.numberOf('same'), [value])
      return taken(encoder, number)
    }
    const [first, second, instead] = [write(1, 'a'), write(2, 'b'), write(1, 'c')]
    const before = sealFrame(first, USE, 0)
    sealFrame(second, USE, before)
    sealFrame(instead, USE, 0)
    assert.equal(first.bytes.length, instead.bytes.length)
    assert.equal(readFrames(Buffer.concat([first.bytes, second.bytes])).length, 2)
    assert.equal(readFrames(Buffer.concat([instead.bytes, second.bytes])).length, 1)
  })
})

function taken(encoder: FrameEncoder, number: number): EncodedFrame {
  const frame = encoder.take(number)
  assert.ok(frame !== undefined)
  return frame
}

describe('a store with a journal', () => {
  test('shows batches once they are published, and all of them after a crash', async (t) => {
    const { directory, file, store } = await aStore(t)
    await record(store, 'one')
    assert.equal(leavesIn(file), 1)
    assert.ok(store.isHidden())
    const crashed = copyOf(t, directory)
    await store.publish()
    assert.ok(!store.isHidden())
    assert.equal(leavesIn(file), 2)

    const tables = sqliteTables(crashed) // as deputy check opens it
    await tables.close()
    assert.equal(leavesIn(crashed), 2)
    assert.deepEqual(journalsIn(join(crashed, '..')), [])
    await store.close()
    assert.deepEqual(journalsIn(directory), [])
  })

  test('runs the next batch while one is synced, and answers none too early', async (t) => {
    const { file, store } = await aStore(t, { quick_sync_ms: 0 })
    const answered: string[] = []
    const batches = ['a', 'b', 'a'].map((suffix) => record(store, suffix).then(() => answered.push(suffix)))
    assert.ok(store.room() !== undefined, 'no third batch begins while two are synced')
    assert.equal(leavesIn(file), 1)
    await Promise.all(batches)
    assert.deepEqual(answered, ['a', 'b', 'a'])
    await store.publish()
    assert.equal(leavesIn(file), 3) // the third repeated the first
    await store.close()
  })

  test('syncs one batch at a time, and refuses all in flight if that fails', async (t) => {
    const { file, store } = await aStore(t, { quick_sync_ms: 0 })
    const syncs: ((error: Error | null) => void)[] = []
    t.mock.method(fs, 'fdatasync', (_: number, onEnd: (error: Error | null) => void) => {
      syncs.push(onEnd)
    })
    syncBuiltinESMExports()
    const batches = Promise.allSettled([record(store, 'one'), record(store, 'two')])
    const shown = store.publish()
    assert.equal(syncs.length, 1, 'of two at once, one could be told of the failure of the other')
    syncs.shift()?.(new Error('the disk is broken'))
    assert.deepEqual(
      (await batches).map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    await shown
    assert.equal(syncs.length, 0)
    const again = record(store, 'two')
    syncs.shift()?.(null)
    await again
    await store.publish()
    assert.equal(leavesIn(file), 2)
    t.mock.restoreAll()
    syncBuiltinESMExports()
    await store.close()
  })

  test('shows a suspended token at once, whichever call suspended it', async (t) => {
    const { file, store } = await aStore(t)
    const opened = anAuthorization({ suffix: 'one', vat_jti: TOKEN, spend_micro_usd: 1 })
    await executed(store, { kind: 'authorize', ...opened, pending_ttl_ms: 60_000, dry_run: false })
    assert.ok(store.isHidden())
    await executed(store, {
      kind: 'complete',
      aar_id: 'aar_one',
      result: 'success',
      result_hash: undefined,
      spend_micro_usd: 4, // more than was authorized
      metadata: undefined,
      completion: 'digest',
      evidence: 'self_reported',
    })
    assert.ok(!store.isHidden())
    const reader = sqliteReadStore(file, OPTIONS.vault_key)
    t.after(() => reader.close())
    assert.notEqual((await reader.standing.chain(TOKEN))?.[0].state.suspended_at_ms, undefined)
    await store.close()
  })

  test('waits for a disk that syncs quickly, and refuses the batch if that fails', async (t) => {
    const { file, store } = await aStore(t, { quick_sync_ms: Number.POSITIVE_INFINITY })
    t.mock.method(fs, 'fdatasyncSync', () => {
      throw new Error('the disk is broken')
    })
    syncBuiltinESMExports()
    await assert.rejects(record(store, 'one'), /could not be synced/)
    t.mock.restoreAll()
    syncBuiltinESMExports()
    assert.ok(!store.isHidden())
    const batches = [record(store, 'one'), record(store, 'two')]
    assert.equal(store.room(), undefined, 'both are on disk')
    await Promise.all(batches)
    await store.publish()
    assert.equal(leavesIn(file), 3)
    await store.close()
  })

  test('leaves syncs to another thread once the disk is slow, and waits again once it is fast', async (t) => {
    const { store } = await aStore(t, { quick_sync_ms: 1 })
    let now_ms = 0
    let took_ms = 0.1
    t.mock.method(performance, 'now', () => now_ms)
    t.mock.method(fs, 'fdatasyncSync', () => {
      now_ms += took_ms
    })
    t.mock.method(fs, 'fdatasync', (_: number, onEnd: (error: Error | null) => void) => {
      setImmediate(() => {
        now_ms += took_ms
        onEnd(null)
      })
    })
    syncBuiltinESMExports()
    let batches = 0
    const isWaitedFor = async () => {
      const pair = [record(store, `a${batches}`), record(store, `b${batches}`)]
      const isOnDisk = store.room() === undefined
      await Promise.all(pair)
      batches += 1
      return isOnDisk
    }
    for (let times = 0; times < 20; times++) await isWaitedFor() // however long earlier syncs took
    assert.ok(await isWaitedFor())
    took_ms = 5
    assert.ok(await isWaitedFor(), 'one slow sync says little about the next')
    while (await isWaitedFor());
    assert.ok(batches < 30)
    took_ms = 0.1
    while (!(await isWaitedFor()));
    assert.ok(batches < 60)
    t.mock.restoreAll()
    syncBuiltinESMExports()
    await store.close()
  })

  test('leaves its journal to the next start if the store may not be on disk', async (t) => {
    const { directory, file, store } = await aStore(t, { journal_file_bytes: 1, quick_sync_ms: 0 })
    await record(store, 'one')
    t.mock.method(fs, 'fdatasync', (_: number, onEnd: (error: Error | null) => void) =>
      onEnd(new Error('the disk is broken')),
    )
    syncBuiltinESMExports()
    await store.publish() // this would sync the write-ahead log
    t.mock.restoreAll()
    syncBuiltinESMExports()
    const reader = new DatabaseSync(file, { readOnly: true })
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM leaves').get() // so that not all pages can be moved out of the log
    await store.close()
    assert.equal(journalsIn(directory).length, 2)
    reader.close()
    await sqliteWriteStore({ ...OPTIONS, file, onPublished() {} }).close()
    assert.deepEqual(journalsIn(directory), [])
    assert.equal(leavesIn(file), 2)
  })

  test('keeps the whole frames of a journal torn anywhere, and continues after them', async (t) => {
    const { directory, store } = await aStore(t)
    const sizes: number[] = []
    for (const suffix of ['one', 'two', 'three']) {
      await record(store, suffix)
      sizes.push(endOf(directory))
    }
    const end = endOf(directory)
    for (let cut = 0; cut <= end; cut += 1 + Math.floor(end / 60)) {
      const crashed = copyOf(t, directory)
      truncateSync(`${crashed}.journal-0`, cut)
      const again = sqliteWriteStore({ ...OPTIONS, file: crashed, onPublished() {} })
      const kept = sizes.filter((size) => size <= cut).length
      assert.equal(leavesIn(crashed), 1 + kept, `cut at ${cut} of ${end}`)
      await record(again, 'three')
      await again.close()
      assert.equal(leavesIn(crashed), 1 + kept + (kept === 3 ? 0 : 1))
    }
    await store.close()
  })

  test('is refused if its journal begins later than it ends', async (t) => {
    const { directory, store } = await aStore(t)
    const older = copyOf(t, directory)
    await record(store, 'one')
    await store.publish()
    await record(store, 'two')
    const newer = copyOf(t, directory)
    copyFileSync(older, newer) // an older store next to the journal
    copyFileSync(`${older}-wal`, `${newer}-wal`)
    writeFileSync(`${newer}.journal-0`, lastFrameOf(`${newer}.journal-0`))
    assert.throws(() => sqliteWriteStore({ ...OPTIONS, file: newer }), /mixes files from different times/)
    await store.close()
  })

  test('is refused if the entries of its journal do not add up', async (t) => {
    const { directory, store } = await aStore(t)
    await record(store, 'one')
    const crashed = copyOf(t, directory)
    const forged = lastFrameOf(`${crashed}.journal-0`, (text) => text.replace('"read"', '"pay"'))
    writeFileSync(`${crashed}.journal-0`, forged)
    assert.throws(() => sqliteWriteStore({ ...OPTIONS, file: crashed }), /do not add up/)
    await store.close()
  })

  test('writes the state of a token once for all batches that share a transaction', async (t) => {
    const { directory, file, store } = await aStore(t)
    const actions = (of: string) => rowsIn(of, 'SELECT actions FROM token_states').map((row) => row.actions)
    for (const suffix of ['one', 'two', 'three']) await record(store, suffix)
    const crashed = copyOf(t, directory)
    assert.deepEqual(actions(file), [])
    await store.publish()
    assert.deepEqual(actions(file), [3])
    await record(store, 'four')
    await store.close()
    assert.deepEqual(actions(file), [4])
    await sqliteWriteStore({ ...OPTIONS, file: crashed, onPublished() {} }).close()
    assert.deepEqual(actions(crashed), [3])
  })

  test('reads the state of a token that its table lacks', async (t) => {
    const { file, store } = await aStore(t)
    await record(store, 'one')
    await store.close()
    const db = new DatabaseSync(file)
    t.after(() => db.close())
    const recorded = new RecordedStatements(db, new FrameEncoder())
    const states = new TokenStates(db)
    const tokens = tokenReader(db, undefined, states)
    const counted = () => tokens.chain(TOKEN)?.[0].state.actions
    recorded.record()
    const [stored] = rowsIn(file, `SELECT ${STATE_COLUMNS.join(', ')} FROM token_states`)
    states.setByCommit({ ...(stored as unknown as StateRow), actions: 7 })
    assert.equal(counted(), 7)
    tokens.forgetStates()
    states.forget()
    assert.equal(counted(), 1)
  })

  for (const quick_sync_ms of [0, Number.POSITIVE_INFINITY])
    test(`undoes a batch with a refused row, even after a crash (quick syncs: ${quick_sync_ms} ms)`, async (t) => {
      const { directory, file, store } = await aStore(t, { quick_sync_ms })
      await record(store, 'one')
      const { writeSync } = fs
      t.mock.method(fs, 'writeSync', (...[file, bytes, from, length, at]: PlacedWrite) => {
        if (length === 4) throw new Error('the disk is broken') // so that the frame stays in the journal
        return writeSync(file, bytes, from, length, at)
      })
      syncBuiltinESMExports()
      assert.throws(() => recordTwice(store, 'one'), { name: 'StoreError', outcome: 'rows_refused' })
      t.mock.restoreAll()
      syncBuiltinESMExports()
      const crashed = copyOf(t, directory)
      assert.equal(readFrames(readFileSync(`${crashed}.journal-0`)).length, 3, 'its frame is in the journal')
      await record(store, 'two')
      await store.publish()
      assert.deepEqual(recordsIn(file), ['aar_one', 'aar_two'])
      await store.close()

      const left_out: Error[] = []
      const onLeftOut = (refusal: Error) => left_out.push(refusal)
      const again = sqliteWriteStore({ ...OPTIONS, file: crashed, onPublished() {}, onLeftOut })
      assert.match(left_out.map(({ message }) => message).join('; '), /^UNIQUE constraint failed: [^;]+$/)
      assert.deepEqual(recordsIn(crashed), ['aar_one'])
      await record(again, 'three')
      await again.close()
      assert.deepEqual(recordsIn(crashed), ['aar_one', 'aar_three'])
    })

  test('leaves nothing of an undone batch in its journal', async (t) => {
    const { directory, store } = await aStore(t)
    await record(store, 'one')
    const before = framesBeside(join(directory, 'deputy.db'))
    assert.throws(() => recordTwice(store, 'one'), /could not be written/)
    assert.deepEqual(framesBeside(join(directory, 'deputy.db')), before)
    await store.close()
  })

  test('continues in the second file with a frame that was undone in the first', (t) => {
    const file = join(temporaryDirectory(t), 'deputy.db')
    const statements = [{ sql: 'same', values: [] }]
    const [one, old, two, three] = [1, 2, 2, 3].map((number) => ({ number, statements }))
    writeFileSync(`${file}.journal-1`, journalOf([one, old]))
    writeFileSync(`${file}.journal-0`, journalOf([two, three]))
    assert.deepEqual(
      framesBeside(file).map(({ number }) => number),
      [1, 2, 3],
    )
  })

  test('is refused if the store cannot hold a row of a frame before the last', async (t) => {
    const { directory, store } = await aStore(t)
    await record(store, 'one')
    const crashed = copyOf(t, directory)
    const journal = `${crashed}.journal-0`
    const frames = readFrames(readFileSync(journal))
    const last = frames.at(-1) ?? assert.fail()
    const again = { ...last, number: last.number + 1 } // the same rows
    const more = { ...last, number: last.number + 2 }
    writeFileSync(journal, journalOf([...frames, again, more]))
    assert.throws(() => sqliteWriteStore({ ...OPTIONS, file: crashed }), /UNIQUE constraint/)
    await store.close()
  })

  test('is opened without a last frame that the store refuses, and reports that once', async (t) => {
    const { directory, store } = await aStore(t)
    await record(store, 'one')
    const crashed = copyOf(t, directory)
    await store.close()
    const frames = readFrames(readFileSync(`${crashed}.journal-0`))
    const last = frames.at(-1) ?? assert.fail()
    writeFileSync(`${crashed}.journal-0`, journalOf([...frames, { ...last, number: last.number + 1 }]))
    const told: string[] = []
    const { instance, vault_key } = OPTIONS
    const data = {
      store: 'sqlite',
      file: crashed,
      reserve_file: `${crashed}.reserve`,
      instance,
      vault_key,
    } as const
    const opened = () =>
      startWritingThread(data, OPTIONS.clock, {
        onBug: assert.fail,
        onDeath: assert.fail,
        onTrouble: (cause, what) => told.push(`${what} (${cause})`),
      })
    await (await opened()).close()
    assert.match(
      told.join('\n'),
      /^the last batch in the journal was left out .*UNIQUE constraint failed: .*$/,
    )
    await (await opened()).close()
    assert.equal(told.length, 1)
    assert.deepEqual(recordsIn(crashed), ['aar_one'])
  })

  test('clears the journal when a person is erased', async (t) => {
    const { directory, store } = await aStore(t)
    await record(store, 'one')
    assert.ok(endOf(directory) > 0)
    await executed(store, { kind: 'erase_human', human_ref: rootClaims(TOKEN, 's1', 0).svc_human_ref })
    assert.ok(journalsIn(directory).every((name) => readFileSync(join(directory, name)).length === 0))
    await store.close()
  })
})

type PlacedWrite = [file: number, bytes: Uint8Array, from: number, length: number, at: number]

async function aStore(
  t: TestContext,
  options: Pick<SqliteOptions, 'journal_file_bytes' | 'quick_sync_ms'> = {},
) {
  const directory = temporaryDirectory(t)
  const file = join(directory, 'deputy.db')
  writeEmptyStore(file)
  const store = sqliteWriteStore({ ...OPTIONS, ...options, file, onPublished() {} })
  await executed(store, issued(TOKEN, 1, 0, NOW_MS))
  await store.publish()
  return { directory, file, store }
}

function record(store: SqliteWriteStore, suffix: string): Promise<void> {
  const replay = { key: suffix, fingerprint: suffix }
  return executed(store, {
    kind: 'record_action',
    result: 'success',
    result_hash: undefined,
    ...anAuthorization({ suffix, vat_jti: TOKEN, spend_micro_usd: 0 }),
    replay,
  })
}

/** Records an action under the ID of another one, which no judge would do. */
function recordTwice(store: SqliteWriteStore, suffix: string): unknown {
  const command = {
    kind: 'record_action',
    result: 'success',
    result_hash: undefined,
    ...anAuthorization({ suffix: 'unlike', vat_jti: TOKEN, spend_micro_usd: 0 }),
  } as const
  return store.transact(needsOf([command]), (facts) => {
    const batch = new BatchState(facts)
    judge(command, batch)
    for (const created of batch.changes.created) Object.assign(created, { aar_id: `aar_${suffix}` })
    return { changes: batch.changes, result: undefined }
  })
}

async function executed(store: SqliteWriteStore, command: Parameters<typeof runBatch>[1][number]) {
  const { replies } = await runBatch(store, [command], (cause) => assert.fail(String(cause)))
  assert.ok(
    replies.every((reply) => 'outcome' in reply),
    JSON.stringify(replies),
  )
}

/** Copies the files as a crash would leave them. */
function copyOf(t: TestContext, directory: string): string {
  const copy = temporaryDirectory(t)
  for (const name of readdirSync(directory))
    if (!name.endsWith('-shm')) copyFileSync(join(directory, name), join(copy, name))
  return join(copy, 'deputy.db')
}

function journalsIn(directory: string): string[] {
  return readdirSync(directory).filter((name) => name.includes('.journal-'))
}

function endOf(directory: string): number {
  return readFileSync(join(directory, 'deputy.db.journal-0')).length
}

/** A journal file with these frames. */
function journalOf(frames: readonly (JournalFrame | undefined)[]): Buffer {
  const encoder = new FrameEncoder()
  let checksum = 0
  return Buffer.concat(
    frames.map((given) => {
      const { number, statements } = given ?? assert.fail()
      for (const { sql, values } of statements) encoder.add(encoder.numberOf(sql), values)
      const frame = taken(encoder, number)
      checksum = sealFrame(frame, USE, checksum)
      return frame.bytes
    }),
  )
}

/** A journal with only the last frame of another one, whose texts are edited. */
function lastFrameOf(path: string, edit = (text: string) => text): Buffer {
  const encoder = new FrameEncoder()
  const last = readFrames(readFileSync(path)).at(-1)
  assert.ok(last !== undefined)
  for (const { sql, values } of last.statements)
    encoder.add(
      encoder.numberOf(sql),
      values.map((value) => (typeof value === 'string' ? edit(value) : value)),
    )
  const frame = taken(encoder, last.number)
  sealFrame(frame, USE, 0)
  return frame.bytes
}

function leavesIn(file: string): number {
  return rowsIn(file, 'SELECT log_index FROM leaves').length
}

function recordsIn(file: string): unknown[] {
  return rowsIn(file, 'SELECT aar_id FROM records ORDER BY log_index').map(({ aar_id }) => aar_id)
}

function rowsIn(file: string, sql: string) {
  assert.ok(existsSync(file))
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return db.prepare(sql).all()
  } finally {
    db.close()
  }
}
