import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeEmptyStore } from '@deputize/testing/empty-store.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import type { Command } from '../../src/clerk/command.ts'
import { crossingCommands } from '../../src/clerk/crossing.ts'
import { crossingError } from '../../src/clerk/crossing-error.ts'
import { startWritingThread } from '../../src/clerk/thread.ts'
import { StoreError } from '../../src/store/port/store-error.ts'
import type { ReadStore } from '../../src/store/port.ts'
import { settledReader } from '../../src/store/settled-reader.ts'
import type { JournalFilesOptions } from '../../src/store/sqlite/journal/journal-files.ts'
import { sqliteReadStore } from '../../src/store/sqlite/read/read-store.ts'
import { anAuthorization } from '../an-authorization.ts'
import { issued } from '../simulation/wishes.ts'

const TOKEN = 'vat_root_busy'
const VAULT_KEY = new Uint8Array(32)
const NOW_MS = Date.UTC(2026, 0, 1)
const RECORDS = 20
const BATCHES = 1_000
/** More than one commit takes, so that every batch has its own. */
const WEIGHT = 2_000
/** Enough for the thread to always find some waiting. */
const IN_FLIGHT = 40
const MIB = 1024 * 1024

/** A writing thread with an empty store in this directory. */
function aThread(directory: string, options: JournalFilesOptions, onDeath: (cause: Error) => void) {
  const file = join(directory, 'deputy.db')
  writeEmptyStore(file)
  const store = { store: 'sqlite', file, reserve_file: join(directory, 'reserve'), instance: 'test' } as const
  return startWritingThread({ ...store, vault_key: VAULT_KEY, ...options }, () => NOW_MS, {
    onBug: (cause) => assert.fail(cause),
    onDeath,
  })
}

test('the writing thread reuses its journal even if it is never idle', async (t) => {
  const directory = temporaryDirectory(t)
  const options = { quick_sync_ms: Number.POSITIVE_INFINITY, journal_file_bytes: MIB }
  const thread = await aThread(directory, options, (cause) => assert.fail(cause))
  t.after(() => thread.close())
  await thread.execute([issued(TOKEN, 1, 2, NOW_MS)])
  const batches = Array.from({ length: BATCHES }, (_, number) => crossingCommands(records(number)))
  const work = async () => {
    for (let commands = batches.pop(); commands !== undefined; commands = batches.pop())
      await thread.relay({ lane: undefined, weight: WEIGHT, now_ms: NOW_MS, commands })
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, work))
  const journals = readdirSync(directory).filter((name) => name.includes('.journal-'))
  const sizes = journals.map((name) => statSync(join(directory, name)).size)
  t.diagnostic(`${sizes.join(' and ')} bytes`)
  // A file is only left when it is full, and the frame of a commit may be larger.
  assert.ok(Math.max(...sizes) < 5 * MIB, sizes.join(', '))
})

test('a reader that asks the thread for its version caches nothing that has changed since', async (t) => {
  const directory = temporaryDirectory(t)
  const thread = await aThread(directory, {}, (cause) => assert.fail(cause))
  const file = join(directory, 'deputy.db')
  const remembering = settledReader(sqliteReadStore(file, VAULT_KEY, thread.version), thread)
  const asking = settledReader(sqliteReadStore(file, VAULT_KEY), thread)
  t.after(() => Promise.all([remembering.close(), asking.close(), thread.close()]))
  const root = issued(TOKEN, 1, 0, NOW_MS)
  const { svc_provenance_ref } = root.claims
  const answersOf = async ({ agent, workflow, standing }: ReadStore) => ({
    agent: await agent('s1'),
    workflow: await workflow(svc_provenance_ref),
    chain: await standing.chain(TOKEN),
  })
  const before = await answersOf(remembering)
  assert.deepEqual(before, { agent: undefined, workflow: undefined, chain: undefined })
  await thread.execute([root])
  for (let number = 1; number <= 50; number++) {
    await thread.execute(records(number))
    const answers = await answersOf(remembering)
    assert.deepEqual(answers, await answersOf(asking))
    assert.equal(answers.workflow?.total_records, number * RECORDS)
    assert.equal(answers.agent?.tally.total_actions, number * RECORDS)
    assert.deepEqual(await answersOf(remembering), answers)
  }
})

test('a writing thread that has died closes at once, however often it is closed', async (t) => {
  const died = Promise.withResolvers<Error>()
  const exited = new Promise((resolve) => process.once('worker', (worker) => worker.once('exit', resolve)))
  const thread = await aThread(temporaryDirectory(t), {}, died.resolve)
  const now_ms = 1n as unknown as number // the thread can't add to it, and no code there expects that
  await assert.rejects(thread.relay({ lane: undefined, weight: 1, now_ms, commands: '[]' }), TypeError)
  assert.ok((await died.promise) instanceof TypeError)
  await exited
  await thread.close()
  await thread.close()
})

test('a failed batch reports what failed, and where only once', async (t) => {
  const thread = await aThread(temporaryDirectory(t), {}, (cause) => assert.fail(cause))
  t.after(() => thread.close())
  const relayed = thread.relay({ lane: undefined, weight: 1, now_ms: NOW_MS, commands: 'no JSON' })
  const error: unknown = await relayed.catch((cause) => cause)
  assert.ok(error instanceof StoreError)
  assert.match(error.message, /^Unexpected token[^\n]*$/)
  assert.match(error.stack ?? '', /^SyntaxError: Unexpected token[\s\S]*thread-worker/)
  assert.equal(error.stack?.split('SyntaxError').length, 2)
})

test('an error that crosses threads names its causes in its message and its stack', () => {
  const cause = new TypeError('disk I/O error', { cause: 'code 10' })
  const { message, stack } = crossingError(new StoreError('not written', 'unknown', cause))
  assert.equal(message, 'not written: disk I/O error: code 10')
  assert.match(
    stack,
    /^StoreError: not written\n {4}at [\s\S]+\ncaused by TypeError: disk I\/O error\n {4}at /,
  )
  assert.match(stack, /\ncaused by code 10$/)
  assert.deepEqual(crossingError('gone'), { message: 'gone', stack: 'gone' })
  const refused = new AggregateError([new Error('::1 refused'), new Error('127.0.0.1 refused')])
  assert.equal(
    crossingError(new StoreError('not written', 'unknown', refused)).message,
    'not written: ::1 refused, 127.0.0.1 refused',
  )
  assert.equal(crossingError(new TypeError()).message, 'TypeError')
})

function records(batch: number): Command[] {
  return Array.from({ length: RECORDS }, (_, index) => ({
    kind: 'record_action',
    result: 'success',
    result_hash: undefined,
    ...anAuthorization({ suffix: `b${batch}r${index}`, vat_jti: TOKEN }),
  }))
}
