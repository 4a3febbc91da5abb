import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { proveAddress } from '../a-proven-address.ts'
import { aKeyedApp, anAgent, anAgentKey, aPerson, type Client } from './a-keyed-app.ts'

const app = await aKeyedApp({ after })
const { operator } = app
const developer = app.withKey(await app.key('default', 'developer'))

async function aDelegatingPerson(name: string) {
  const developer_email = `${name}@example.com`
  const agent = await anAgent(app, developer, { agent_id: `${name}-bot`, developer_email })
  const person = await aPerson(app, 'default', agent.human_ref)
  const issue = (client: Client = developer) =>
    client.post(
      '/v1/vat/issue/l1',
      anIssueRequest({ agent_id: `${name}-bot`, developer_email, agent_jwk: anAgentKey().jwk }),
    )
  return { agent, person, issue, at: `/v1/vat/humans/${agent.human_ref}` }
}

describe('a person who refuses tokens in their name', () => {
  test('gets no new or renewed token until they accept again, while existing tokens stay valid', async () => {
    const { agent, person, issue, at } = await aDelegatingPerson('ann')
    const refused = await person.client.post(`${at}/refuse`)
    assert.deepEqual([refused.status, refused.body.refuses, refused.body.changed], [200, true, true])
    for (const client of [developer, person.client]) {
      const { status, body } = await issue(client)
      assert.deepEqual([status, body.code, body.human_ref], [403, 'human_refuses', agent.human_ref])
    }
    const renewed = await developer.post('/v1/vat/renew', { vat_jti: agent.jti, expires_in: 600 })
    assert.deepEqual([renewed.status, renewed.body.code], [403, 'human_refuses'])
    const ask = { vat_jti: agent.jti, action: 'read', resource: 'calendar:events' }
    assert.equal((await agent.client.post('/v1/vat/authorize', ask)).body.authorized, true)
    assert.equal((await person.client.get(at)).body.refused_at, refused.body.at)
    assert.equal((await person.client.post(`${at}/refuse`)).body.changed, false)
    assert.equal((await person.client.post(`${at}/accept`)).body.refuses, false)
    assert.equal((await issue()).status, 200)
  })

  test('gets no new token right after stopping everything', async () => {
    const { agent, person, issue } = await aDelegatingPerson('bob')
    const stopped = await person.client.post('/v1/vat/revoke/human', {
      human_ref: agent.human_ref,
      refuse_new: true,
    })
    assert.deepEqual([stopped.status, stopped.body.revoked_count], [200, 1])
    assert.equal((await issue()).body.code, 'human_refuses')
  })

  test("can't be overruled by a developer or an agent, only by an operator on their behalf", async () => {
    const { agent, person, issue, at } = await aDelegatingPerson('cat')
    await person.client.post(`${at}/refuse`)
    for (const client of [developer, agent.client]) {
      const { status, body } = await client.post(`${at}/accept`)
      assert.deepEqual([status, body.code], [403, 'role_not_allowed'])
    }
    const stranger = await aPerson(app, 'default', `sha256:${'0'.repeat(64)}`)
    assert.equal((await stranger.client.post(`${at}/accept`)).status, 404)
    assert.equal((await operator.post(`${at}/accept`)).status, 200)
    assert.equal((await issue()).status, 200)
  })

  test('can refuse under a ref that no token names yet', async () => {
    const human_ref = `sha256:${'d'.repeat(64)}`
    const dora = await aPerson(app, 'default', human_ref)
    assert.equal((await dora.client.post(`/v1/vat/humans/${human_ref}/refuse`)).body.changed, true)
    assert.equal((await dora.client.get(`/v1/vat/humans/${human_ref}`)).body.tokens, 0)
  })
})

describe('a person with several refs', () => {
  /** A person who proved an address when they signed in, after a developer had issued a token for it. */
  async function aLinkedPerson(name: string) {
    const { agent, issue } = await aDelegatingPerson(name)
    const address = agent.human_ref
    const account = `sha256:${name
      .repeat(64)
      .slice(0, 64)
      .replace(/[^a-f]/g, 'a')}`
    await proveAddress(app.test, { tenant_id: 'default', address, account })
    const person = await aPerson(app, 'default', account)
    const authorize = () =>
      agent.client.post('/v1/vat/authorize', {
        vat_jti: agent.jti,
        action: 'read',
        resource: 'calendar:events',
      })
    return { address, account, person, issue, authorize }
  }

  test('still refuses under an address that they prove later, and under its account', async () => {
    for (const [account, refused] of [
      [`sha256:${'e'.repeat(64)}`, 'account'],
      [`sha256:${'f'.repeat(64)}`, 'address'],
    ] as const) {
      const { agent, issue } = await aDelegatingPerson(`late-${refused}`)
      const address = agent.human_ref
      const { client } = await aPerson(app, 'default', account)
      const at = (ref: string) => `/v1/vat/humans/${ref}`
      const refuse =
        refused === 'account' ? client.post(`${at(account)}/refuse`) : operator.post(`${at(address)}/refuse`)
      assert.equal((await refuse).body.changed, true)
      await proveAddress(app.test, { tenant_id: 'default', address, account })
      assert.equal((await issue()).body.code, 'human_refuses')
      assert.ok((await client.get(at(account))).body.refused_at !== undefined)
      assert.equal((await client.post(`${at(account)}/accept`)).status, 200)
      assert.equal((await issue()).status, 200)
    }
  })

  test('is stopped under all refs and signed out, whichever ref an operator names', async () => {
    const named = { dan: 'account', eve: 'address' } as const
    for (const [name, ref] of Object.entries(named)) {
      const someone = await aLinkedPerson(name)
      const human_ref = someone[ref]
      const stopped = await operator.post('/v1/vat/revoke/human', { human_ref, refuse_new: true })
      assert.deepEqual([stopped.status, stopped.body.revoked_count], [200, 1], name)
      assert.equal((await someone.authorize()).body.reason, 'token_revoked', name)
      assert.equal((await someone.issue()).body.code, 'human_refuses', name)
      assert.equal((await someone.person.client.get(`/v1/vat/humans/${someone.account}`)).status, 401, name)
      assert.ok((await operator.get(`/v1/vat/humans/${someone.address}`)).body.refused_at, name)
    }
  })

  test('is erased under all refs', async () => {
    const { account, address, authorize } = await aLinkedPerson('fay')
    const erased = await operator.call('DELETE', `/v1/vat/humans/${account}`)
    assert.deepEqual([erased.status, erased.body.revoked_count], [200, 1])
    assert.equal((await authorize()).body.reason, 'token_revoked')
    assert.ok((await operator.get(`/v1/vat/humans/${address}`)).body.erased_at)
    assert.equal((await operator.call('DELETE', `/v1/vat/humans/${address}`)).body.already_erased, true)
  })
})
