import assert from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import { settledPostgresReader } from '@deputize/testing/test-stores.ts'
import { TEST_VAULT_KEY } from '@deputize/testing/test-vault-key.ts'
import fc from 'fast-check'
import type { Command, Reply } from '../../src/clerk/command.ts'
import { needsOf } from '../../src/clerk/judge.ts'
import { runBatch } from '../../src/clerk/run-batch.ts'
import { openDatabaseSource } from '../../src/store/archive/archive-source.ts'
import type { WriteStore } from '../../src/store/port/write-store.ts'
import { openConnection } from '../../src/store/postgres/connect.ts'
import { KNOWS_DEFERRED_SUMS, shutOutEarlierNodes } from '../../src/store/postgres/earlier-nodes.ts'
import { postgresTables } from '../../src/store/postgres/store-tables.ts'
import { settlingSums } from '../../src/store/postgres/write/deferred-sums.ts'
import type { Row } from '../../src/store/values.ts'
import { aPool, aPostgres, look } from '../contract/a-postgres.ts'
import { issue, outcomeOf, record } from '../contract/store-contract.ts'
import { histories } from '../model/histories.ts'
import { play } from '../model/play.ts'
import { aPostgresWriter } from './a-postgres-writer.ts'

const TABLES = ['agents', 'agent_days', 'counters', 'workflow_tallies']
const HISTORIES = Number(process.env.CONTRACT_HISTORIES ?? 4)
const SETTLE: Command = { kind: 'settle_sums' }

const postgres = await aPostgres({ after })

function raise(cause: unknown): never {
  throw cause
}

async function write(node: WriteStore, ...commands: Command[]): Promise<Reply[]> {
  return (await runBatch(node, commands, raise)).replies
}

async function stop(node: WriteStore, command: Command): Promise<void> {
  await runBatch(node, [command], raise, 'stop')
}

const allRows = (table: string) => `SELECT * FROM ${table} ORDER BY 1, 2, 3, 4, 5`

/** The rows of all sums in the tables. */
async function sumsIn(url: string): Promise<Row[][]> {
  const found: Row[][] = []
  for (const table of TABLES) found.push(await look(url, allRows(table)))
  return found
}

/** The same rows as `deputy check` reads them. */
async function sumsShown(url: string): Promise<unknown> {
  const tables = await postgresTables(url)
  assert.deepEqual(await tables.formFaults(), [])
  const shown: unknown[] = []
  for (const table of TABLES) {
    const rows: unknown[] = []
    for await (const row of tables.rows(allRows(table))) rows.push(row)
    shown.push(rows)
  }
  await tables.close()
  return shown
}

async function deferredRows(url: string): Promise<number> {
  return (await look(url, 'SELECT batch FROM deferred_sums')).length
}

async function recordsOf(url: string): Promise<unknown> {
  const [row] = await look(url, 'SELECT total_actions::int AS records FROM agents')
  return row?.records
}

/** Two nodes that defer sums, and a token. */
async function aPair(context: TestContext) {
  const url = await postgres.database()
  const clock = manualClock()
  const first = await aPostgresWriter(context, url, 'first', { defers_sums: true, clock })
  const second = await aPostgresWriter(context, url, 'second', { defers_sums: true, clock })
  await write(first, issue('a'))
  return { url, first, second }
}

describe('deferred sums on PostgreSQL', () => {
  test('end up equal to sums written at once, even after a crash and a failed batch', async (context) => {
    let left = 0
    await fc.assert(
      fc.asyncProperty(histories(), async (history) => {
        const [late_url, prompt_url] = [await postgres.database(), await postgres.database()]
        const clocks = [manualClock(), manualClock()] as const
        const late = await aPostgresWriter(context, late_url, 'late', { defers_sums: true, clock: clocks[0] })
        const prompt = await aPostgresWriter(context, prompt_url, 'prompt', { clock: clocks[1] })
        await play(history, { store: late, clock: clocks[0], prefix: 'h' })
        await play(history, { store: prompt, clock: clocks[1], prefix: 'h' })
        const wanted = await sumsIn(prompt_url)
        left += await deferredRows(late_url)
        assert.deepEqual(await sumsShown(late_url), wanted)
        assert.deepEqual(await sumsShown(`${late_url}?options=-c%20search_path%3Dpublic,pg_temp`), wanted)

        const failing = () => {
          throw new RangeError('a rule failed')
        }
        await assert.rejects(async () => late.transact(needsOf([]), failing), RangeError)
        const next = await aPostgresWriter(context, late_url, 'next', { defers_sums: true, clock: clocks[0] })
        await write(next, SETTLE)
        assert.equal(await deferredRows(late_url), 0)
        assert.deepEqual(await sumsIn(late_url), wanted)
        await write(late, SETTLE)
        assert.deepEqual(await sumsIn(late_url), wanted)
        for (const node of [late, prompt, next]) await node.close()
      }),
      { numRuns: HISTORIES },
    )
    assert.ok(left > 0, 'nothing was put off')
  })

  test('decide about the next action although they are not in their tables', async (context) => {
    const { url, first } = await aPair(context)
    const strict = issue('strict')
    const claims = { ...strict.claims, svc_constraints: { min_reputation: 0.3 } }
    await write(first, { ...strict, claims })
    const reasons = async (suffix: string) =>
      outcomeOf((await write(first, record('strict', suffix)))[0]).reasons
    assert.deepEqual(await reasons('before'), ['reputation_too_low'])
    const observed = Array.from({ length: 30 }, (_, n) => record('a', `o${n}`, { evidence: 'observed' }))
    await write(first, ...observed)
    assert.equal(await recordsOf(url), 0)
    assert.equal(await reasons('after'), undefined)
  })

  test('are known to a node after batches of another one, whether it settled them or not', async (context) => {
    const { url, first, second } = await aPair(context)
    await write(first, record('a', 'r1'))
    await write(first, record('a', 'r2'))
    await stop(second, record('a', 'r3')) // also defers its own
    assert.equal(await recordsOf(url), 0)
    await write(first, record('a', 'r4')) // the other node has written, so all are added to their tables
    assert.deepEqual([await recordsOf(url), await deferredRows(url)], [4, 0])
    await write(first, record('a', 'r5'))
    await write(second, SETTLE)
    assert.equal(await recordsOf(url), 5)
    assert.ok('refusal' in ((await write(first, record('none', 'x')))[0] ?? {})) // writes nothing, but sees the other's batch
    await write(first, record('a', 'r6'))
    await write(first, SETTLE)
    assert.equal(await recordsOf(url), 6)
    assert.equal(await deferredRows(url), 0)
  })

  test('are written after a few seconds, but never by a stop', async (context) => {
    const url = await postgres.database()
    const clock = manualClock()
    const node = await aPostgresWriter(context, url, 'node', { defers_sums: true, clock })
    await write(node, issue('a'))
    await write(node, record('a', 'r1'))
    clock.advance(10_000)
    await stop(node, { kind: 'revoke', vat_jti: 'vat_root_a', reason: undefined })
    assert.equal(await recordsOf(url), 0)
    await write(node, issue('b'))
    assert.equal(await recordsOf(url), 1)
  })

  test('are settled before a read shows them, only once for many reads', async (context) => {
    const { url, first } = await aPair(context)
    const pool = aPool(url)
    const reader = settledPostgresReader(pool, TEST_VAULT_KEY, first)
    context.after(() => reader.close())
    for (let number = 1; number <= 5; number += 1) {
      await write(first, record('a', `r${number}`))
      const shown = await Promise.all(Array.from({ length: 8 }, () => reader.workflow('prov_a')))
      assert.deepEqual(new Set(shown.map((counters) => counters?.total_records)), new Set([number]))
    }

    let settled = 0
    const settling = settlingSums(pool, async () => {
      settled += 1
      return true
    })
    await write(first, record('a', 'r6'))
    await Promise.all(Array.from({ length: 50 }, () => settling.settle()))
    assert.equal(settled, 1)
    await write(first, record('a', 'r7'))
    await settling.settle()
    assert.equal(settled, 2)
  })

  test('that are damaged block every write except stops, with a reason', async (context) => {
    const { url, first } = await aPair(context)
    await write(first, record('a', 'r1'))
    await look(url, `UPDATE deferred_sums SET sums = sums || 'x'`)
    const second = await aPostgresWriter(context, url, 'third', { defers_sums: true, clock: manualClock() })
    await assert.rejects(write(second, record('a', 'r2')), {
      name: 'StoreError',
      detail: 'The counters of the last seconds are damaged in the database. Run `deputy check`.',
    })
    await stop(second, { kind: 'revoke', vat_jti: 'vat_root_a', reason: undefined })
    assert.deepEqual(await look(url, 'SELECT revoked_at_ms IS NOT NULL AS is_revoked FROM token_states'), [
      { is_revoked: true },
    ])
    const tables = await postgresTables(url)
    const [fault] = await tables.formFaults()
    await tables.close()
    assert.match(fault?.sentence ?? '', /^The rows of deferred_sums cannot be added up: /)
    await assert.rejects(openDatabaseSource(url), { name: 'UnreadableStore' })
  })

  test('are not deferred while a node of an earlier version writes', async (context) => {
    const url = await postgres.database()
    const earlier = await openConnection(url, 'writer of an earlier version', () => {})
    const node = await aPostgresWriter(context, url, 'node', { defers_sums: true, clock: manualClock() })
    await write(node, issue('a'), record('a', 'r1'))
    assert.equal(await shutOutEarlierNodes(earlier), false)
    assert.deepEqual([await deferredRows(url), await recordsOf(url)], [0, 1])

    await earlier.end()
    const now = await openConnection(`${url}?application_name=deputy+writer+x+s1`, 'test', () => {})
    await now.query(`INSERT INTO writers VALUES ('earlier', 1, extract(epoch FROM now()) * 1000)`)
    assert.equal(await shutOutEarlierNodes(now), false, 'it may have lost its connection')
    await now.query(`UPDATE writers SET seen_ms = seen_ms - 60000 WHERE writer_id = 'earlier'`)
    assert.equal(await shutOutEarlierNodes(now), true)
    await now.end()
    await write(node, record('a', 'r2'))
    await write(node, record('a', 'r3'))
    assert.ok((await deferredRows(url)) > 0)
    assert.deepEqual(await look(url, 'SELECT oldest_schema::int AS oldest FROM log_head'), [
      { oldest: KNOWS_DEFERRED_SUMS },
    ])
  })
})
