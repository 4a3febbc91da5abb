import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { aDatabase, command } from '@deputize/testing/a-database.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import type { HttpClient } from '@deputize/testing/http-client.ts'
import { someNodes } from '@deputize/testing/some-nodes.ts'
import { aTcpProxy, type CutMoment } from '@deputize/testing/tcp-proxy.ts'
import { auditDatabase } from '../e2e/audit-database.ts'
import { oracle } from '../e2e/oracle.ts'

/** A statement without an answer times out after twelve seconds. Finding out its outcome may take longer. */
const DEADLINE_MS = 60_000
const RECOVERY_MS = 30_000
const CALLERS = 8

const url = await aDatabase({ after })
const line = await aTcpProxy({ after }, url)
const { nodes, env } = await someNodes({ after }, 1, {
  url: line.through(url),
  env: { DEPUTY_LOG_LEVEL: 'silent' },
})
const [node] = nodes
assert.ok(node !== undefined)
const { client } = node

let slowest_ms = 0

/** The same client, but it measures the slowest call. */
const timed: HttpClient = {
  ...client,
  async post(path, body, headers) {
    const began = performance.now()
    try {
      return await client.post(path, body, headers)
    } finally {
      slowest_ms = Math.max(slowest_ms, performance.now() - began)
    }
  },
}

const isReady = async () => (await client.get('/readyz')).status === 200

async function recovered(): Promise<number> {
  const began = performance.now()
  await eventually('the node recovers', isReady, RECOVERY_MS)
  return performance.now() - began
}

const count = async (table: string) =>
  Number((await command(url, `SELECT count(*) AS count FROM ${table}`))[0]?.count)

/** Ends connections from the server side, as an administrator or a failover would. */
const terminate = () =>
  command(
    url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  )

/** Statements that make a batch durable, each with a call that sends it. */
const DURABLE = {
  'the statement of a batch': {
    bytes: 'hot_',
    table: 'tokens',
    call: (key: string) => client.post('/v1/vat/issue/l1', anIssueRequest(), { 'idempotency-key': key }),
  },
  'the commit of a transaction': {
    bytes: 'COMMIT',
    table: 'agents',
    call: (key: string) =>
      client.post('/v1/vat/agents', { agent_id: key, display_name: 'A bot' }, { 'idempotency-key': key }),
  },
} as const

/** When the connection is cut, and whether the database has received the whole statement by then. */
const CUTS = [
  { direction: 'up', moment: 'before', isCommitted: false },
  { direction: 'up', moment: 'within', isCommitted: false },
  { direction: 'up', moment: 'after', isCommitted: true },
] as const satisfies { direction: string; moment: CutMoment; isCommitted: boolean }[]

describe('a connection that is cut', () => {
  for (const [what, { bytes, table, call }] of Object.entries(DURABLE))
    for (const { direction, moment, isCommitted } of CUTS)
      test(`${moment} ${what} leaves no doubt, and nothing is done twice`, async () => {
        await recovered()
        const key = `${table}-${moment}`
        const before = await count(table)
        const sprung = line.cutAt(bytes, direction, moment)
        const answer = await call(key)
        await sprung
        // A committed batch is found by its number, so its caller gets the answer.
        assert.equal(answer.status < 300, isCommitted, JSON.stringify(answer.body))
        if (!isCommitted) assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '1'])
        await recovered()
        const again = await call(key)
        assert.ok(again.status < 300, JSON.stringify(again.body))
        if (isCommitted) assert.deepEqual(again.body, answer.body)
        assert.equal(await count(table), before + 1)
      })
})

describe('under load', () => {
  const witness = oracle()

  /** Rows beyond the acknowledged ones. Constant, because nothing is lost or duplicated. */
  async function held(): Promise<number[]> {
    const { issue, record, authorize, rate } = witness.counts()
    return [
      (await count('tokens')) - issue,
      (await count('records')) - record - authorize,
      (await count('ratings')) - rate,
    ]
  }

  /** Each fault starts and ends by itself. */
  const FAULTS: Record<string, () => Promise<unknown>> = {
    'a slow line': async () => {
      line.delay(40)
      await sleep(1_500)
      line.delay(0)
    },
    'cut connections': async () => {
      for (let round = 0; round < 10; round += 1) {
        line.cut()
        await sleep(100)
      }
    },
    'answers cut off in the middle': async () => {
      for (const bytes of [1, 7, 60, 200, 500]) {
        line.cutAfter(bytes, 'down')
        await sleep(150)
      }
      line.cutAfter(Number.POSITIVE_INFINITY, 'down')
    },
    'questions cut off in the middle': async () => {
      for (const bytes of [1, 50, 900, 4_000, 9_000]) {
        line.cutAfter(bytes, 'up')
        await sleep(150)
      }
      line.cutAfter(Number.POSITIVE_INFINITY, 'up')
    },
    'connections ended by the server': async () => {
      for (let round = 0; round < 8; round += 1) {
        await terminate()
        await sleep(120)
      }
    },
    'a line that is closed to new connections': async () => {
      line.refuse(true)
      line.cut()
      await sleep(2_000)
      line.refuse(false)
    },
    'a black hole that leaves connections half open': async () => {
      line.swallow(true)
      await eventually('the node notices that the database is gone', async () => !(await isReady()))
      line.swallow(false)
      line.cut() // swallowed bytes never arrive; the next attempt gets a new connection
    },
  }

  for (const [name, fault] of Object.entries(FAULTS))
    test(`${name}: every request ends in time, and nothing is lost or duplicated`, async (t) => {
      await recovered()
      const before = await held()
      slowest_ms = 0
      let isOver = false
      const load = Promise.all(Array.from({ length: CALLERS }, () => witness.load(timed, () => isOver)))
      await sleep(300)
      await fault()
      const recovered_ms = await recovered()
      await sleep(300)
      isOver = true
      assert.deepEqual(await load, Array.from({ length: CALLERS }))
      assert.ok(slowest_ms < DEADLINE_MS, `a request took ${slowest_ms} ms`)
      const repeated = await witness.retry(client)
      await witness.assertKept(client)
      assert.deepEqual(await held(), before)
      t.diagnostic(
        `${witness.acknowledged()} acknowledged, ${repeated} repeated, slowest ${Math.round(slowest_ms)} ms, ready ${Math.round(recovered_ms)} ms after`,
      )
    })
})

test('a read-only database refuses changes with the reason in /readyz, and is used again afterwards', async () => {
  await recovered()
  const elsewhere = new URL(url)
  const name = elsewhere.pathname.slice(1)
  elsewhere.pathname = '/postgres'
  const configure = async (change: string) => {
    await command(elsewhere.href, `ALTER DATABASE ${name} ${change}`)
    await terminate() // sessions keep the setting that they started with
  }
  await configure('SET default_transaction_read_only = on')
  await eventually('the node says why', async () => {
    const { status, body } = await client.post('/v1/vat/issue/l1', anIssueRequest())
    assert.deepEqual([status, body.code], [503, 'storage_unavailable'])
    const [reason] = (await client.get('/readyz')).body.reasons
    return reason?.detail.startsWith('The database is read-only: ') // set once a change has failed, not a read
  })
  await configure('RESET default_transaction_read_only')
  await recovered()
  assert.equal((await client.post('/v1/vat/issue/l1', anIssueRequest())).status, 200)
})

test('after all faults, the log, the counters and the accounts agree with the records', async () => {
  assert.ok((await auditDatabase({ nodes, env }, url)) > 100)
})
