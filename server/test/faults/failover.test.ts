import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { command } from '@deputize/testing/a-database.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { type HttpClient, httpClient } from '@deputize/testing/http-client.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { inTurn, someNodes } from '@deputize/testing/some-nodes.ts'
import { aTcpProxy } from '@deputize/testing/tcp-proxy.ts'
import { auditDatabase } from '../e2e/audit-database.ts'
import { oracle } from '../e2e/oracle.ts'
import { aReplicatedPostgres } from './a-replicated-postgres.ts'

const ROUNDS = Number(process.env.FAILOVER_ROUNDS ?? 2)
const LIMIT_MS = 60_000 + 40_000 * ROUNDS
const CALLERS = 8
const RECOVERY_MS = 60_000

/** Two nodes that reach the current primary at one address. */
async function aSetting(t: TestContext) {
  const postgres = await aReplicatedPostgres(t)
  const line = await aTcpProxy(t, postgres.primary().url())
  const cluster = await someNodes(t, 2, {
    url: line.through(postgres.primary().url()),
    env: { DEPUTY_LOG_LEVEL: 'silent' },
  })
  const clients = cluster.nodes.map(({ client }) => client)
  return { postgres, line, clients, client: inTurn(clients), nodes: cluster.nodes, env: cluster.env }
}

async function ready(clients: readonly HttpClient[]): Promise<void> {
  const isReady = async (client: HttpClient) => (await client.get('/readyz')).status === 200
  for (const client of clients)
    await eventually('the node recovers from the failover', () => isReady(client), RECOVERY_MS)
}

describe('when the primary dies under load', () => {
  test(`nothing acknowledged is lost in ${ROUNDS} failovers to a synchronous standby`, {
    timeout: LIMIT_MS,
  }, async (t) => {
    const { postgres, line, clients, client, nodes, env } = await aSetting(t)
    const witness = oracle()
    let repeated = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      await postgres.follow(true)
      let isOver = false
      const load = Array.from({ length: CALLERS }, () => witness.load(client, () => isOver))
      await sleep(500 + Math.random() * 500)
      await postgres.killPrimary()
      line.lead(1) // no server listens there
      const refused = await client.post('/v1/vat/revoke', { vat_jti: 'vat_root_unknown' })
      assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '1'])
      await postgres.promote()
      line.lead(postgres.primary().port)
      await ready(clients)
      await sleep(300)
      isOver = true
      assert.deepEqual(await Promise.all(load), Array.from({ length: CALLERS }))
      repeated += await witness.retry(client)
      await witness.assertKept(client)
    }
    const { issue, record, authorize, rate } = witness.counts()
    const [held] = await command(
      postgres.primary().url(),
      `SELECT (SELECT count(*) FROM tokens) AS tokens, (SELECT count(*) FROM records) AS records,
        (SELECT count(*) FROM ratings) AS ratings`,
    )
    assert.deepEqual(held, { tokens: issue, records: record + authorize, ratings: rate })
    const leaves = await auditDatabase({ nodes, env }, postgres.primary().url())
    t.diagnostic(
      `${ROUNDS} failovers, ${witness.acknowledged()} acknowledged, ${repeated} repeated, ${leaves} leaves, 0 lost, 0 doubled`,
    )
  })

  test('a standby that lags loses acknowledged changes, which nodes detect before they stop', async (t) => {
    const { postgres, line, client, nodes, env } = await aSetting(t)
    await client.post('/v1/vat/issue/l1', anIssueRequest())
    await postgres.follow(false)
    await postgres.deafen()
    const witness = oracle()
    let isOver = false
    const load = Array.from({ length: CALLERS }, () => witness.load(client, () => isOver))
    await sleep(2_500) // long enough for a checkpoint over entries that will be lost
    isOver = true
    await Promise.all(load)
    assert.ok(witness.acknowledged() > 0)
    await postgres.killPrimary()
    await postgres.promote()
    const ended = nodes.map(({ program }) => once(program.process, 'exit'))
    line.lead(postgres.primary().port)
    for (const [code] of await Promise.all(ended))
      assert.equal(code, 70, 'a node went on after its log was rolled back')

    // A node that never saw a checkpoint accepts the database as it is. Its answers show the loss.
    const fresh = await aProgram(t, temporaryDirectory(t), env)
    await assert.rejects(
      witness.assertKept(httpClient(t, fresh.url)),
      /was acknowledged and is lost/,
      'the oracle does not notice a loss',
    )
  })

  test('a commit that the standby lacks is neither acknowledged nor signed, however the wait for it ends', async (t) => {
    const { postgres, line, clients, client, nodes } = await aSetting(t)
    await postgres.follow(true)
    assert.equal((await client.post('/v1/vat/issue/l1', anIssueRequest())).status, 200)
    await postgres.deafen()
    const primary = postgres.primary().url()
    let isOver = false
    const ending = endWaits(primary, () => isOver)
    // Each is sent twice to either node: a repeated call may find the answer that the first one stored.
    const asked = Array.from({ length: CALLERS }, (_, index) => ({ 'idempotency-key': `key_${index >> 2}` }))
    for (const headers of asked) {
      const { status } = await client.post('/v1/vat/issue/l1', anIssueRequest(), headers)
      assert.equal(status, 503)
    }
    const [held] = await command(primary, 'SELECT count(*) AS tokens FROM tokens')
    assert.ok(Number(held?.tokens) > 1, 'the commits can be read on the primary')
    await sleep(2_500) // long enough for a checkpoint over entries that will be lost
    isOver = true
    const ended = await ending
    assert.ok(ended.cancelled > 0 && ended.terminated > 0)

    await postgres.killPrimary()
    await postgres.promote()
    line.lead(postgres.primary().port)
    await ready(clients)
    const left = await command(postgres.primary().url(), 'SELECT count(*) AS tokens FROM tokens')
    assert.deepEqual(left, [{ tokens: 1 }], 'the only one that was acknowledged')
    assert.equal((await client.post('/v1/vat/issue/l1', anIssueRequest())).status, 200)
    for (const { program } of nodes)
      assert.equal(program.process.exitCode, null, 'a node had signed a checkpoint over lost entries')
  })
})

/** Ends every wait of a writer for the standby, alternately by cancelling it and by terminating the connection. */
async function endWaits(
  url: string,
  isOver: () => boolean,
): Promise<{ cancelled: number; terminated: number }> {
  const ended = { cancelled: 0, terminated: 0 }
  while (!isOver()) {
    const isCancel = ended.cancelled <= ended.terminated
    const rows = await command(
      url,
      `SELECT ${isCancel ? 'pg_cancel_backend' : 'pg_terminate_backend'}(pid) FROM pg_stat_activity
        WHERE wait_event = 'SyncRep' AND application_name LIKE 'deputy writer%'`,
    )
    ended[isCancel ? 'cancelled' : 'terminated'] += rows.length
    await sleep(20)
  }
  return ended
}
