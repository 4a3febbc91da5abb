import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { aKeyedApp, anAgent } from './a-keyed-app.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

async function stats(service: TestApp, query: Record<string, string> = {}) {
  const answer = await service.get(`/v1/vat/stats?${new URLSearchParams(query)}`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

async function aToken(service: TestApp, changes: Record<string, unknown> = {}): Promise<string> {
  const scope = { resources: ['shop:*'], actions: ['read', 'buy'] }
  const { body } = await service.post('/v1/vat/issue/l1', anIssueRequest({ ...scope, ...changes }))
  return body.jti
}

async function act(service: TestApp, vat_jti: string, changes: Record<string, unknown> = {}) {
  const request = { vat_jti, action: 'read', resource: 'shop:orders', result: 'success' }
  return service.post('/v1/vat/record/action', { ...request, ...changes })
}

/** Two agents: one reads, buys, fails and is denied, and the other one reads. */
async function someActivity(context: TestContext): Promise<TestApp> {
  const service = await aTestApp(context)
  const one = await aToken(service, { agent_id: 'one' })
  const two = await aToken(service, { agent_id: 'two' })
  await act(service, one)
  await act(service, one, { action: 'buy', spend_usd: 12.5 })
  await act(service, one, { action: 'buy', resource: 'shop:cart', result: 'error' })
  await act(service, one, { action: 'sell' })
  await act(service, one, { action: 'sell', resource: 'bank:account' })
  service.clock.advance(HOUR_MS)
  await act(service, two)
  return service
}

describe('stats', () => {
  test('count actions by outcome and hour, with their spend', async (context) => {
    const service = await someActivity(context)
    const { data, totals, bucket, truncated } = await stats(service)
    assert.equal(bucket, 'hour')
    assert.equal(truncated, false)
    assert.equal(data.length, 2)
    const { allowed, completed, succeeded, denied, spend_usd } = data[0]
    assert.deepEqual([allowed, completed, succeeded, denied, spend_usd], [3, 3, 2, 2, 12.5])
    assert.equal(data[1].allowed, 1)
    assert.equal(totals.allowed, 4)
    assert.equal(Date.parse(data[1].start) - Date.parse(data[0].start), HOUR_MS)
  })

  for (const bucket of ['minute', 'hour', 'day', 'all'])
    test(`have the same sums in buckets of ${bucket}`, async (context) => {
      const service = await someActivity(context)
      const { totals } = await stats(service, { bucket })
      assert.deepEqual([totals.allowed, totals.denied, totals.spend_usd], [4, 2, 12.5])
    })

  test('are grouped by agent, action, resource, pair and reason', async (context) => {
    const service = await someActivity(context)
    for (const bucket of ['hour', 'day', 'all']) {
      const by = async (group_by: string, more: Record<string, string> = {}) =>
        (await stats(service, { bucket, group_by, ...more })).data
      const agents = await by('agent')
      assert.deepEqual(
        agents.map(({ agent_id, allowed }: Record<string, unknown>) => [agent_id, allowed]),
        [
          ['agent:one', 3],
          ['agent:two', 1],
        ],
      )
      const actions = await by('action', { agent_id: 'one' })
      assert.deepEqual(
        actions
          .map(({ action, allowed, denied }: Record<string, unknown>) => [action, allowed, denied])
          .sort(),
        [
          ['buy', 2, 0],
          ['read', 1, 0],
          ['sell', 0, 2],
        ],
      )
      const all = await by('action')
      assert.equal(sumOf(all, 'read', 'action'), 2)
      assert.equal(sumOf(await by('resource'), 'shop:orders', 'resource'), 3)
      const pairs = await by('action,resource', { agent_id: 'one' })
      assert.equal(pairs.length, 5)
      const reasons = await by('reason')
      assert.deepEqual(
        reasons.map(({ reason, denied }: Record<string, unknown>) => [reason, denied]).sort(),
        [
          ['action_not_in_scope', 2],
          ['resource_not_in_scope', 1],
        ],
      )
    }
  })

  test('show the busiest groups and the sum of the others', async (context) => {
    const service = await someActivity(context)
    const { data, truncated, totals } = await stats(service, { group_by: 'agent', bucket: 'all', limit: '1' })
    assert.equal(truncated, true)
    assert.deepEqual(
      data.map(({ agent_id, other, allowed }: Record<string, unknown>) => [
        agent_id ?? null,
        other ?? null,
        allowed,
      ]),
      [
        ['agent:one', null, 3],
        [null, true, 1],
      ],
    )
    assert.equal(totals.allowed, 4)
  })

  test('show every tenant to an operator of the deployment, however many there are', async (context) => {
    const app = await aKeyedApp(context)
    const { operator } = app
    for (let tenant = 0; tenant < 202; tenant += 1)
      assert.equal((await operator.post('/v1/vat/tenants', { tenant_id: `t${tenant}` })).status, 201)
    const { jti, client } = await anAgent(app, app.withKey(await app.key('t0', 'developer')))
    const action = { vat_jti: jti, action: 'read', resource: 'calendar:events', result: 'success' }
    assert.equal((await client.post('/v1/vat/record/action', action)).status, 200)
    const { body } = await operator.get('/v1/vat/stats?group_by=tenant&bucket=all')
    assert.deepEqual(
      body.data.map(({ tenant_id, allowed }: Record<string, unknown>) => [tenant_id, allowed]),
      [['t0', 1]],
    )
  })

  test('count pending actions when they are opened and when they end', async (context) => {
    const service = await aTestApp(context)
    const vat_jti = await aToken(service)
    const open = async () =>
      (
        await service.post('/v1/vat/authorize', {
          vat_jti,
          action: 'buy',
          resource: 'shop:cart',
          spend_usd: 5,
        })
      ).body
    const first = await open()
    const second = await open()
    service.clock.advance(HOUR_MS / 60)
    await service.post(`/v1/vat/aar/${first.aar_id}/complete`, { result: 'success', spend_usd: 4 })
    await service.post(`/v1/vat/aar/${second.aar_id}/cancel`, {})
    const { totals } = await stats(service, { bucket: 'all' })
    const { allowed, completed, cancelled, spend_usd } = totals
    assert.deepEqual([allowed, completed, cancelled, spend_usd], [2, 1, 1, 4])
  })

  test('count the requests to people and how long they took to decide', async (context) => {
    const service = await aTestApp(context)
    const vat_jti = await aToken(service, { constraints: { require_approval: {} } })
    for (const decision of ['approve', 'deny']) {
      const asked = await act(service, vat_jti, { metadata: { decision } })
      service.clock.advance(MINUTE_MS)
      await service.post(`/v1/vat/approvals/${asked.body.approval_id}/${decision}`, {})
    }
    const { totals } = await stats(service, { bucket: 'all' })
    const { approvals_asked, approvals_approved, approvals_denied, mean_decision_ms } = totals
    assert.deepEqual([approvals_asked, approvals_approved, approvals_denied], [2, 1, 1])
    assert.equal(mean_decision_ms, MINUTE_MS)
  })

  test('refuse queries that they cannot answer, and name the parameter', async (context) => {
    const service = await aTestApp(context)
    const week = new Date(service.clock() - 8 * 24 * HOUR_MS).toISOString()
    const refused: readonly [Record<string, string>, string][] = [
      [{ bucket: 'minute', agent_id: 'one' }, '?bucket'],
      [{ bucket: 'minute', from: '2020-01-01T00:00:00Z' }, '?bucket'],
      [{ bucket: 'minute', from: week, to: week }, '?from'],
      [{ group_by: 'reason', action: 'read' }, '?group_by'],
      [{ group_by: 'tenant', agent_id: 'one' }, '?group_by'],
      [{ from: '2027-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }, '?from'],
      [{ group_by: 'moon' }, '?group_by'],
    ]
    for (const [query, pointer] of refused) {
      const answer = await service.get(`/v1/vat/stats?${new URLSearchParams(query)}`)
      assert.equal(answer.status, 400, JSON.stringify(query))
      assert.equal(answer.body.code, 'invalid_request')
      assert.equal(answer.body.errors[0].pointer.endsWith(pointer), true, JSON.stringify(answer.body))
    }
  })

  test('forget minutes after a week, and keep the hours', async (context) => {
    const service = await someActivity(context)
    service.clock.advance(8 * 24 * HOUR_MS)
    await act(service, await aToken(service))
    const minutes = 'SELECT count(*) AS count FROM counters WHERE series IN (0, 5)'
    const [before] = await service.rows(minutes)
    await service.sweep()
    const [after] = await service.rows(minutes)
    assert.equal(Number(before?.count) > 1, true)
    assert.equal(Number(after?.count), 1)
    const all = await stats(service, { bucket: 'all', from: '2020-01-01T00:00:00Z' })
    assert.equal(all.totals.allowed, 5)
  })

  test('the history of a reputation ends with the current reputation', async (context) => {
    const service = await aTestApp(context)
    const vat_jti = await aToken(service, { agent_id: 'one', expires_in: 3 * 24 * 3600 })
    await act(service, vat_jti)
    service.clock.advance(24 * HOUR_MS)
    await act(service, vat_jti, { result: 'error' })
    const { body: now } = await service.get('/v1/vat/reputation/one')
    const { body: history } = await service.get('/v1/vat/reputation/one/history')
    const combined = history.data.map((day: Record<string, unknown>) => day.combined_reputation)
    assert.deepEqual(combined, [0.6 + 0.4 * 0.5, now.combined_reputation])
  })
})

function sumOf(rows: readonly Record<string, unknown>[], name: string, member: string): number {
  return rows.filter((row) => row[member] === name).reduce((sum, row) => sum + Number(row.allowed), 0)
}
