import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aKeyedApp, anAgent, aPerson } from './a-keyed-app.ts'

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
})
