import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'

const EVALUATION = '/access/v1/evaluation'
const EVALUATIONS = '/access/v1/evaluations'

async function aToken(service: TestApp, changes: Record<string, unknown> = {}) {
  const { body } = await service.post('/v1/vat/issue/l1', anIssueRequest(changes))
  return body
}

const asked = (jti: string, changes: Record<string, unknown> = {}) => ({
  subject: { type: 'agent', id: 'calendar-bot', properties: { vat_jti: jti } },
  action: { name: 'read' },
  resource: { type: 'calendar', id: 'events' },
  ...changes,
})

describe('an AuthZEN evaluation', () => {
  test('of the example in the specification returns false with a reason, not an error', async (context) => {
    const service = await aTestApp(context)
    const { status, body } = await service.post(EVALUATION, {
      subject: { type: 'user', id: 'alice@acmecorp.com' },
      resource: { type: 'account', id: '123' },
      action: { name: 'can_read', properties: { method: 'GET' } },
      context: { time: '1985-10-26T01:22-07:00' },
    })
    assert.deepEqual([status, body.decision, body.context.id], [200, false, 'subject_unknown'])
    assert.match(body.context.reason_user.en, /not an agent or a token/)
  })

  test('is decided by the rules of authorize, and stores nothing', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service)
    const size = await service.logSize()
    assert.equal((await service.post(EVALUATION, asked(jti))).body.decision, true)
    const no = await service.post(EVALUATION, asked(jti, { action: { name: 'fly' } }))
    assert.deepEqual([no.body.decision, no.body.context.id], [false, 'action_not_in_scope'])
    const token = await service.post(EVALUATION, asked(jti, { subject: { type: 'token', id: jti } }))
    assert.equal(token.body.decision, true)
    assert.equal(await service.logSize(), size)
  })

  test('is stored if the context requests it', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, { constraints: { max_spend_usd: 1 } })
    const recorded = { record: true, spend_usd: 0.75 }
    const yes = await service.post(EVALUATION, asked(jti, { context: recorded }), {
      'idempotency-key': 'one',
    })
    const { aar_id } = yes.body.context
    const again = await service.post(EVALUATION, asked(jti, { context: recorded }), {
      'idempotency-key': 'one',
    })
    assert.deepEqual([again.body, again.headers['idempotency-replayed']], [yes.body, 'true'])
    assert.equal((await service.get(`/v1/vat/aar/${aar_id}`)).body.state, 'pending')
    const no = await service.post(EVALUATION, asked(jti, { context: recorded }))
    assert.equal(no.body.context.id, 'budget_exceeded')
    assert.equal((await service.get(`/v1/vat/denials/${no.body.context.denial_id}`)).status, 200)
    const closed = await service.post(`/v1/vat/aar/${aar_id}/complete`, { result: 'success' })
    assert.equal(closed.body.spend_usd, 0.75)
  })

  test('applies limits on arguments to the properties of the action', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, { constraints: { arguments: { read: { '/limit': { max: 10 } } } } })
    const read = async (properties?: unknown) =>
      (await service.post(EVALUATION, asked(jti, { action: { name: 'read', properties } }))).body
    assert.equal((await read({ limit: 10 })).decision, true)
    const { decision, context: why } = await read({ limit: 11 })
    assert.deepEqual(
      [decision, why.details],
      [false, [{ reason: 'argument_not_allowed', path: '/limit', rule: 'max' }]],
    )
  })

  test('requires the token of the agent that it names', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service)
    const reason = async (subject: unknown) =>
      (await service.post(EVALUATION, asked(jti, { subject }))).body.context.id
    assert.equal(await reason({ type: 'agent', id: 'calendar-bot' }), 'token_required')
    assert.equal(
      await reason({ type: 'agent', id: 'other-bot', properties: { vat_jti: jti } }),
      'subject_mismatch',
    )
    assert.equal(await reason({ type: 'token', id: 'vat_root_unknown' }), 'subject_unknown')
    assert.equal(
      await reason({ type: 'agent', id: 'agent:calendar-bot', properties: { vat_jti: jti } }),
      undefined,
    )
  })

  test('of a name outside the grammar returns false and stores nothing', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service, { resources: ['calendar:*'] })
    const size = await service.logSize()
    for (const changes of [
      { resource: { type: 'cal:endar', id: '*' } },
      { resource: { type: 'calendar', id: 'a b' } },
      { action: { name: '*' } },
      { action: { name: 'read\u202e' } },
    ])
      assert.equal(
        (await service.post(EVALUATION, asked(jti, { ...changes, context: { record: true } }))).body.decision,
        false,
      )
    assert.equal(await service.logSize(), size)
  })

  test('that is malformed is refused', async (context) => {
    const service = await aTestApp(context)
    for (const body of [{}, { subject: { type: 'user' } }, asked('x', { context: { spend_usd: -1 } })])
      assert.equal((await service.post(EVALUATION, body)).status, 400)
  })
})

describe('AuthZEN evaluations', () => {
  const documents = (...ids: string[]) => ids.map((id) => ({ resource: { type: 'calendar', id } }))
  const decisions = (body: { evaluations: { decision: boolean }[] }) =>
    body.evaluations.map(({ decision }) => decision)

  test('take their defaults from the top level', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service)
    const { resource: _, ...defaults } = asked(jti)
    const { body } = await service.post(EVALUATIONS, {
      ...defaults,
      evaluations: [
        ...documents('events', 'holidays'),
        { ...documents('events')[0], action: { name: 'fly' } },
      ],
    })
    assert.deepEqual(decisions(body), [true, false, false])
    assert.equal(body.evaluations[2].context.id, 'action_not_in_scope')
  })

  test('stop according to their semantic', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service)
    const { resource: _, ...defaults } = asked(jti)
    const run = async (evaluations_semantic: string, ...ids: string[]) => {
      const request = { ...defaults, options: { evaluations_semantic }, evaluations: documents(...ids) }
      return decisions((await service.post(EVALUATIONS, request)).body)
    }
    assert.deepEqual(await run('execute_all', 'events', 'no', 'events'), [true, false, true])
    assert.deepEqual(await run('deny_on_first_deny', 'events', 'no', 'events'), [true, false])
    assert.deepEqual(await run('permit_on_first_permit', 'no', 'events', 'no'), [false, true])
  })

  test('without a list are one evaluation', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service)
    const { body } = await service.post(EVALUATIONS, asked(jti))
    assert.deepEqual([body.decision, body.evaluations], [true, undefined])
  })

  test('of the example in the specification are answered in order', async (context) => {
    const service = await aTestApp(context)
    const { status, body } = await service.post(EVALUATIONS, {
      subject: { type: 'user', id: 'alice@example.com' },
      action: { name: 'read' },
      options: { evaluations_semantic: 'execute_all', another_option: 'value' },
      evaluations: ['1', '2', '3'].map((id) => ({ resource: { type: 'document', id } })),
    })
    assert.deepEqual([status, decisions(body)], [200, [false, false, false]])
  })

  test('name the evaluation that lacks a member', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service)
    const { resource: _, ...defaults } = asked(jti)
    const { status, body } = await service.post(EVALUATIONS, {
      ...defaults,
      evaluations: [...documents('events'), {}],
    })
    assert.deepEqual([status, body.errors[0].pointer], [400, '/evaluations/1/resource'])
  })
})

test('the AuthZEN metadata names both endpoints', async (context) => {
  const service = await aTestApp(context)
  const { body } = await service.get('/.well-known/authzen-configuration')
  assert.equal(body.access_evaluation_endpoint, `${body.policy_decision_point}${EVALUATION}`)
  assert.equal(body.access_evaluations_endpoint, `${body.policy_decision_point}${EVALUATIONS}`)
})
