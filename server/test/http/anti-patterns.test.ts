import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'

/** Known mistakes of services of this kind, each with a test that would have caught it. */

const ACTIONS = ['read', 'write', 'delegate']
const READ = { action: 'read', resource: 'calendar:events' }

async function aRoot(service: TestApp, changes: Record<string, unknown> = {}): Promise<string> {
  return (await service.post('/v1/vat/issue/l1', anIssueRequest({ actions: ACTIONS, ...changes }))).body.jti
}

async function aChild(service: TestApp, vat_jti: string, changes: Record<string, unknown> = {}) {
  const { status, body } = await service.post('/v1/vat/delegate', {
    vat_jti,
    agent_id: 'helper',
    actions: ACTIONS,
    ...changes,
  })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

describe('anti-patterns', () => {
  test('delegation checks the parent: a child of an unknown or revoked token is refused', async (t) => {
    const service = await aTestApp(t)
    const root = await aRoot(service)
    const unknown = await service.post('/v1/vat/delegate', { vat_jti: `${root}x`, agent_id: 'helper' })
    assert.equal(unknown.body.code, 'token_unknown')
    await service.post('/v1/vat/revoke', { vat_jti: root })
    const gone = await service.post('/v1/vat/delegate', { vat_jti: root, agent_id: 'helper' })
    assert.deepEqual([gone.body.code, gone.body.reason], ['token_not_live', 'token_revoked'])
  })

  test('revocation cascades: grandchildren are revoked with the root', async (t) => {
    const service = await aTestApp(t)
    const root = await aRoot(service)
    const child = await aChild(service, root)
    const grandchild = await aChild(service, child.jti)
    const { body } = await service.post('/v1/vat/revoke', { vat_jti: root })
    assert.equal(body.revoked_count, 3)
    for (const { jti } of [child, grandchild]) {
      const { body: answer } = await service.post('/v1/vat/authorize', { vat_jti: jti, ...READ })
      assert.deepEqual(answer.reasons, ['token_revoked'])
    }
  })

  test('every action checks all ancestors: a limit two links up applies', async (t) => {
    const service = await aTestApp(t)
    const root = await aRoot(service, { constraints: { max_actions: 1 } })
    const child = await aChild(service, root)
    const grandchild = await aChild(service, child.jti)
    const ask = () => service.post('/v1/vat/authorize', { vat_jti: grandchild.jti, ...READ })
    assert.equal((await ask()).body.authorized, true)
    assert.deepEqual((await ask()).body.reasons, ['action_limit'])
  })

  test('depth is enforced: max_delegation_depth decreases along the chain', async (t) => {
    const service = await aTestApp(t)
    const root = await aRoot(service, { constraints: { max_delegation_depth: 1 } })
    const child = await aChild(service, root)
    const refused = await service.post('/v1/vat/delegate', { vat_jti: child.jti, agent_id: 'helper' })
    assert.equal(refused.body.code, 'delegation_not_allowed')
  })

  test('money is exact: ten times 0.1 is 1 and leaves nothing of a budget of 1', async (t) => {
    const service = await aTestApp(t)
    const root = await aRoot(service, { constraints: { max_spend_usd: 1 } })
    const spend = (spend_usd: number) =>
      service.post('/v1/vat/record/action', { vat_jti: root, ...READ, result: 'success', spend_usd })
    for (let i = 0; i < 10; i++) assert.equal((await spend(0.1)).status, 200)
    const { body } = await service.get(`/v1/vat/tokens/${root}/budget`)
    assert.deepEqual([body.spent_usd, body.remaining_usd], [1, 0])
    assert.deepEqual((await spend(0.000001)).body.reasons, ['budget_exceeded'])
  })

  test('an estimate is released: unspent amounts, cancelled and expired actions free their budget', async (t) => {
    const service = await aTestApp(t)
    const root = await aRoot(service, { constraints: { max_spend_usd: 1 } })
    const child = await aChild(service, root)
    const reserve = async () =>
      (await service.post('/v1/vat/authorize', { vat_jti: child.jti, ...READ, spend_usd: 1 })).body
    const settled = await reserve()
    await service.post(`/v1/vat/aar/${settled.aar_id}/complete`, { result: 'success', spend_usd: 0 })
    const cancelled = await reserve()
    await service.post(`/v1/vat/aar/${cancelled.aar_id}/cancel`)
    assert.equal((await reserve()).authorized, true)
    service.clock.advance(900_000)
    await service.sweep()
    assert.equal((await service.get(`/v1/vat/tokens/${root}/budget`)).body.remaining_usd, 1)
  })

  test("a child's trust score never exceeds its parent's, and a request cannot raise it", async (t) => {
    const service = await aTestApp(t)
    const root = await aRoot(service)
    const child = await aChild(service, root)
    const grandchild = await aChild(service, child.jti)
    const scores = [child, grandchild].map(({ claims }) => claims.svc_trust_score)
    assert.deepEqual(scores, [0.36, 0.324])
    const forged = await service.post('/v1/vat/delegate', {
      vat_jti: root,
      agent_id: 'helper',
      svc_trust_score: 0.95,
    })
    assert.equal(forged.body.errors[0].pointer, '/svc_trust_score')
  })

  test('a second revoke succeeds and changes nothing', async (t) => {
    const service = await aTestApp(t)
    const root = await aRoot(service)
    const first = (await service.post('/v1/vat/revoke', { vat_jti: root })).body
    service.clock.advance(1000)
    const second = await service.post('/v1/vat/revoke', { vat_jti: root })
    assert.deepEqual([second.status, second.body.already_revoked, second.body.revoked_count], [200, true, 0])
    assert.equal(second.body.revoked_at, first.revoked_at)
  })
})
