import assert from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import { eventually } from '@deputize/testing/eventually.ts'
import { runBatch } from '../../src/clerk/run-batch.ts'
import type { WriteStore } from '../../src/store/port/write-store.ts'
import { openConnection } from '../../src/store/postgres/connect.ts'
import { signingLock } from '../../src/store/postgres/signing-lock.ts'
import { aPostgres, look } from '../contract/a-postgres.ts'
import { aPostgresWriter } from './a-postgres-writer.ts'

const postgres = await aPostgres({ after })
const LOCKED = `SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

async function twoWriters(context: TestContext) {
  const url = await postgres.database()
  const open = (writer_id: string) => aPostgresWriter(context, url, writer_id)
  const nodes: readonly WriteStore[] = [await open('first'), await open('second')]
  const before = await batches(url) // the first start counts as one
  return { url, nodes, written: async () => (await batches(url)) - before }
}

/** A batch that changes only the head. */
async function write(node: WriteStore | undefined): Promise<void> {
  assert.ok(node)
  const { replies } = await runBatch(node, [{ kind: 'probe' }], (cause) => assert.fail(String(cause)))
  assert.ok(replies.every((reply) => 'outcome' in reply))
}

async function batches(url: string): Promise<number> {
  return Number((await look(url, 'SELECT batch FROM log_head'))[0]?.batch)
}

async function isLocked(url: string): Promise<boolean> {
  return (await look(url, LOCKED)).length > 0
}

describe('nodes that write at the same time', () => {
  test('take turns, and release the turn when they have nothing to write', async (context) => {
    const { url, nodes, written } = await twoWriters(context)
    let wasLocked = false
    for (let round = 0; round < 6; round++) {
      for (const node of nodes) await write(node)
      wasLocked ||= await isLocked(url)
    }
    assert.equal(await written(), 12)
    assert.ok(wasLocked)
    await eventually('the turn is given back', async () => !(await isLocked(url)))
  })

  test('lose no batch when all write as fast as they can', async (context) => {
    const { nodes, written } = await twoWriters(context)
    await Promise.all(
      nodes.map(async (node) => {
        for (let round = 0; round < 100; round++) await write(node)
      }),
    )
    assert.equal(await written(), 200)
  })

  test('continue without the turn when its holder hangs', async (context) => {
    const { url, nodes } = await twoWriters(context)
    let lock: unknown
    while (lock === undefined) {
      for (const node of nodes) await write(node)
      lock = (await look(url, LOCKED))[0]?.objid
    }
    const hanging = await openConnection(url, 'hanging', () => {})
    context.after(() => hanging.end())
    await hanging.query('SELECT pg_advisory_lock($1)', [lock])
    const timed = async () => {
      const before = Number(await batches(url))
      const started = performance.now()
      for (let round = 0; round < 10; round++) for (const node of nodes) await write(node)
      assert.equal(await batches(url), before + 20)
      return performance.now() - started
    }
    // Twenty waits would take five seconds in every attempt. A pause of the machine spoils only one of them.
    let attempts = 0
    while ((await timed()) >= 5_000) {
      attempts += 1
      assert.ok(attempts < 5, 'each node waits in vain once, not before each batch')
    }
  })
})

describe('nodes that sign the same log', () => {
  test('skip a turn that another node has, but wait for it when they close', async (context) => {
    const url = await postgres.database()
    const [first, second] = [signingLock(url), signingLock(url)]
    context.after(() => Promise.all([first.close(), second.close()]))
    const done: string[] = []
    const gate = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const signing = first.take(async () => {
      started.resolve()
      await gate.promise
      done.push('first')
    })
    await started.promise
    await second.take(async () => void done.push('skipped'))
    const closing = second.await(async () => void done.push('second'))
    gate.resolve()
    await Promise.all([signing, closing])
    assert.deepEqual(done, ['first', 'second'])
  })
})
