import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { POLICY_NAMES } from '@deputize/protocol'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'

const JWK = { kty: 'OKP', crv: 'Ed25519', x: 'ebVWLo_mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ' }
const ACTIONS = ['read', 'delegate']

const issue = (service: TestApp, changes: Record<string, unknown>) =>
  service.post('/v1/vat/issue/l1', anIssueRequest({ actions: ACTIONS, ...changes }))

const frameworks = ({ svc_policy_assertions }: { svc_policy_assertions?: { framework: string }[] }) =>
  (svc_policy_assertions ?? []).map(({ framework }) => framework).sort()

const unmetOf = (body: { unmet: { framework: string; id: string }[] }) =>
  body.unmet.map(({ framework, id }) => `${framework}.${id}`)

describe('policies', () => {
  test('are listed, and each shows every rule with its control and its check', async (context) => {
    const service = await aTestApp(context)
    const { data } = (await service.get('/v1/vat/policies')).body
    assert.deepEqual(data.map(({ name }: { name: string }) => name).sort(), [...POLICY_NAMES].sort())
    for (const { name, rule_count } of data) {
      const { status, body } = await service.get(`/v1/vat/policies/${name}`)
      assert.deepEqual([status, body.rules.length], [200, rule_count])
      for (const { id, control, sentence, check } of body.rules)
        assert.ok(id && control && sentence && check.kind, `${name} has a rule without a part`)
      assert.match(body.note, /never a certification/)
    }
    const unknown = await service.get('/v1/vat/policies/hipaa')
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'policy_unknown'])
  })

  test('can be evaluated for a planned token, rule by rule, and nothing is stored', async (context) => {
    const service = await aTestApp(context)
    const evaluate = async (changes: object) =>
      (
        await service.post('/v1/vat/policies/evaluate', {
          policy_assertions: ['HIPAA'],
          resources: ['records:visits'],
          actions: ['read'],
          ...changes,
        })
      ).body
    const before = await service.logSize()
    const good = await evaluate({ assurance_level: 'L2', expires_in: 3600 })
    assert.equal(good.met, true)
    const bad = await evaluate({ resources: ['records:*'] })
    assert.equal(bad.met, false)
    assert.deepEqual(
      bad.findings.filter(({ met }: { met: boolean }) => !met).map(({ id }: { id: string }) => id),
      ['minimum_necessary', 'automatic_logoff', 'person_authentication'],
    )
    assert.equal(bad.findings.length, good.findings.length)
    assert.equal(await service.logSize(), before)
    const tooLong = await evaluate({ assurance_level: 'L3', expires_in: 28_801 })
    assert.deepEqual([tooLong.code, tooLong.errors[0].pointer], ['invalid_request', '/expires_in'])
  })

  test('can be evaluated for an existing token if the request has no other member', async (context) => {
    const service = await aTestApp(context)
    const { jti } = (await issue(service, { expires_in: 3600, agent_jwk: JWK })).body
    const evaluate = (changes: object = {}) =>
      service.post('/v1/vat/policies/evaluate', {
        policy_assertions: ['NIST_ZTA', 'SOC2'],
        vat_jti: jti,
        ...changes,
      })
    assert.equal((await evaluate()).body.met, true)
    const surplus = await evaluate({ expires_in: 60 })
    assert.deepEqual([surplus.status, surplus.body.errors[0].pointer], [400, '/expires_in'])
    assert.equal((await evaluate({ vat_jti: 'vat_root_x' })).body.code, 'token_unknown')
  })
})

describe('a policy assertion', () => {
  test('is part of the signed claims of a token that meets it', async (context) => {
    const service = await aTestApp(context)
    const { status, body } = await issue(service, { policy_assertions: ['SOC2'] })
    assert.equal(status, 200)
    const [assertion] = body.claims.svc_policy_assertions
    const policy = (await service.get('/v1/vat/policies/SOC2')).body
    assert.deepEqual([assertion.framework, assertion.version], ['SOC2', policy.version])
    assert.deepEqual(
      assertion.controls.map(({ id }: { id: string }) => id),
      policy.rules.map(({ control }: { control: string }) => control),
    )
  })

  test('that a token does not meet is refused with every unmet rule', async (context) => {
    const service = await aTestApp(context)
    const before = await service.logSize()
    const { status, body } = await issue(service, {
      resources: ['records:*'],
      policy_assertions: ['HIPAA', 'NIST_ZTA', 'SOC2'],
    })
    assert.deepEqual([status, body.code], [403, 'policy_unmet'])
    assert.deepEqual(unmetOf(body).sort(), [
      'HIPAA.automatic_logoff',
      'HIPAA.minimum_necessary',
      'HIPAA.person_authentication',
      'NIST_ZTA.agent_identification',
      'NIST_ZTA.least_privilege',
      'NIST_ZTA.session_access',
    ])
    assert.equal(await service.logSize(), before)
    const unknown = await issue(service, { policy_assertions: ['PCI'] })
    assert.deepEqual([unknown.status, unknown.body.code], [400, 'invalid_request'])
  })

  test('can require a vouch score, which the token then requires of every agent below it', async (context) => {
    const service = await aTestApp(context)
    const vouched = (constraints: object) =>
      issue(service, { policy_assertions: ['SOC2_VOUCHED'], constraints })
    assert.deepEqual(unmetOf((await vouched({})).body), ['SOC2_VOUCHED.vouched_agent'])
    assert.equal((await vouched({ min_vouch_score: 0.29 })).body.code, 'policy_unmet')
    const root = (await vouched({ min_vouch_score: 0.3 })).body
    assert.deepEqual(frameworks(root.claims), ['SOC2_VOUCHED'])
    const child = { vat_jti: root.jti, agent_id: 'sub-bot', actions: ACTIONS }
    const below = (await service.post('/v1/vat/delegate', child)).body
    assert.deepEqual(
      [frameworks(below.claims), below.claims.svc_constraints.min_vouch_score],
      [['SOC2_VOUCHED'], 0.3],
    )
    assert.equal((await service.post('/v1/vat/delegate/preview', child)).body.allowed, true)
    const planned = { policy_assertions: ['SOC2_VOUCHED'], resources: ['ledger:2027'], actions: ['read'] }
    const evaluated = async (min_vouch_score: number) =>
      (await service.post('/v1/vat/policies/evaluate', { ...planned, min_vouch_score })).body.met
    assert.deepEqual([await evaluated(0.2), await evaluated(0.3)], [false, true])
  })

  test('is inherited by every descendant: assertions only accumulate', async (context) => {
    const service = await aTestApp(context)
    const root = (await issue(service, { policy_assertions: ['SOC2'] })).body
    const delegate = (vat_jti: string, changes: object = {}) =>
      service.post('/v1/vat/delegate', { vat_jti, agent_id: 'sub-bot', actions: ACTIONS, ...changes })
    const plain = (await delegate(root.jti)).body
    assert.deepEqual(frameworks(plain.claims), ['SOC2'])
    const both = (await delegate(root.jti, { policy_assertions: ['NIST_ZTA'], agent_jwk: JWK })).body
    assert.deepEqual(frameworks(both.claims), ['NIST_ZTA', 'SOC2'])
    const below = (await delegate(both.jti, { policy_assertions: ['SOC2'], agent_jwk: JWK })).body
    assert.deepEqual(frameworks(below.claims), ['NIST_ZTA', 'SOC2'])
  })

  test('of a parent that requires a key is met by every child, because a child needs a key, too', async (context) => {
    const service = await aTestApp(context)
    const request = { expires_in: 3600, agent_jwk: JWK, policy_assertions: ['NIST_ZTA'] }
    const root = (await issue(service, request)).body
    const child = await service.post('/v1/vat/delegate', { vat_jti: root.jti, agent_id: 'sub-bot' })
    assert.deepEqual([child.status, child.body.code], [403, 'key_required'])
  })

  test('is inherited by a renewed token, and a renewal that would not meet it is refused', async (context) => {
    const service = await aTestApp(context)
    const { jti } = (await issue(service, { policy_assertions: ['SOC2'] })).body
    const renewed = await service.post('/v1/vat/renew', { vat_jti: jti, expires_in: 86_400 })
    assert.deepEqual(frameworks(renewed.body.claims), ['SOC2'])
    const { status, body } = await service.post('/v1/vat/renew', { vat_jti: jti, expires_in: 86_401 })
    assert.deepEqual([status, body.code, unmetOf(body)], [403, 'policy_unmet', ['SOC2.credential_end']])
  })
})
