import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type Answer, aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import fc from 'fast-check'
import type { Post } from '../a-capture.ts'
import { anEnrolment, anL3Token } from '../an-enrolled-person.ts'
import { aKeyedApp, anAgent, anAgentKey } from './a-keyed-app.ts'

const ACTIONS = ['read', 'write', 'delegate']
const NOW_BOUND = { policy_assertions: ['NIST_ZTA'], expires_in: 3600 }

/** The first three instants are in the past, now and in the child's lifetime. */
const instants = (now_ms: number) =>
  [-60_000, 0, 60_000, 1_800_000, 7_200_000].map((ms) => new Date(now_ms + ms).toISOString())

function requests(now_ms: number, keys: readonly object[]) {
  const maybe = <T>(values: readonly T[]) =>
    fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 })
  const rarely = <T>(values: readonly T[]) =>
    fc.option(fc.constantFrom(...values), { nil: undefined, freq: 1 })
  const given = (record: object) =>
    Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
  const constraints = fc
    .record({
      expires_at: maybe(instants(now_ms)),
      not_before: rarely(instants(now_ms)),
      max_spend_usd: maybe([1, 100]),
      max_spend_usd_per: rarely([{}, { day: 1 }]),
      verification_providers: rarely([['builtin'], ['acme-idv']]),
      require_approval: rarely([{}, { approvers: { count: 1, role: 'reviewer' } }]),
    })
    .map(given)
  const long = Array.from({ length: 60 }, (_, index) => `calendar:${index}${'x'.repeat(150)}`)
  return fc
    .record({
      agent_id: fc.constantFrom('calendar-bot', 'helper', 'suspended', 'foreign'),
      resources: rarely([['calendar:events'], ['calendar:*'], ['payments:invoices'], long]),
      actions: maybe([['read'], ['read', 'delegate'], ['pay']]),
      expires_in: maybe([60, 3600, 172_800]),
      audience: rarely(['api.example.com']),
      policy_assertions: rarely([['SOC2'], ['NIST_ZTA'], ['HIPAA_L3'], ['SOC2_VOUCHED']]),
      agent_jwk: maybe(keys),
      constraints: fc.option(constraints, { nil: undefined, freq: 2 }),
    })
    .map(given)
}

/** Asserts that the preview of a delegation says what the call itself then does. */
async function assertTrue(post: Post, request: object): Promise<boolean> {
  const { status, body: preview } = await post('/v1/vat/delegate/preview', request)
  const real: Answer = await post('/v1/vat/delegate', request)
  const shown = JSON.stringify({ request, preview, real: real.body })
  if (status !== 200) {
    assert.deepEqual(
      [status, preview.code, preview.detail],
      [real.status, real.body.code, real.body.detail],
      shown,
    )
    return false
  }
  assert.equal(preview.allowed, real.status === 201, shown)
  if (preview.allowed) {
    const {
      sub,
      svc_scope,
      svc_constraints = {},
      svc_delegation_depth,
      svc_trust_score,
      exp,
    } = real.body.claims
    assert.deepEqual(
      preview.child,
      {
        agent_id: sub,
        ...svc_scope,
        constraints: svc_constraints,
        delegation_depth: svc_delegation_depth,
        trust_score: svc_trust_score,
        expires_at: new Date(exp * 1000).toISOString(),
      },
      shown,
    )
    return true
  }
  const { code, detail, unmet, widening, reasons } = real.body
  if (code === 'policy_unmet') assert.equal(preview.unmet.length, unmet.length, shown)
  else if (code === 'delegation_not_allowed') assert.equal(preview.obstacle, detail, shown)
  else if (code === 'scope_widening') assert.deepEqual(preview.widening, widening, shown)
  else if (code === 'token_not_live' && preview.refusal === undefined)
    for (const reason of reasons) assert.ok(preview.reasons.includes(reason), shown)
  else assert.equal(preview.refusal?.code, code, shown)
  return false
}

async function assertAlwaysTrue(
  post: Post,
  roots: readonly string[],
  now_ms: number,
  keys: readonly object[],
) {
  let allowed = 0
  const request = fc.record({ root: fc.constantFrom(...roots), body: requests(now_ms, keys) })
  const property = fc.asyncProperty(request, async ({ root, body }) => {
    if (await assertTrue(post, { vat_jti: root, ...body })) allowed += 1
  })
  await fc.assert(property, { numRuns: 300 })
  assert.ok(allowed > 10, `only ${allowed} delegations were allowed`)
}

describe('a preview says of any delegation what the call itself does', () => {
  test('in open mode, below tokens of every kind', async () => {
    const app = await aTestApp({ after })
    const post: Post = (path, body) => app.post(path, body)
    const jwk = anAgentKey().jwk
    const root = async (changes: object) => {
      const { status, body } = await post(
        '/v1/vat/issue/l1',
        anIssueRequest({ actions: ACTIONS, ...changes }),
      )
      assert.equal(status, 200, JSON.stringify(body))
      return body.jti
    }
    const [, , soon, , later] = instants(app.clock())
    const person = { tenant_id: 'default', human_ref: `sha256:${'a'.repeat(64)}` }
    await anEnrolment(app, person)
    const proven = await anL3Token(app, person, { actions: ACTIONS, policy_assertions: ['HIPAA_L3'] })
    const roots = [
      await root({}),
      await root({ agent_jwk: jwk }),
      await root({ agent_jwk: jwk, ...NOW_BOUND }),
      await root({ constraints: { expires_at: later, max_spend_usd: 10, max_delegation_depth: 1 } }),
      await root({ constraints: { not_before: soon } }),
      await root({ constraints: { max_delegation_depth: 0 } }),
      await root({ actions: ['read'] }),
      await root({ actions: ['delegate'] }),
      await root({ agent_id: 'suspended' }),
      proven.jti,
    ]
    const revoked = await root({})
    await post('/v1/vat/revoke', { vat_jti: revoked })
    await post('/v1/vat/agents/suspended/suspend', {})
    await assertAlwaysTrue(post, [...roots, revoked], app.clock(), [jwk, anAgentKey().jwk, { kty: 'oct' }])
  })

  test('in keyed mode, for the agent that delegates', async () => {
    const keyed = await aKeyedApp({ after })
    const developer = keyed.withKey(await keyed.key('default', 'developer'))
    const rival = keyed.withKey(await keyed.key('default', 'developer'))
    const agent = await anAgent(keyed, developer, { actions: ACTIONS })
    const foreign = await anAgent(keyed, rival, { agent_id: 'foreign' })
    await anAgent(keyed, developer, { agent_id: 'suspended' })
    await keyed.operator.post('/v1/vat/agents/suspended/suspend', {})
    const post: Post = (path, body) => agent.client.post(path, body)
    const keys = [agent.key.jwk, foreign.key.jwk, anAgentKey().jwk, anAgentKey().jwk]
    await assertAlwaysTrue(post, [agent.jti], keyed.test.clock(), keys)
  })
})
