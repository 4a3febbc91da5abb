import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { agentOf, aKeyedApp, anAgent, aPerson } from './a-keyed-app.ts'

describe('keyed mode', () => {
  test('lets an agent act with its own token and a person rate the record', async (context) => {
    const app = await aKeyedApp(context)
    await app.operator.post('/v1/vat/tenants', { tenant_id: 'acme' })
    const developer = app.withKey(await app.key('acme', 'developer'))
    const agent = await anAgent(app, developer)
    const answer = await agent.client.post('/v1/vat/record/action', {
      vat_jti: agent.jti,
      action: 'read',
      resource: 'calendar:events',
      result: 'success',
    })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const rated = await agent.client.post(`/v1/vat/aar/${answer.body.aar_id}/feedback`, {
      rating: 'approved',
    })
    assert.deepEqual([rated.status, rated.body.code], [403, 'role_not_allowed'])
    const person = await aPerson(app, 'acme', agent.human_ref)
    const again = await person.client.post(`/v1/vat/aar/${answer.body.aar_id}/feedback`, {
      rating: 'approved',
    })
    assert.equal(again.status, 200, JSON.stringify(again.body))
  })

  test('lets an agent close its records with a renewal of the token that opened them, but not with a child of it', async (context) => {
    const app = await aKeyedApp(context)
    await app.operator.post('/v1/vat/tenants', { tenant_id: 'acme' })
    const developer = app.withKey(await app.key('acme', 'developer'))
    const agent = await anAgent(app, developer, { expires_in: 60, constraints: { max_spend_usd: 10 } })
    const ask = { vat_jti: agent.jti, action: 'read', resource: 'calendar:events', spend_usd: 4 }
    const open = async () => (await agent.client.post('/v1/vat/authorize', ask)).body.aar_id
    const [first, second] = [await open(), await open()]
    const child = await agent.client.post('/v1/vat/delegate', {
      vat_jti: agent.jti,
      agent_id: 'calendar-bot',
    })
    let renewed = agent
    for (let time = 0; time < 2; time += 1) {
      const { body } = await developer.post('/v1/vat/renew', { vat_jti: renewed.jti, expires_in: 3600 })
      renewed = agentOf(app, body, agent.key)
    }
    const below = agentOf(app, child.body, agent.key).client
    const done = { result: 'success', spend_usd: 3 }
    assert.equal((await below.post(`/v1/vat/aar/${first}/complete`, done)).status, 404)
    app.test.clock.advance(120_000)
    assert.equal((await agent.client.post(`/v1/vat/aar/${first}/complete`, done)).status, 401)
    const completed = await renewed.client.post(`/v1/vat/aar/${first}/complete`, done)
    assert.deepEqual([completed.status, completed.body.state], [200, 'completed'], JSON.stringify(completed))
    const cancelled = await renewed.client.post(`/v1/vat/aar/${second}/cancel`)
    assert.deepEqual([cancelled.status, cancelled.body.state], [200, 'cancelled'])
    const { body } = await developer.get(`/v1/vat/tokens/${agent.jti}/budget`)
    assert.deepEqual([body.spent_usd, body.reserved_usd], [3, 0])
  })

  test('answers a repeated creation of a tenant like the first one', async (context) => {
    const { operator, test: service } = await aKeyedApp(context)
    const create = () =>
      operator.post('/v1/vat/tenants', { tenant_id: 'acme' }, { 'idempotency-key': 'create-acme' })
    const first = await create()
    service.clock.advance(5_000)
    const again = await create()
    assert.deepEqual([again.status, again.body], [first.status, first.body])
  })
})
