import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import {
  type Agent,
  type AgentKey,
  agentOf,
  aKeyedApp,
  anAgent,
  anAgentKey,
  aPerson,
  type Client,
} from './a-keyed-app.ts'

const app = await aKeyedApp({ after })
const { operator } = app
const developer = app.withKey(await app.key('default', 'developer'))
const rival_key = await app.key('default', 'developer')
const rival = app.withKey(rival_key)

const issue = (client: Client, changes: Record<string, unknown> = {}) =>
  client.post('/v1/vat/issue/l1', anIssueRequest({ agent_jwk: anAgentKey().jwk, ...changes }))
const delegate = (parent: Agent, agent_id: string, key: AgentKey = anAgentKey()) =>
  parent.client.post('/v1/vat/delegate', {
    vat_jti: parent.jti,
    agent_id,
    agent_jwk: key.jwk,
    actions: ['read', 'delegate'],
  })
const child = async (parent: Agent, agent_id: string, key = anAgentKey()) => {
  const answer = await delegate(parent, agent_id, key)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return agentOf(app, answer.body, key)
}
const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]
const TAKEN = [409, 'agent_taken']

describe('the name of an agent', () => {
  test('belongs to the developer who used it first, for any number of people and keys', async () => {
    for (const developer_email of ['ann@example.com', 'bob@example.com', 'cat@example.com'])
      assert.equal((await issue(developer, { agent_id: 'assistant', developer_email })).status, 200)
    const { body } = await developer.get('/v1/vat/agents/assistant')
    assert.match(body.owned_by[0], /^key:/)
    assert.equal(body.keys.length, 3)
    assert.deepEqual(outcome(await issue(rival, { agent_id: 'assistant' })), TAKEN)
  })

  test('stays with an API key when the key is rotated', async () => {
    const text = await app.key('default', 'developer')
    const [, key_id] = text.split('_')
    assert.equal((await issue(app.withKey(text), { agent_id: 'rotating-bot' })).status, 200)
    const rotated = await operator.post(`/v1/vat/keys/${key_id}/rotate`)
    assert.equal((await issue(app.withKey(rotated.body.key), { agent_id: 'rotating-bot' })).status, 200)
  })

  test('belongs to the person who used it first in a session', async () => {
    const { human_ref } = await anAgent(app, developer, { developer_email: 'dora@example.com' })
    const dora = await aPerson(app, 'default', human_ref)
    const mine = { agent_id: 'doras-bot', developer_email: 'dora@example.com' }
    const issued = await issue(dora.client, mine)
    assert.equal(issued.status, 200)
    assert.deepEqual(outcome(await issue(rival, mine)), TAKEN)
    const { body } = await operator.get('/v1/vat/agents/doras-bot')
    assert.deepEqual(body.owned_by, [`human:${human_ref}`])
  })

  test('can be shared or transferred only by its owner or an operator', async () => {
    await issue(developer, { agent_id: 'shared-bot' })
    const at = '/v1/vat/agents/shared-bot'
    const rivals = { owned_by: [`key:${rival_key.split('_')[1]}`] }
    assert.deepEqual(outcome(await rival.call('PATCH', at, rivals)), TAKEN)
    assert.deepEqual(outcome(await rival.post('/v1/vat/agents', { agent_id: 'shared-bot' })), TAKEN)
    assert.equal((await developer.call('PATCH', at, rivals)).status, 200)
    assert.equal((await issue(rival, { agent_id: 'shared-bot' })).status, 200)
    assert.deepEqual(outcome(await issue(developer, { agent_id: 'shared-bot' })), TAKEN)
    assert.equal((await operator.call('PATCH', at, { owned_by: ['*'] })).status, 200)
    for (const client of [developer, rival])
      assert.equal((await issue(client, { agent_id: 'shared-bot' })).status, 200)
    const bad = await operator.call('PATCH', at, { owned_by: ['me'] })
    assert.deepEqual([bad.status, bad.body.errors[0].pointer], [400, '/owned_by/0'])
  })

  test('is separate in each tenant', async () => {
    await operator.post('/v1/vat/tenants', { tenant_id: 'acme' })
    const theirs = app.withKey(await app.key('acme', 'developer'))
    assert.equal((await issue(theirs, { agent_id: 'assistant' })).status, 200)
  })

  test('is free in open mode', async () => {
    const open = await aTestApp({ after })
    const { body: root } = await open.post(
      '/v1/vat/issue/l1',
      anIssueRequest({ actions: ['read', 'delegate'] }),
    )
    await open.post('/v1/vat/issue/l1', anIssueRequest({ agent_id: 'trusted-bot' }))
    const taken = await open.post('/v1/vat/delegate', { vat_jti: root.jti, agent_id: 'trusted-bot' })
    assert.equal(taken.status, 201)
    assert.equal((await open.get('/v1/vat/agents/trusted-bot')).body.owned_by, undefined)
  })
})

describe('an agent that delegates', async () => {
  const planner = await anAgent(app, developer, { agent_id: 'planner' })
  const trusted = await anAgent(app, developer, { agent_id: 'trusted-bot' })

  test('cannot give its child the name of another agent, even one of the same developer', async () => {
    assert.deepEqual(outcome(await delegate(planner, 'trusted-bot')), TAKEN)
    const unbound = await planner.client.post('/v1/vat/delegate', {
      vat_jti: planner.jti,
      agent_id: 'trusted-bot',
    })
    assert.equal(unbound.status, 403)
  })

  test('can delegate to another agent by using its registered key', async () => {
    assert.equal((await delegate(planner, 'trusted-bot', trusted.key)).status, 201)
  })

  test('can name new agents, itself, and the agents that it or its children have created', async () => {
    const helper = await child(planner, 'helper')
    await child(planner, 'helper')
    await child(planner, 'planner')
    await child(helper, 'helper/one')
    await child(planner, 'helper/one')
    assert.deepEqual(outcome(await delegate(helper, 'planner')), TAKEN)
    assert.equal((await issue(developer, { agent_id: 'helper/one' })).status, 200)
    assert.deepEqual(outcome(await issue(rival, { agent_id: 'helper/one' })), TAKEN)
  })

  test('cannot bind a child to the key of another agent', async () => {
    assert.deepEqual(outcome(await delegate(planner, 'decoy', trusted.key)), TAKEN)
    await child(planner, 'same-program', planner.key)
  })

  test('can create only children that are bound to a key', async () => {
    const missing = await planner.client.post('/v1/vat/delegate', {
      vat_jti: planner.jti,
      agent_id: 'keyless',
    })
    assert.deepEqual(outcome(missing), [403, 'key_required'])
    const narrowed = await planner.client.post('/v1/vat/delegate', {
      vat_jti: planner.jti,
      agent_id: 'planner',
      actions: ['read'],
    })
    const parent = await developer.get(`/v1/vat/tokens/${planner.jti}`)
    assert.deepEqual([narrowed.status, narrowed.body.claims.cnf], [201, parent.body.claims.cnf])
  })

  test('gets the refusal of the real call from a preview, which stores nothing', async () => {
    const asked = (agent_id: string, key?: AgentKey) => ({
      vat_jti: planner.jti,
      agent_id,
      ...(key !== undefined && { agent_jwk: key.jwk }),
    })
    const cases: [string, ReturnType<typeof asked>][] = [
      ['agent_taken', asked('trusted-bot', anAgentKey())],
      ['agent_taken', asked('another-decoy', trusted.key)],
      ['key_required', asked('another-keyless')],
    ]
    for (const [code, body] of cases)
      for (const client of [planner.client, developer]) {
        const preview = await client.post('/v1/vat/delegate/preview', body)
        assert.deepEqual(
          [preview.status, preview.body.allowed, preview.body.refusal.code],
          [200, false, code],
        )
        const real = await planner.client.post('/v1/vat/delegate', body)
        assert.deepEqual([real.body.code, real.body.detail], [code, preview.body.refusal.detail])
      }
    const free = asked('previewed', anAgentKey())
    const preview = await planner.client.post('/v1/vat/delegate/preview', free)
    assert.deepEqual([preview.body.allowed, preview.body.refusal], [true, undefined])
    assert.equal((await developer.get('/v1/vat/agents/previewed')).status, 404)
    assert.equal((await planner.client.post('/v1/vat/delegate', free)).status, 201)
  })

  test('cannot add or change extension members of its parent', async () => {
    const marked = await anAgent(app, developer, { agent_id: 'marked', constraints: { x_team: 'sales' } })
    const extended = (constraints: unknown) =>
      marked.client.post('/v1/vat/delegate', {
        vat_jti: marked.jti,
        agent_id: 'marked',
        actions: ['read'],
        constraints,
      })
    for (const constraints of [{ x_role: 'admin' }, { x_team: 'board' }]) {
      const { status, body } = await extended(constraints)
      assert.deepEqual([status, body.code, body.widening], [403, 'scope_widening', Object.keys(constraints)])
    }
    for (const constraints of [{}, { x_team: 'sales' }]) {
      const { body } = await extended(constraints)
      assert.deepEqual(body.claims.svc_constraints.x_team, 'sales')
    }
  })
})

describe('the keys of an agent', () => {
  test('can be rotated: the new key is added, and no new token is bound to the old one', async () => {
    const old = await anAgent(app, developer, { agent_id: 'keyed-bot' })
    const next = anAgentKey()
    const at = '/v1/vat/agents/keyed-bot'
    const [jkt] = (await developer.get(at)).body.keys
    const changed = await developer.call('PATCH', at, { add_keys: [next.jwk], remove_keys: [jkt] })
    assert.equal(changed.body.keys.length, 1)
    assert.notEqual(changed.body.keys[0], jkt)
    const again = await issue(developer, { agent_id: 'keyed-bot', agent_jwk: old.key.jwk })
    assert.deepEqual(outcome(again), [409, 'key_removed'])
    assert.equal((await issue(developer, { agent_id: 'keyed-bot', agent_jwk: next.jwk })).status, 200)
    assert.equal((await old.client.get(`/v1/vat/tokens/${old.jti}`)).status, 200, 'old tokens stay valid')
    const unknown = await developer.call('PATCH', at, { remove_keys: ['A'.repeat(43)] })
    assert.deepEqual([unknown.status, unknown.body.errors[0].pointer], [400, '/remove_keys'])
    const weak = await developer.call('PATCH', at, { add_keys: [{ kty: 'RSA' }] })
    assert.deepEqual([weak.status, weak.body.errors[0].pointer], [400, '/add_keys/0'])
  })

  test('can be registered in advance, which lets other agents delegate to the name', async () => {
    const key = anAgentKey()
    const registered = await developer.post('/v1/vat/agents', { agent_id: 'search-bot', add_keys: [key.jwk] })
    assert.equal(registered.body.keys.length, 1)
    const writer = await anAgent(app, developer, { agent_id: 'writer' })
    assert.deepEqual(outcome(await delegate(writer, 'search-bot')), TAKEN)
    await child(writer, 'search-bot', key)
  })
})

describe('a suspended agent', () => {
  test('gets no token under another name with the same key: issued, delegated or renewed', async () => {
    const rogue = await anAgent(app, developer, { agent_id: 'rogue' })
    const second = await issue(developer, { agent_id: 'alias', agent_jwk: rogue.key.jwk })
    const alias = agentOf(app, second.body, rogue.key)
    assert.equal((await operator.post('/v1/vat/agents/rogue/suspend')).status, 200)
    const refused = await issue(developer, { agent_id: 'fresh-name', agent_jwk: rogue.key.jwk })
    assert.deepEqual(
      [...outcome(refused), refused.body.reasons],
      [403, 'token_not_live', ['agent_suspended']],
    )
    const boss = await anAgent(app, developer, { agent_id: 'boss' })
    const delegated = await delegate(boss, 'another-name', rogue.key)
    assert.deepEqual(
      [...outcome(delegated), delegated.body.reasons],
      [403, 'token_not_live', ['agent_suspended']],
    )
    const acted = await alias.client.post('/v1/vat/authorize', {
      vat_jti: alias.jti,
      action: 'read',
      resource: 'calendar:events',
    })
    assert.deepEqual([acted.body.authorized, acted.body.reasons], [false, ['agent_suspended']])
    const renewed = await developer.post('/v1/vat/renew', { vat_jti: alias.jti, expires_in: 600 })
    assert.deepEqual(outcome(renewed), [403, 'token_not_live'])
    const { body } = await operator.get('/v1/vat/agents/alias')
    assert.deepEqual([body.suspended, body.suspended_by], [true, 'operator'])
    const keys = (await operator.get('/v1/vat/agents/rogue')).body.keys
    const dropped = await developer.call('PATCH', '/v1/vat/agents/rogue', { remove_keys: keys })
    assert.deepEqual(outcome(dropped), [403, 'token_not_live'])
  })

  test('suspends the tokens that it delegated, in every workflow', async () => {
    const boss = await anAgent(app, developer, { agent_id: 'falling' })
    const second = await anAgent(app, developer, { agent_id: 'falling', developer_email: 'zoe@example.com' })
    const children = [await child(boss, 'falling/one'), await child(second, 'falling/two')]
    const below = await child(children[0] ?? assert.fail(), 'falling/three')
    await operator.post('/v1/vat/agents/falling/suspend')
    for (const { client, jti } of [...children, below]) {
      const ask = { vat_jti: jti, action: 'read', resource: 'calendar:events' }
      assert.deepEqual((await client.post('/v1/vat/authorize', ask)).body.reasons, ['agent_suspended'])
      assert.equal((await client.post('/v1/vat/delegate', { vat_jti: jti, agent_id: 'x' })).status, 403)
    }
  })
})

describe('a renewal', () => {
  test('can be made by an owner of the agent or the person behind the token, not by another developer', async () => {
    const agent = await anAgent(app, developer, { agent_id: 'renewable', developer_email: 'eve@example.com' })
    const renew = (client: Client) => client.post('/v1/vat/renew', { vat_jti: agent.jti, expires_in: 600 })
    assert.deepEqual(outcome(await renew(rival)), TAKEN)
    assert.equal((await renew(developer)).status, 201)
    const eve = await aPerson(app, 'default', agent.human_ref)
    assert.equal((await renew(eve.client)).status, 201)
  })

  test('is refused for every caller if the agent no longer uses the key of the token', async () => {
    const agent = await anAgent(app, developer, { agent_id: 'robbed', developer_email: 'rita@example.com' })
    const renew = (client: Client) => client.post('/v1/vat/renew', { vat_jti: agent.jti, expires_in: 600 })
    const rita = await aPerson(app, 'default', agent.human_ref)
    const at = '/v1/vat/agents/robbed'
    const remove_keys = (await developer.get(at)).body.keys
    const rotated = await developer.call('PATCH', at, { add_keys: [anAgentKey().jwk], remove_keys })
    assert.equal(rotated.status, 200)
    for (const client of [developer, rita.client])
      assert.deepEqual(outcome(await renew(client)), [409, 'key_removed'])
    await developer.call('PATCH', at, { add_keys: [agent.key.jwk] })
    for (const client of [developer, rita.client]) assert.equal((await renew(client)).status, 201)
  })
})
