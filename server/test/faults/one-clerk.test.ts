import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { command } from '@deputize/testing/a-database.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { type Node, type Nodes, someNodes } from '@deputize/testing/some-nodes.ts'
import { aTcpProxy, type TcpProxy } from '@deputize/testing/tcp-proxy.ts'
import { auditDatabase } from '../e2e/audit-database.ts'
import { oracle } from '../e2e/oracle.ts'

const CALLERS = 6
const LIMIT_MS = 180_000

interface Lease {
  readonly holder: string
  readonly epoch: number
  readonly port: number
}

interface Pair extends Nodes {
  readonly holder: Node
  readonly front: Node
  /** The connection between the two. */
  readonly line: TcpProxy
  readonly lease: () => Promise<Lease>
}

/** Two nodes, of which one writes for both. */
async function aPair(context: TestContext): Promise<Pair> {
  const cluster = await someNodes(context, 1, { env: { DEPUTY_LOG_LEVEL: 'silent' } })
  const [holder] = cluster.nodes
  assert.ok(holder !== undefined)
  const lease = async () => {
    const [row] = await command(cluster.url, 'SELECT holder, epoch::int, port::int FROM clerk_lease')
    assert.ok(row !== undefined)
    return row as unknown as Lease // as selected
  }
  const line = await aTcpProxy(context, `tcp://127.0.0.1:${(await lease()).port}`)
  await command(cluster.url, 'UPDATE clerk_lease SET port = $1', [line.port])
  const front = await cluster.aNode()
  const pair = { ...cluster, nodes: [holder, front], holder, front, line, lease }
  await eventually('the front forwards its batches', () => isForwarding(pair, front))
  return pair
}

/** True if a write at this node is committed by the holder of the lease, and no other node writes meanwhile. */
async function isForwarding({ url, lease }: Pair, { client }: Node): Promise<boolean> {
  const { holder } = await lease()
  const ownBatches = () =>
    command(url, 'SELECT writer_id, last_batch::int FROM writers WHERE writer_id <> $1 ORDER BY 1', [holder])
  const before = await ownBatches()
  const { status } = await client.post('/v1/vat/issue/l1', anIssueRequest())
  return status === 200 && isDeepStrictEqual(await ownBatches(), before)
}

/**
 * Runs load on both nodes until `work` is done. Checks that everything acknowledged was kept once, and returns a
 * summary.
 */
async function underLoad(pair: Pair, left: Node, work: () => Promise<void>): Promise<string> {
  const witness = oracle()
  let isOver = false
  const load = [pair.holder, pair.front].flatMap(({ client }) =>
    Array.from({ length: CALLERS }, () => witness.load(client, () => isOver)),
  )
  const begun = () => witness.acknowledged() > 20 * CALLERS
  await eventually('both nodes write', begun)
  await work()
  isOver = true
  await Promise.all(load)
  const repeated = await witness.retry(left.client)
  await witness.assertKept(left.client)
  const { issue, record, authorize, rate } = witness.counts()
  const [row] = await command(
    pair.url,
    `SELECT (SELECT count(*) FROM tokens) AS tokens, (SELECT count(*) FROM records) AS records,
      (SELECT count(*) FROM ratings) AS ratings`,
  )
  const issuedBefore = Number(row?.tokens) - issue
  assert.ok(issuedBefore >= 0 && issuedBefore < 100, 'tokens were issued twice, or are lost')
  assert.deepEqual([row?.records, row?.ratings], [record + authorize, rate])
  await auditDatabase(pair)
  return `${witness.acknowledged()} acknowledged, ${repeated} repeated, ${witness.refused()} refused`
}

test('if the node that writes for all is killed under load, another takes over, and nothing is lost or duplicated', {
  timeout: LIMIT_MS,
}, async (t) => {
  const pair = await aPair(t)
  const before = await pair.lease()
  let took_ms = 0
  const report = await underLoad(pair, pair.front, async () => {
    const began = performance.now()
    await pair.holder.program.kill()
    await eventually('the lease is taken', async () => (await pair.lease()).epoch === before.epoch + 1)
    took_ms = performance.now() - began
    const { status } = await pair.front.client.post('/v1/vat/issue/l1', anIssueRequest())
    assert.equal(status, 200)
  })
  assert.notEqual((await pair.lease()).holder, before.holder)
  t.diagnostic(`${report}; taken over after ${Math.round(took_ms)} ms`)
})

test('a paused holder is passed over, and does no harm when it continues', {
  timeout: LIMIT_MS,
}, async (t) => {
  const pair = await aPair(t)
  const before = await pair.lease()
  const { process } = pair.holder.program
  t.after(() => process.kill('SIGCONT'))
  let took_ms = 0
  const report = await underLoad(pair, pair.front, async () => {
    const { body } = await pair.front.client.post('/v1/vat/issue/l1', anIssueRequest())
    const began = performance.now()
    process.kill('SIGSTOP')
    await eventually('the lease is taken', async () => (await pair.lease()).epoch === before.epoch + 1)
    took_ms = performance.now() - began
    const revoked = await pair.front.client.post('/v1/vat/revoke', { vat_jti: body.jti })
    assert.equal(revoked.status, 200)
    process.kill('SIGCONT')
    await eventually('the deposed node forwards', () => isForwarding(pair, pair.holder))
  })
  assert.notEqual((await pair.lease()).holder, before.holder)
  t.diagnostic(`${report}; taken over after ${Math.round(took_ms)} ms`)
})

/** On a busy machine the holder may renew its lease late, which this test isn't about. */
const KEEP_LEASE = `
  CREATE FUNCTION keep_lease() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN NEW.expires_at_ms := 9000000000000000; RETURN NEW; END';
  CREATE TRIGGER keep_lease BEFORE UPDATE ON clerk_lease FOR EACH ROW EXECUTE FUNCTION keep_lease();
  UPDATE clerk_lease SET epoch = epoch`

test('a front that is cut off from the holder writes for itself, and forwards again later', {
  timeout: LIMIT_MS,
}, async (t) => {
  const pair = await aPair(t)
  const { front, line } = pair
  const { holder } = await pair.lease()
  const report = await underLoad(pair, front, async () => {
    await command(pair.url, KEEP_LEASE)
    for (const cut of [() => line.swallow(true), () => line.cut()]) {
      line.refuse(true)
      cut()
      await eventually('the front writes for itself', async () => !(await isForwarding(pair, front)))
      assert.equal((await pair.lease()).holder, holder)
      const { body } = await front.client.post('/v1/vat/issue/l1', anIssueRequest())
      assert.equal((await front.client.post('/v1/vat/revoke', { vat_jti: body.jti })).status, 200)
      line.swallow(false)
      line.refuse(false)
      await eventually('the front forwards again', () => isForwarding(pair, front))
    }
    await command(pair.url, 'DROP FUNCTION keep_lease CASCADE')
  })
  t.diagnostic(report)
})

test('a front that has lost the database is not ready, although the holder writes for it', {
  timeout: LIMIT_MS,
}, async (t) => {
  const cluster = await someNodes(t, 1, { env: { DEPUTY_LOG_LEVEL: 'silent' } })
  const line = await aTcpProxy(t, cluster.url)
  const { client } = await cluster.aNode(undefined, { DEPUTY_DATABASE_URL: line.through(cluster.url) })
  const { body } = await client.post('/v1/vat/issue/l1', anIssueRequest())
  const isReady = async () => (await client.get('/readyz')).status === 200
  line.refuse(true)
  line.cut()
  await eventually('the front notices that its database is gone', async () => !(await isReady()))
  let written = 0
  for (let call = 0; call < 20; call += 1) {
    if ((await client.post('/v1/vat/issue/l1', anIssueRequest())).status === 200) written += 1
    assert.equal((await client.get(`/v1/vat/tokens/${body.jti}`)).status, 503)
    assert.equal(await isReady(), false)
  }
  assert.ok(written > 0, 'the holder wrote nothing for the front')
  line.refuse(false)
  await eventually('the front is ready again', isReady)
})
