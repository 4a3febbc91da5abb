import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { type Agent, aKeyedApp, anAgent, aPerson, type Client } from './a-keyed-app.ts'

const app = await aKeyedApp({ after })
const developer = app.withKey(await app.key('default', 'developer'))
const operator = app.withKey(await app.key('default', 'operator'))

/** An agent, the person behind it, and every caller who may suspend its token, lowest rank first. */
async function aFreezable(agent_id: string) {
  const agent = await anAgent(app, developer, { agent_id, developer_email: `${agent_id}@example.com` })
  const person = await aPerson(app, 'default', agent.human_ref)
  const callers: Readonly<Record<string, Client>> = {
    agent: agent.client,
    developer,
    person: person.client,
    operator,
  }
  return { agent, callers }
}

const RANKS = ['agent', 'developer', 'person', 'operator']
const suspend = (client: Client | undefined, { jti }: Agent, body: unknown = {}) => {
  assert.ok(client !== undefined)
  return client.post(`/v1/vat/tokens/${jti}/suspend`, body)
}
const resume = (client: Client | undefined, { jti }: Agent) => {
  assert.ok(client !== undefined)
  return client.post(`/v1/vat/tokens/${jti}/resume`)
}

describe('a suspended token', () => {
  for (const [height, by] of RANKS.entries())
    test(`that ${by === 'agent' || by === 'operator' ? 'an' : 'a'} ${by} suspended is resumed by that rank or a higher one only`, async () => {
      for (const [other, rank] of RANKS.entries()) {
        if (rank === 'agent') continue // agents can't resume at all
        const { agent, callers } = await aFreezable(`bot-${by}-${rank}`)
        const suspended = await suspend(callers[by], agent)
        assert.deepEqual([suspended.status, suspended.body.suspended_by], [200, by])
        const { status, body } = await resume(callers[rank], agent)
        if (other >= height) assert.deepEqual([status, body.suspended, body.changed], [200, false, true])
        else assert.deepEqual([status, body.code, body.suspended_by], [403, 'rank_too_low', by])
      }
    })

  test('leaves the token that it renews live if a restore suspends it again', async (t) => {
    const service = await aTestApp(t)
    const { body: renewed } = await service.post('/v1/vat/issue/l1', anIssueRequest())
    const { body: renewal } = await service.post('/v1/vat/renew', { vat_jti: renewed.jti, expires_in: 7200 })
    const statuses = async () =>
      Promise.all(
        [renewal, renewed].map(async ({ jti }) => (await service.get(`/v1/vat/tokens/${jti}`)).body.status),
      )
    const target = { vat_jti: renewal.jti }
    const command = { kind: 'suspend', target, rank: 'operator', reason: undefined } as const
    await service.context.clerk.submit({ ...command, keeps_renewed: true })
    assert.deepEqual(await statuses(), ['suspended', 'live'])
    await service.context.clerk.submit(command)
    assert.deepEqual(await statuses(), ['suspended', 'suspended'])
  })

  test('can be raised to a higher rank, and never lowered', async () => {
    const { agent, callers } = await aFreezable('rising-bot')
    await suspend(callers.developer, agent, { reason: 'too many calls' })
    assert.equal((await suspend(callers.operator, agent)).body.changed, true)
    const lower = await suspend(callers.developer, agent, { reason: 'mine again' })
    assert.deepEqual([lower.body.changed, lower.body.suspended_by], [false, 'operator'])
    assert.equal((await resume(callers.developer, agent)).body.code, 'rank_too_low')
    assert.equal((await resume(callers.person, agent)).body.code, 'rank_too_low')
    const { body } = await developer.get(`/v1/vat/tokens/${agent.jti}`)
    assert.deepEqual(
      [body.status, body.suspended_by, body.suspend_reason],
      ['suspended', 'operator', 'too many calls'],
    )
    assert.equal((await resume(callers.operator, agent)).status, 200)
  })

  test('shows its reason until it is resumed, and the log never contains it', async () => {
    const { agent, callers } = await aFreezable('reason-bot')
    await suspend(callers.person, agent, { reason: 'it wrote to my landlord' })
    const held = await developer.get(`/v1/vat/tokens/${agent.jti}`)
    assert.equal(held.body.suspend_reason, 'it wrote to my landlord')
    await resume(callers.person, agent)
    const { body } = await developer.get(`/v1/vat/tokens/${agent.jti}`)
    assert.deepEqual([body.status, body.suspend_reason, body.suspended_by], ['live', undefined, undefined])
    const { body: page } = await operator.get('/v1/vat/log/entries?start=0&limit=200')
    assert.ok(!JSON.stringify(page).includes('landlord'))
  })

  test('loses its reason when the person behind it is erased', async () => {
    const { agent, callers } = await aFreezable('erased-bot')
    await suspend(callers.person, agent, { reason: 'private' })
    assert.equal((await operator.call('DELETE', `/v1/vat/humans/${agent.human_ref}`)).status, 200)
    const { body } = await developer.get(`/v1/vat/tokens/${agent.jti}`)
    assert.deepEqual([body.suspend_reason, body.erased], [undefined, true])
  })

  test('needs no body to be suspended, and refuses unknown members', async () => {
    const { agent } = await aFreezable('bodiless-bot')
    const refused = await suspend(developer, agent, { raeson: 'typo' })
    assert.deepEqual([refused.status, refused.body.errors[0].pointer], [400, '/raeson'])
    const { status } = await developer.call('POST', `/v1/vat/tokens/${agent.jti}/suspend`)
    assert.equal(status, 200)
  })
})

describe('a suspended agent', () => {
  test('that an operator suspended cannot be resumed by a developer', async () => {
    await anAgent(app, developer, { agent_id: 'held-bot' })
    const at = '/v1/vat/agents/held-bot'
    const held = await operator.post(`${at}/suspend`, { reason: 'under review' })
    assert.deepEqual([held.body.suspended_by, held.body.suspend_reason], ['operator', 'under review'])
    assert.equal((await developer.post(`${at}/resume`)).body.code, 'rank_too_low')
    const resumed = await operator.post(`${at}/resume`)
    assert.deepEqual(
      [resumed.status, resumed.body.suspended, resumed.body.suspend_reason],
      [200, false, undefined],
    )
  })

  test('that a developer suspended can be resumed by an operator', async () => {
    await anAgent(app, developer, { agent_id: 'paused-bot' })
    const at = '/v1/vat/agents/paused-bot'
    assert.equal((await developer.post(`${at}/suspend`)).body.suspended_by, 'developer')
    assert.equal((await operator.post(`${at}/resume`)).body.suspended, false)
  })
})

describe('in open mode', () => {
  test('every caller has the rank of an operator', async () => {
    const open = await aTestApp({ after })
    const { body } = await open.post('/v1/vat/issue/l1', anIssueRequest())
    assert.equal((await open.post(`/v1/vat/tokens/${body.jti}/suspend`, {})).body.suspended_by, 'operator')
    assert.equal((await open.post(`/v1/vat/tokens/${body.jti}/resume`, {})).body.changed, true)
  })
})
