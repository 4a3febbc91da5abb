import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anL3Token } from '@deputize/testing/an-l3-token.ts'
import { HOLDS_EVERYTHING, HOLDS_NOTHING, type InnerLimits } from '../../src/domain/tokens/inner-limits.ts'
import { aReviewDesk, callerOf } from '../some-callers.ts'

const BUY = { action: 'buy', resource: 'shop:orders' }
const READ = { action: 'read', resource: 'calendar:events' }

async function aToken(context: TestContext, inner_limits: InnerLimits) {
  const service = await aTestApp(context)
  const { jti, compact_jwt } = await anL3Token(service, { inner_limits })
  const desk = callerOf({ context: { ...service.context, access: 'keyed' } }, aReviewDesk('default'))
  const authorize = async (body: object) =>
    (await service.post('/v1/vat/authorize', { vat_jti: jti, ...body })).body
  return { service, jti, compact_jwt, desk, authorize }
}

/** Every way in which an agent can request an action. Each returns whether it may act, and the reason if not. */
const WAYS: Readonly<Record<string, (service: TestApp, vat_jti: string) => Promise<unknown[]>>> = {
  authorize: async (service, vat_jti) => {
    const { body } = await service.post('/v1/vat/authorize', { vat_jti, ...BUY })
    return [body.authorized, body.reason]
  },
  'a dry run': async (service, vat_jti) => {
    const { body } = await service.post('/v1/vat/authorize', { vat_jti, ...BUY, dry_run: true })
    return [body.authorized, body.reason]
  },
  'record/action': async (service, vat_jti) => {
    const { status, body } = await service.post('/v1/vat/record/action', {
      vat_jti,
      ...BUY,
      result: 'success',
    })
    return [status === 200, body.reason]
  },
  'authorize/batch': async (service, vat_jti) => {
    const { body } = await service.post('/v1/vat/authorize/batch', { items: [{ vat_jti, ...BUY }] })
    return [body.items[0].answer.authorized, body.items[0].answer.reason]
  },
  'record/batch': async (service, vat_jti) => {
    const items = [{ vat_jti, ...BUY, result: 'success' }]
    const { body } = await service.post('/v1/vat/record/batch', { items })
    return [body.items[0].status === 200, body.items[0].problem?.reason]
  },
  AuthZEN: async (service, vat_jti) => {
    const { body } = await service.post('/access/v1/evaluation', {
      subject: { type: 'token', id: vat_jti },
      action: { name: BUY.action },
      resource: { type: 'shop', id: 'orders' },
    })
    return [body.decision, body.context?.reason_admin?.reason ?? 'approval_required']
  },
}

describe('the inner limits of a token', () => {
  test('cannot be evaded by settling above the request, and no token reveals whether it has any', async (context) => {
    for (const limits of [HOLDS_EVERYTHING, HOLDS_NOTHING, { holds: false, above_micro_usd: 100_000_000 }]) {
      const { service, jti, authorize } = await aToken(context, limits)
      const { aar_id } = await authorize(READ)
      const outcome = { result: 'success', spend_usd: 50_000 }
      assert.equal((await service.post(`/v1/vat/aar/${aar_id}/complete`, outcome)).body.exceeded, true)
      assert.equal((await service.get(`/v1/vat/tokens/${jti}`)).body.suspend_code, 'exceeded_authorization')
    }
  })

  for (const [way, ask] of Object.entries(WAYS))
    test(`hold an action that is requested by ${way}`, async (context) => {
      const { service, jti } = await aToken(context, HOLDS_EVERYTHING)
      assert.deepEqual(await ask(service, jti), [false, 'approval_required'])
      const free = await anL3Token(service, { agent_id: 'free-bot', inner_limits: HOLDS_NOTHING })
      assert.equal((await ask(service, free.jti))[0], true)
    })

  test('let plain reads pass if they cost nothing', async (context) => {
    const { authorize } = await aToken(context, HOLDS_EVERYTHING)
    assert.equal((await authorize(READ)).authorized, true)
    assert.equal((await authorize({ ...READ, spend_usd: 0.01 })).reason, 'approval_required')
  })

  test('apply to delegated, renewed and exchanged tokens', async (context) => {
    const { service, jti, compact_jwt } = await aToken(context, HOLDS_EVERYTHING)
    const child = (await service.post('/v1/vat/delegate', { vat_jti: jti, agent_id: 'sub-bot' })).body
    const renewed = (await service.post('/v1/vat/renew', { vat_jti: jti, expires_in: 3000 })).body
    const form = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: compact_jwt,
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      scope: 'buy@shop:orders',
      agent_id: 'exchange-bot',
    })
    const exchanged = await service.post('/oauth/token', `${form}`, {
      'content-type': 'application/x-www-form-urlencoded',
    })
    const [, payload = ''] = exchanged.body.access_token.split('.')
    const below = [child.jti, renewed.jti, JSON.parse(Buffer.from(payload, 'base64url').toString()).jti]
    for (const vat_jti of below) {
      const { body } = await service.post('/v1/vat/authorize', { vat_jti, ...BUY })
      assert.deepEqual([body.authorized, body.reason], [false, 'approval_required'], vat_jti)
    }
  })

  test('can be approved only by the review desk, once per request', async (context) => {
    const { service, desk, authorize } = await aToken(context, HOLDS_EVERYTHING)
    const { approval_id } = await authorize(BUY)
    const person = await service.post(`/v1/vat/approvals/${approval_id}/approve`)
    assert.deepEqual([person.status, person.body.code], [403, 'not_an_approver'])
    const approved = await desk('approve', { params: { id: approval_id }, body: { note: 'we called' } })
    assert.deepEqual([approved.state, approved.decided_by], ['approved', 'review_desk'])
    assert.equal((await authorize({ ...BUY, approval_id })).authorized, true)
    assert.equal((await authorize({ ...BUY, approval_id })).reason, 'approval_required')
  })

  test('let the review desk decide nothing else', async (context) => {
    const { service, desk } = await aToken(context, HOLDS_EVERYTHING)
    const { jti } = await anL3Token(service, {
      agent_id: 'asking-bot',
      constraints: { require_approval: {} },
    })
    const { body } = await service.post('/v1/vat/authorize', { vat_jti: jti, ...READ })
    const decide = desk('approve', { params: { id: body.approval_id }, body: {} })
    await assert.rejects(decide, { code: 'not_an_approver' })
    assert.deepEqual((await desk('listApprovals')).data, [])
  })

  test('hold nothing once the token is released, nor for the tokens below it', async (context) => {
    const { service, jti, authorize } = await aToken(context, HOLDS_EVERYTHING)
    const child = (await service.post('/v1/vat/delegate', { vat_jti: jti, agent_id: 'sub-bot' })).body
    await service.submit({ kind: 'release', vat_jti: jti })
    assert.equal((await authorize(BUY)).authorized, true)
    const { body } = await service.post('/v1/vat/authorize', { vat_jti: child.jti, ...BUY })
    assert.equal(body.authorized, true)
  })

  test('hold nothing once a renewal is released, nor for the tokens that it renews', async (context) => {
    const { service, jti, desk } = await aToken(context, HOLDS_EVERYTHING)
    const renew = async (vat_jti: string): Promise<string> =>
      (await service.post('/v1/vat/renew', { vat_jti, expires_in: 3000 })).body.jti
    const renewed = await renew(jti)
    const newest = await renew(renewed)
    await desk('releaseToken', { params: { jti: newest }, body: {} })
    for (const vat_jti of [newest, renewed, jti])
      assert.equal((await service.post('/v1/vat/authorize', { vat_jti, ...BUY })).body.authorized, true)
    assert.deepEqual((await desk('listApprovals')).data, [])
    const leaves = await service.logSize()
    await desk('releaseToken', { params: { jti: renewed }, body: {} })
    assert.equal(await service.logSize(), leaves)
  })

  test('leave no request with the review desk after a release: whoever must approve now is asked', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await anL3Token(service, {
      inner_limits: HOLDS_EVERYTHING,
      constraints: { require_approval: { actions: ['buy'] } },
    })
    const desk = callerOf({ context: { ...service.context, access: 'keyed' } }, aReviewDesk('default'))
    const ask = async (more: object = {}) =>
      (await service.post('/v1/vat/authorize', { vat_jti: jti, ...BUY, ...more })).body
    const held = await ask()
    await service.submit({ kind: 'release', vat_jti: jti })
    assert.equal((await ask({ dry_run: true })).reason, 'approval_required')
    const { approval_id } = await ask()
    assert.notEqual(approval_id, held.approval_id)
    assert.equal((await ask()).approval_id, approval_id)
    assert.equal((await service.get(`/v1/vat/approvals/${held.approval_id}`)).body.state, 'expired')
    assert.deepEqual((await desk('listApprovals', { query: { state: 'pending' } })).data, [])
    const refused = desk('approve', { params: { id: approval_id }, body: {} })
    await assert.rejects(refused, { code: 'not_an_approver' })
    assert.equal((await service.post(`/v1/vat/approvals/${approval_id}/approve`)).status, 200)
    assert.equal((await ask({ approval_id })).authorized, true)
  })

  test('have the same size and shape for every L3 token, in the store and in the log', async (context) => {
    const { service } = await aToken(context, HOLDS_EVERYTHING)
    await anL3Token(service, { inner_limits: HOLDS_NOTHING })
    await anL3Token(service, { inner_limits: { holds: true, above_micro_usd: Number.MAX_SAFE_INTEGER } })
    const rows = await service.rows('SELECT inner_limits FROM tokens')
    const sizes = new Set(rows.map(({ inner_limits }) => (inner_limits as Uint8Array).length)) // none is null
    assert.equal(sizes.size, 1)
    const leaves = (await service.leafTexts())
      .map((text) => JSON.parse(text))
      .filter(({ type }) => type === 'token.issued')
    assert.equal(leaves.length, 3)
    assert.equal(new Set(leaves.map((leaf) => Object.keys(leaf).join())).size, 1)
    assert.equal(new Set(leaves.map(({ inner_digest }) => inner_digest)).size, 3)
    assert.equal(new Set(leaves.map(({ inner_digest }) => inner_digest.length)).size, 1)
  })
})
