import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type Answer, aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { aKeyedApp, anAgent, aPerson, type Client } from './a-keyed-app.ts'

const READ = { action: 'read', resource: 'calendar:events' }
const service = await aTestApp({ after })

async function aToken(constraints: Record<string, unknown> = {}, changes: Record<string, unknown> = {}) {
  const { status, body } = await service.post('/v1/vat/issue/l1', anIssueRequest({ constraints, ...changes }))
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const authorize = (
  vat_jti: string,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) => service.post('/v1/vat/authorize', { vat_jti, ...READ, ...more }, headers)

/** Authorizes `asked`, completes with `spent`, and returns the record. */
async function settled(vat_jti: string, asked: number, spent: number, result = 'success') {
  const { body } = await authorize(vat_jti, { spend_usd: asked })
  assert.equal(body.authorized, true, JSON.stringify(body))
  const done = await service.post(`/v1/vat/aar/${body.aar_id}/complete`, { result, spend_usd: spent })
  assert.equal(done.status, 200, JSON.stringify(done.body))
  return done.body
}

const reasonsOf = async (answer: Promise<Answer>) => (await answer).body.reasons ?? []
const tokenOf = async (jti: string) => (await service.get(`/v1/vat/tokens/${jti}`)).body

describe('a completion that costs more than it was authorized for', () => {
  const LIMITS: Readonly<Record<string, Record<string, unknown>>> = {
    'a budget': { max_spend_usd: 1000 },
    'a limit per action': { max_spend_per_action_usd: 950 },
    'an approval above an amount': { require_approval: { above_usd: 100 } },
    'an approval of another action': { require_approval: { actions: ['write'] } },
  }
  for (const [name, constraints] of Object.entries(LIMITS))
    test(`is stored and marked, and suspends the token under ${name}`, async () => {
      const { jti } = await aToken(constraints)
      const record = await settled(jti, 0, 900)
      assert.deepEqual([record.spend_usd, record.exceeded, record.result], [900, true, 'success'])
      const { status, suspended_by, suspend_code } = await tokenOf(jti)
      assert.deepEqual(
        [status, suspended_by, suspend_code],
        ['suspended', 'person', 'exceeded_authorization'],
      )
      assert.deepEqual(await reasonsOf(authorize(jti)), ['token_suspended'])
      const read = await service.get(`/v1/vat/aar/${record.aar_id}`)
      assert.equal(read.body.exceeded, true)
    })

  test('suspends a child under a limit of its parent', async () => {
    const root = await aToken({ max_spend_usd: 1000 }, { actions: ['read', 'delegate'] })
    const child = await service.post('/v1/vat/delegate', { vat_jti: root.jti, agent_id: 'sub-bot' })
    assert.equal((await settled(child.body.jti, 1, 2)).exceeded, true)
    assert.equal((await tokenOf(child.body.jti)).status, 'suspended')
    assert.equal((await tokenOf(root.jti)).status, 'live')
  })

  test('suspends the highest token whose limit per action or approval was exceeded', async () => {
    for (const constraints of [{ max_spend_per_action_usd: 100 }, { require_approval: { above_usd: 100 } }]) {
      const root = await aToken(constraints, { actions: ['read', 'delegate'] })
      const renewed = await service.post('/v1/vat/renew', { vat_jti: root.jti, expires_in: 7200 })
      const below = async (vat_jti: string, agent_id: string) =>
        (await service.post('/v1/vat/delegate', { vat_jti, agent_id, actions: ['read', 'delegate'] })).body
          .jti
      const sibling = await below(renewed.body.jti, 'sub-bot-1')
      const child = await below(await below(renewed.body.jti, 'sub-bot-2'), 'sub-bot-3')
      assert.equal((await settled(child, 99, 100)).exceeded, true)
      assert.equal((await tokenOf(root.jti)).status, 'live')
      assert.equal((await settled(sibling, 0, 900)).exceeded, true)
      for (const jti of [root.jti, renewed.body.jti, sibling])
        assert.deepEqual(await reasonsOf(authorize(jti)), ['token_suspended'])
      const again = await service.post('/v1/vat/delegate', { vat_jti: root.jti, agent_id: 'sub-bot-4' })
      assert.deepEqual([again.status, again.body.reason], [403, 'token_suspended'])
    }
  })

  test('suspends the token that was renewed, so that neither it nor a renewal works', async () => {
    const root = await aToken({ max_spend_usd: 1000 })
    const once = (await service.post('/v1/vat/renew', { vat_jti: root.jti, expires_in: 7200 })).body.jti
    const twice = (await service.post('/v1/vat/renew', { vat_jti: once, expires_in: 7200 })).body.jti
    assert.equal((await settled(twice, 1, 2)).exceeded, true)
    for (const jti of [root.jti, once, twice])
      assert.deepEqual(await reasonsOf(authorize(jti)), ['token_suspended'])
  })

  test('changes nothing for a token without limits on spending', async () => {
    const { jti } = await aToken({ max_actions: 100 })
    const record = await settled(jti, 0, 900)
    assert.deepEqual([record.exceeded, (await tokenOf(jti)).status], [undefined, 'live'])
  })

  test('is tolerated up to max_overrun_pct of the authorized spend', async () => {
    const { jti } = await aToken({ max_spend_usd: 1000, max_overrun_pct: 10 })
    assert.equal((await settled(jti, 10, 11)).exceeded, undefined)
    assert.equal((await settled(jti, 0, 0)).exceeded, undefined)
    assert.equal((await settled(jti, 10, 11.000001)).exceeded, true)
  })

  test('can be over budget without exceeding, and exceed without being over budget', async () => {
    const tight = await aToken({ max_spend_usd: 1, max_overrun_pct: 50 })
    const over = await settled(tight.jti, 1, 1.5)
    assert.deepEqual([over.over_budget, over.exceeded], [true, undefined])
    assert.deepEqual(await reasonsOf(authorize(tight.jti)), ['budget_exceeded'])
    const wide = await aToken({ max_spend_usd: 100 })
    const exceeded = await settled(wide.jti, 1, 1.5)
    assert.deepEqual([exceeded.over_budget, exceeded.exceeded], [undefined, true])
  })

  test('counts as failed whatever its result, and the workflow keeps the reported result', async () => {
    const { jti, provenance_ref } = await aToken({ max_spend_usd: 100 }, { agent_id: 'dear-bot' })
    await service.post('/v1/vat/record/action', { vat_jti: jti, ...READ, result: 'success' })
    const [first, second] = [await authorize(jti), await authorize(jti)]
    for (const [answer, result] of [
      [first, 'success'],
      [second, 'cancelled'],
    ] as const)
      await service.post(`/v1/vat/aar/${answer.body.aar_id}/complete`, { result, spend_usd: 1 })
    const { body } = await service.get('/v1/vat/reputation/dear-bot')
    assert.deepEqual([body.completed_actions, body.execution_score], [3, 1 / 3])
    const workflow = await service.get(`/v1/vat/aar/provenance/${provenance_ref}`)
    assert.deepEqual(workflow.body.results_by_type, { cancelled: 1, success: 2 })
  })

  test('is exported with its mark', async () => {
    const { jti, provenance_ref } = await aToken({ max_spend_usd: 100 })
    await settled(jti, 1, 2)
    const exported = async (format: string) =>
      service.app.inject({ url: `/v1/vat/aar/provenance/${provenance_ref}/export?format=${format}` })
    const [line] = (await exported('ndjson')).body.trim().split('\n')
    assert.equal(JSON.parse(String(line)).exceeded, true)
    const [header, row] = (await exported('csv')).body.split('\r\n').map((one) => one.split(','))
    assert.equal(row?.[header?.indexOf('exceeded') ?? -1], 'true')
  })
})

describe('max_overrun_pct', () => {
  test('only narrows along a chain, and a limited parent without it tolerates nothing', async () => {
    const widening = async (parent: Record<string, unknown>, child: Record<string, unknown>) => {
      const root = await aToken(parent, { actions: ['read', 'delegate'] })
      const { body } = await service.post('/v1/vat/delegate', {
        vat_jti: root.jti,
        agent_id: 'sub-bot',
        constraints: child,
      })
      return body.widening ?? []
    }
    assert.deepEqual(await widening({ max_overrun_pct: 10 }, { max_overrun_pct: 11 }), ['max_overrun_pct'])
    assert.deepEqual(await widening({ max_spend_usd: 5 }, { max_overrun_pct: 1 }), ['max_overrun_pct'])
    assert.deepEqual(await widening({ max_overrun_pct: 10 }, { max_overrun_pct: 10 }), [])
    assert.deepEqual(await widening({}, { max_spend_usd: 5, max_overrun_pct: 100 }), [])
  })

  test('is a whole number from 0 to 1000', async () => {
    for (const max_overrun_pct of [-1, 0.5, 1001, '10']) {
      const { status, body } = await service.post(
        '/v1/vat/issue/l1',
        anIssueRequest({ constraints: { max_overrun_pct } }),
      )
      assert.deepEqual([status, body.errors[0].pointer], [400, '/constraints/max_overrun_pct'])
    }
  })
})

describe('a token that the service suspended', () => {
  test('can be resumed by the person or an operator, not by the agent or a developer', async () => {
    const app = await aKeyedApp({ after })
    const developer = app.withKey(await app.key('default', 'developer'))
    const rogue = async (agent_id: string) => {
      const agent = await anAgent(app, developer, { agent_id, constraints: { max_spend_usd: 100 } })
      const { body } = await agent.client.post('/v1/vat/authorize', { vat_jti: agent.jti, ...READ })
      const done = await agent.client.post(`/v1/vat/aar/${body.aar_id}/complete`, {
        result: 'success',
        spend_usd: 90,
      })
      assert.deepEqual([done.status, done.body.exceeded], [200, true], JSON.stringify(done.body))
      return agent
    }
    const one = await rogue('one-bot')
    const resume = (client: Client, jti: string) => client.post(`/v1/vat/tokens/${jti}/resume`)
    assert.equal((await resume(one.client, one.jti)).status, 403)
    const refused = await resume(developer, one.jti)
    assert.deepEqual([refused.status, refused.body.code], [403, 'rank_too_low'])
    const renewed = await developer.post('/v1/vat/renew', { vat_jti: one.jti, expires_in: 60 })
    assert.equal(renewed.body.code, 'token_not_live')
    const person = await aPerson(app, 'default', one.human_ref)
    assert.equal((await resume(person.client, one.jti)).status, 200)
    const two = await rogue('two-bot')
    assert.equal((await resume(app.operator, two.jti)).status, 200)
  })
})

describe('a used up budget', () => {
  test('denies everything, including actions without a spend', async () => {
    const { jti } = await aToken({ max_spend_usd: 1 })
    await settled(jti, 1, 1)
    for (const spend_usd of [0, 0.000001])
      assert.deepEqual(await reasonsOf(authorize(jti, { spend_usd })), ['budget_exceeded'])
    const refused = await service.post('/v1/vat/record/action', { vat_jti: jti, ...READ, result: 'success' })
    assert.deepEqual(refused.body.reasons, ['budget_exceeded'])
  })

  test('counts reservations, and works again when one is released', async () => {
    const { jti } = await aToken({ max_spend_usd: 1 })
    const { body } = await authorize(jti, { spend_usd: 1 })
    assert.deepEqual(await reasonsOf(authorize(jti)), ['budget_exceeded'])
    await service.post(`/v1/vat/aar/${body.aar_id}/cancel`)
    assert.deepEqual(await reasonsOf(authorize(jti)), [])
  })

  test('differs from a budget of zero, with which a token can act without spending', async () => {
    const { jti } = await aToken({ max_spend_usd: 0 })
    assert.deepEqual(await reasonsOf(authorize(jti)), [])
    assert.deepEqual(await reasonsOf(authorize(jti, { spend_usd: 0.01 })), ['budget_exceeded'])
  })
})

describe('min_reputation', () => {
  const rated = async (jti: string, rating: string, times: number) => {
    for (let n = 0; n < times; n += 1) {
      const { body } = await authorize(jti)
      await service.post(`/v1/vat/aar/${body.aar_id}/feedback`, { rating })
    }
  }
  const gateOf = async (agent_id: string): Promise<number> =>
    (await service.get(`/v1/vat/reputation/${agent_id}`)).body.gate_score

  test('is not reached by any number of successes that the agent reports itself', async () => {
    const free = await aToken({}, { agent_id: 'boasting-bot' })
    const items = Array.from({ length: 1000 }, () => ({ vat_jti: free.jti, ...READ, result: 'success' }))
    await service.post('/v1/vat/record/batch', { items })
    const { body } = await service.get('/v1/vat/reputation/boasting-bot')
    assert.deepEqual([body.combined_reputation, body.gate_score], [0.8, 0])
    const gated = await aToken({ min_reputation: 0.01 }, { agent_id: 'boasting-bot' })
    assert.deepEqual(await reasonsOf(authorize(gated.jti)), ['reputation_too_low'])
  })

  test('is reached with ratings, and the reputation shows the compared score', async () => {
    const free = await aToken({}, { agent_id: 'rated-bot' })
    const gated = await aToken({ min_reputation: 0.7 }, { agent_id: 'rated-bot' })
    await rated(free.jti, 'approved', 8)
    assert.ok((await gateOf('rated-bot')) < 0.7)
    assert.deepEqual(await reasonsOf(authorize(gated.jti)), ['reputation_too_low'])
    await rated(free.jti, 'approved', 2)
    assert.ok((await gateOf('rated-bot')) >= 0.7)
    assert.deepEqual(await reasonsOf(authorize(gated.jti)), [])
    await rated(free.jti, 'rejected', 1)
    assert.deepEqual(await reasonsOf(authorize(gated.jti)), ['reputation_too_low'])
  })
})

describe('the largest spend, many times', () => {
  test('leads to spend_out_of_range, and the chain can still be read, stopped and erased', async () => {
    const root = await aToken({}, { actions: ['read', 'delegate'], developer_email: 'rich@example.com' })
    const child = await service.post('/v1/vat/delegate', { vat_jti: root.jti, agent_id: 'sub-bot' })
    const codes: unknown[] = []
    for (let n = 0; n < 15; n += 1) {
      const { body } = await authorize(child.body.jti)
      const done = await service.post(`/v1/vat/aar/${body.aar_id}/complete`, {
        result: 'success',
        spend_usd: 1e9,
      })
      codes.push(done.body.code ?? 'kept')
    }
    assert.deepEqual(codes, [...Array(9).fill('kept'), ...Array(6).fill('spend_out_of_range')])
    const human_ref = root.claims.svc_human_ref
    const reads = [
      `/v1/vat/tokens/${root.jti}`,
      `/v1/vat/tokens/${root.jti}/budget`,
      `/v1/vat/tokens/${root.jti}/descendants`,
      `/v1/vat/tokens?human_ref=${human_ref}`,
      `/v1/vat/humans/${human_ref}`,
    ]
    for (const path of reads) assert.equal((await service.get(path)).status, 200, path)
    const stops: [string, unknown][] = [
      [`/v1/vat/tokens/${child.body.jti}/suspend`, {}],
      ['/v1/vat/revoke/preview', { vat_jti: root.jti }],
      ['/v1/vat/revoke', { vat_jti: child.body.jti }],
      ['/v1/vat/revoke/agent', { agent_id: 'sub-bot' }],
      ['/v1/vat/revoke/human', { human_ref }],
    ]
    for (const [path, body] of stops) assert.equal((await service.post(path, body)).status, 200, path)
    assert.equal((await service.delete(`/v1/vat/humans/${human_ref}`)).status, 200)
    assert.deepEqual(await reasonsOf(authorize(root.jti)), ['token_revoked'])
  })
})

describe('a repeated authorize', () => {
  const repeated = async (stop: (app: TestApp, jti: string) => Promise<unknown>) => {
    const { jti } = await aToken()
    const headers = { 'idempotency-key': `again-${jti}` }
    const first = await authorize(jti, {}, headers)
    assert.equal((await authorize(jti, {}, headers)).body.authorized, true)
    await stop(service, jti)
    const later = await authorize(jti, {}, headers)
    assert.equal(later.headers['idempotency-replayed'], 'true')
    assert.equal(later.body.aar_id, first.body.aar_id)
    return { jti, later: later.body, headers }
  }

  test('is denied once the token is revoked, and still names its record', async () => {
    const { later } = await repeated((app, vat_jti) => app.post('/v1/vat/revoke', { vat_jti }))
    assert.deepEqual(
      [later.authorized, later.reason, later.reasons],
      [false, 'token_revoked', ['token_revoked']],
    )
    const cancelled = await service.post(`/v1/vat/aar/${later.aar_id}/cancel`)
    assert.equal(cancelled.status, 200)
  })

  test('is denied while the token is suspended, and allowed again after it is resumed', async () => {
    const { jti, later, headers } = await repeated((app, vat_jti) =>
      app.post(`/v1/vat/tokens/${vat_jti}/suspend`, {}),
    )
    assert.deepEqual(later.reasons, ['token_suspended'])
    await service.post(`/v1/vat/tokens/${jti}/resume`)
    assert.equal((await authorize(jti, {}, headers)).body.authorized, true)
  })

  test('is denied once its record was cancelled or has expired, because the permission was returned', async () => {
    const aarOf = async (app: TestApp, vat_jti: string) =>
      (await app.get(`/v1/vat/aar?provenance_ref=${(await tokenOf(vat_jti)).provenance_ref}`)).body.data[0]
        .aar_id
    const cancelled = await repeated(async (app, vat_jti) =>
      app.post(`/v1/vat/aar/${await aarOf(app, vat_jti)}/cancel`),
    )
    assert.deepEqual([cancelled.later.authorized, cancelled.later.reasons], [false, ['record_closed']])
    assert.equal((await authorize(cancelled.jti)).body.authorized, true)
    // Overdue, and then expired.
    for (const sweep of [async () => {}, () => service.sweep()]) {
      const { later } = await repeated(async ({ clock }) => {
        clock.advance(15 * 60_000)
        await sweep()
      })
      assert.deepEqual([later.authorized, later.reasons], [false, ['record_closed']])
    }
  })

  test('is still allowed after its record was completed', async () => {
    const { jti } = await aToken()
    const headers = { 'idempotency-key': `done-${jti}` }
    const { aar_id } = (await authorize(jti, {}, headers)).body
    assert.equal((await service.post(`/v1/vat/aar/${aar_id}/complete`, { result: 'success' })).status, 200)
    const { body } = await authorize(jti, {}, headers)
    assert.deepEqual([body.authorized, body.aar_id], [true, aar_id])
  })

  test('is also denied in a batch, for the items whose token is revoked', async () => {
    const [dead, live] = [await aToken(), await aToken()]
    const items = [dead, live].map(({ jti }) => ({ vat_jti: jti, ...READ }))
    const headers = { 'idempotency-key': `batch-${dead.jti}` }
    const first = await service.post('/v1/vat/authorize/batch', { items }, headers)
    await service.post('/v1/vat/revoke', { vat_jti: dead.jti })
    const later = await service.post('/v1/vat/authorize/batch', { items }, headers)
    assert.deepEqual(
      later.body.items.map((item: Answer['body']) => [item.answer.authorized, item.answer.aar_id]),
      first.body.items.map((item: Answer['body'], index: number) => [index === 1, item.answer.aar_id]),
    )
  })

  test('of a recorded action returns the record even if the token is revoked', async () => {
    const { jti } = await aToken()
    const headers = { 'idempotency-key': `record-${jti}` }
    const body = { vat_jti: jti, ...READ, result: 'success' }
    const first = await service.post('/v1/vat/record/action', body, headers)
    await service.post('/v1/vat/revoke', { vat_jti: jti })
    const later = await service.post('/v1/vat/record/action', body, headers)
    assert.deepEqual(later.body, first.body)
  })
})
