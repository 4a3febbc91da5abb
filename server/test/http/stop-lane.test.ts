import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { OPERATIONS, type Operation } from '@deputize/protocol'
import type { Answer } from '@deputize/testing/a-test-app.ts'
import { agentOf, aKeyedApp, anAgent, aPerson, type Client, type KeyedApp } from './a-keyed-app.ts'

const LIMIT = 20
const MISSES = 60
const AGENT_STOPS = 60
const VISITS = 60
const SMALL = { tenant_id: 'small', rate_limit: LIMIT }

/** A tenant with a quota, its developer and its operator. */
async function aSmallTenant(app: KeyedApp) {
  await app.operator.post('/v1/vat/tenants', SMALL)
  const operator_key = await app.key('small', 'operator')
  const developer_key = await app.key('small', 'developer')
  return { operator: app.withKey(operator_key), developer: app.withKey(developer_key), developer_key }
}

const anAction = (vat_jti: string, more: Record<string, unknown> = {}) => ({
  vat_jti,
  action: 'read',
  resource: 'calendar:events',
  ...more,
})

async function burn(client: Client, most = LIMIT * 2): Promise<void> {
  for (let n = 0; n < most; n++) if ((await client.get('/v1/vat/tokens')).status === 429) return
  assert.fail('the quota did not end')
}

async function statuses(count: number, send: () => Promise<Answer>): Promise<number[]> {
  const sent: number[] = []
  for (let n = 0; n < count; n++) sent.push((await send()).status)
  return sent
}

describe('the stop lane', () => {
  test('contains exactly the calls that take back authority and their preparations', () => {
    const stops = Object.entries<Operation>(OPERATIONS).filter(([, { lane }]) => lane === 'stop')
    assert.deepEqual(stops.map(([id]) => id).sort(), [
      'beginStepUp',
      'cancelRecord',
      'cancelVerificationSession',
      'deleteBiometrics',
      'deleteKey',
      'deleteKeyPasskey',
      'deletePasskey',
      'deleteStream',
      'deleteWebhook',
      'deny',
      'endGrant',
      'endHabit',
      'endSignIn',
      'eraseHuman',
      'finishStepUp',
      'logOut',
      'previewRevocation',
      'refuseTokens',
      'removeChannel',
      'revokeAgent',
      'revokeHuman',
      'revokeOauthToken',
      'revokeToken',
      'suspendAgent',
      'suspendToken',
      'updateTenant',
      'withdrawSigningKey',
      'withdrawVouch',
    ])
  })

  test('works for all callers after the quota of the tenant is used up', async (context) => {
    const app = await aKeyedApp(context)
    const { operator, developer, developer_key } = await aSmallTenant(app)
    const [agent, sibling] = [await anAgent(app, developer), await anAgent(app, developer)]
    const watched = await anAgent(app, developer, {
      constraints: { require_approval: { actions: ['write'] } },
    })
    const pending = await agent.client.post('/v1/vat/authorize', anAction(agent.jti))
    const asked = await watched.client.post('/v1/vat/authorize', anAction(watched.jti, { action: 'write' }))
    const alice = await aPerson(app, 'small', agent.human_ref)
    const bob = await aPerson(app, 'small', agent.human_ref)
    const spare = await app.key('small', 'auditor')
    app.test.clock.advance(60_000)
    await burn(developer)
    assert.equal((await alice.client.get('/v1/vat/auth/me')).status, 429)
    assert.equal((await operator.get('/v1/vat/tokens')).status, 429)

    const ok = async (answer: Promise<Answer>) => {
      const { status, body } = await answer
      assert.equal(status, 200, JSON.stringify(body))
    }
    await ok(agent.client.post(`/v1/vat/aar/${pending.body.aar_id}/cancel`))
    await ok(alice.client.post(`/v1/vat/approvals/${asked.body.approval_id}/deny`))
    await ok(alice.client.get('/me'))
    await ok(alice.client.post(`/v1/vat/tokens/${agent.jti}/suspend`))
    await ok(developer.post('/v1/vat/revoke/preview', { vat_jti: sibling.jti }))
    await ok(developer.post('/v1/vat/revoke', { vat_jti: sibling.jti }))
    await ok(operator.post('/v1/vat/agents/calendar-bot/suspend'))
    await ok(operator.post('/v1/vat/revoke/agent', { agent_id: 'calendar-bot' }))
    await ok(alice.client.post('/v1/vat/revoke/human', { human_ref: alice.human_ref }))
    await ok(operator.call('DELETE', `/v1/vat/keys/${spare.split('_')[1]}`))
    await ok(bob.client.post('/v1/vat/auth/logout'))
    await ok(app.operator.call('PATCH', '/v1/vat/tenants/small', { rate_limit: LIMIT * 100 }))
    await ok(app.withKey(developer_key).get('/v1/vat/tokens'))
  })

  test('has a separate quota for each caller, and none for the address', async (context) => {
    const app = await aKeyedApp(context, { rate_limit: LIMIT })
    const developer = app.withKey(await app.key('default', 'developer'))
    const agent = await anAgent(app, developer)
    app.test.clock.advance(60_000)
    const revoke = (client: Client) => client.post('/v1/vat/revoke/preview', { vat_jti: agent.jti })
    await burn(developer)
    assert.equal((await app.anonymous.get('/healthz')).status, 429, 'the address is used up too')
    assert.deepEqual(await statuses(LIMIT + 1, () => revoke(developer)), [...Array(LIMIT).fill(200), 429])
    assert.equal((await revoke(app.operator)).status, 200)
  })

  test('is open to people who used up their visits to pages, which count beyond 60 a minute', async (context) => {
    const app = await aKeyedApp(context, { rate_limit: LIMIT })
    const developer = app.withKey(await app.key('default', 'developer'))
    const agent = await anAgent(app, developer)
    const [alice, bob] = [
      await aPerson(app, 'default', agent.human_ref),
      await aPerson(app, 'default', 'sha256:bob'),
    ]
    app.test.clock.advance(60_000)
    const question = `/approve/apr_${'0'.repeat(26)}`
    const visits = await statuses(VISITS, () => alice.client.get('/me'))
    assert.deepEqual(new Set(visits), new Set([200]))
    const more = await statuses(LIMIT, () => alice.client.get(question))
    assert.deepEqual(new Set(more), new Set([404]))
    for (const path of ['/me', question]) {
      const refused = await alice.client.get(path)
      assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited'])
      assert.ok(Number(refused.headers['retry-after']) > 0)
    }
    assert.equal((await alice.client.post(`/v1/vat/tokens/${agent.jti}/suspend`)).status, 200)
    assert.equal((await bob.client.get('/me')).status, 200)
    const strangers = await statuses(LIMIT + 1, () => app.anonymous.get('/me'))
    assert.deepEqual(strangers, [...Array(LIMIT).fill(303), 429])
    assert.equal((await bob.client.get('/me')).status, 200)
    app.test.clock.advance(60_000)
    assert.equal((await alice.client.get('/me')).status, 200)
  })

  test('does not bypass the quota of an agent: beyond 60 a minute, its stops are ordinary calls', async (context) => {
    const app = await aKeyedApp(context)
    const { operator, developer } = await aSmallTenant(app)
    const agent = await anAgent(app, developer)
    const child = await agent.client.post('/v1/vat/delegate', {
      vat_jti: agent.jti,
      agent_id: 'minion',
      agent_jwk: agent.key.jwk,
    })
    app.test.clock.advance(60_000)
    const suspend = (client: Client) => client.post(`/v1/vat/tokens/${child.body.jti}/suspend`)
    const sent = await statuses(AGENT_STOPS + LIMIT, () => suspend(agent.client))
    assert.equal(sent.filter((status) => status === 200).length, AGENT_STOPS + LIMIT / 2)
    assert.equal((await suspend(developer)).status, 200)
    assert.equal((await operator.post('/v1/vat/revoke', { vat_jti: agent.jti })).status, 200)
  })

  test('does not allow guessing: bad credentials and unknown ids stop after 60 a minute each', async (context) => {
    const app = await aKeyedApp(context)
    const developer = app.withKey(await app.key('default', 'developer'))
    const agent = await anAgent(app, developer)
    const revoke = (client: Client, vat_jti: string) => client.post('/v1/vat/revoke', { vat_jti })
    const wrong = await statuses(MISSES + 2, () => revoke(app.withKey('dk_wrong'), agent.jti))
    assert.deepEqual(wrong, [...Array(MISSES).fill(401), 429, 429])
    const unknown = `vat_root_${'0'.repeat(36)}`
    await statuses(MISSES, () => developer.get(`/v1/vat/tokens/${unknown}`))
    assert.equal((await developer.get(`/v1/vat/tokens/${agent.jti}`)).status, 429)
    const missed = await statuses(MISSES, () => revoke(developer, unknown))
    assert.ok(missed.every((status) => status === 404))
    assert.equal((await revoke(developer, unknown)).status, 429)
    assert.equal((await revoke(app.operator, agent.jti)).status, 200)
  })
})

describe('revocation without a credential', () => {
  test('accepts at most 60 invalid tokens a minute, and does not affect the holder of a valid one', async (context) => {
    const app = await aKeyedApp(context)
    const agent = await anAgent(app, app.withKey(await app.key('default', 'developer')))
    const revoke = (client: Client, token: string) =>
      client.post('/oauth/revoke', String(new URLSearchParams({ token })))
    const forged = agent.compact_jwt.replace(/.{8}$/, 'AAAAAAAA')
    const sent = await statuses(MISSES + 2, () => revoke(app.anonymous, forged))
    assert.deepEqual(sent, [...Array(MISSES).fill(200), 429, 429])
    assert.equal((await revoke(agent.client, agent.compact_jwt)).status, 200)
  })
})

describe('the quota of a tenant', () => {
  test('is available to one workflow only up to one half, however many tokens it delegates', async (context) => {
    const app = await aKeyedApp(context)
    const { developer } = await aSmallTenant(app)
    const agent = await anAgent(app, developer)
    const other = await anAgent(app, developer)
    const child = await agent.client.post('/v1/vat/delegate', {
      vat_jti: agent.jti,
      agent_id: 'minion',
      agent_jwk: agent.key.jwk,
    })
    assert.equal(child.status, 201)
    const minion = agentOf(app, child.body, agent.key)
    app.test.clock.advance(60_000)
    const half = Array(LIMIT / 2).fill(200)
    assert.deepEqual(await statuses(LIMIT / 2, () => agent.client.get(`/v1/vat/tokens/${agent.jti}`)), half)
    assert.deepEqual(await statuses(2, () => minion.client.get(`/v1/vat/tokens/${minion.jti}`)), [429, 429])
    assert.equal((await other.client.get(`/v1/vat/tokens/${other.jti}`)).status, 200)
    assert.equal((await developer.get('/v1/vat/tokens')).status, 200)
  })

  test('is not used by a revoked token, which has a small separate quota', async (context) => {
    const app = await aKeyedApp(context)
    const { developer } = await aSmallTenant(app)
    const agent = await anAgent(app, developer)
    assert.equal((await developer.post('/v1/vat/revoke', { vat_jti: agent.jti })).status, 200)
    app.test.clock.advance(60_000)
    const sent = await statuses(MISSES + 1, () =>
      agent.client.post('/v1/vat/authorize', anAction(agent.jti, { dry_run: true })),
    )
    assert.deepEqual(sent, [...Array(MISSES).fill(200), 429])
    const left = await statuses(LIMIT + 1, () => developer.get('/v1/vat/tokens'))
    assert.deepEqual(left, [...Array(LIMIT).fill(200), 429])
  })

  test('is not needed to prevent a stopped agent from filling the log', async (context) => {
    const app = await aKeyedApp(context)
    const developer = app.withKey(await app.key('default', 'developer'))
    const agent = await anAgent(app, developer)
    const items = [anAction(agent.jti)]
    assert.equal((await agent.client.post('/v1/vat/authorize/batch', { items })).status, 200)
    assert.equal((await developer.post('/v1/vat/revoke', { vat_jti: agent.jti })).status, 200)
    app.test.clock.advance(60_000)
    const batch = await agent.client.post('/v1/vat/authorize/batch', { items })
    assert.deepEqual([batch.status, batch.body.code], [403, 'token_not_live'])
    const ask = () => agent.client.post('/v1/vat/authorize', anAction(agent.jti))
    assert.deepEqual(await statuses(MISSES, ask), [...Array(MISSES - 1).fill(200), 429])
  })
})
