import type { TestScope } from '@deputize/testing/scope.ts'
import { anAgent, aPerson } from './a-keyed-app.ts'
import { aKeyedWorld, good, type KeyedWorld } from './a-keyed-world.ts'

/** Text that must not appear in any event: people wrote it, or it grants access. */
const CANARY = 'CANARY'
const NOTE = `${CANARY} note`
const METADATA = { text: `${CANARY} metadata` }
const READ = { action: 'read', resource: 'calendar:events' }
const MINUTE_MS = 60_000

/** Causes every kind of event, in two tenants: most through Alice and her agent, some through others. */
export async function aBusyWorld(scope: TestScope): Promise<KeyedWorld> {
  const world = await aKeyedWorld(scope)
  await act(world)
  await decide(world)
  await spend(world)
  await changeAgents(world)
  await changeTrust(world)
  await fireAlert(world)
  await disableWebhook(world)
  await markRestored(world)
  await changePeople(world)
  await changeKeys(world)
  // Revoking everything of a person also ends their sessions.
  return { ...world, bob: await aPerson(world.app, 'acme', world.bob.human_ref) }
}

async function act({ app, agent, alice, things }: KeyedWorld): Promise<void> {
  const { client } = agent
  const asked = { vat_jti: agent.jti, ...READ }
  const done = await good(
    client.post('/v1/vat/record/action', { ...asked, result: 'success', metadata: METADATA }),
  )
  await good(
    alice.client.post(`/v1/vat/aar/${done.body.aar_id}/feedback`, { rating: 'approved', note: NOTE }),
  )
  await good(
    client.post(`/v1/vat/aar/${things.own.record}/complete`, { result: 'success', metadata: METADATA }),
  )
  const open = await good(client.post('/v1/vat/authorize', asked))
  await good(client.post(`/v1/vat/aar/${open.body.aar_id}/cancel`))
  await good(client.post('/v1/vat/authorize', asked))
  app.test.clock.advance(16 * MINUTE_MS)
  await app.test.sweep()
}

/** Decides approvals: by one person, by two, after an escalation, in advance with a grant, and by habit. */
async function decide(world: KeyedWorld): Promise<void> {
  const { app, alice, bob, clients, things } = world
  const approve = (id: string, more: object = {}) =>
    good(alice.client.post(`/v1/vat/approvals/${id}/approve`, { note: NOTE, ...more }))
  await approve(things.own.approval)
  await good(bob.client.post(`/v1/vat/approvals/${things.tenant.approval}/deny`, { note: NOTE }))
  const people = [alice.human_ref, bob.human_ref]
  const joint = await anAgent(app, clients.developer, {
    developer_email: 'alice@example.com',
    agent_id: 'joint-bot',
    constraints: { require_approval: { actions: ['write'], approvers: { count: 2, people } } },
  })
  const asked = { vat_jti: joint.jti, ...READ, action: 'write' }
  const both = await good(joint.client.post('/v1/vat/authorize', asked))
  await approve(both.body.approval_id)
  await good(bob.client.post(`/v1/vat/approvals/${both.body.approval_id}/approve`))
  const careful = await anAgent(app, clients.developer, {
    developer_email: 'alice@example.com',
    agent_id: 'careful-bot',
    constraints: { require_approval: { auto_approve_after: 1 } },
  })
  const write = { vat_jti: careful.jti, ...READ, action: 'write' }
  const late = await good(careful.client.post('/v1/vat/authorize', write))
  const { approval_id } = late.body
  await app.test.submit({ kind: 'escalate_approval', approval_id, to: [bob.human_ref] })
  await approve(approval_id, { grant: { minutes: 60 } })
  await good(alice.client.post('/v1/vat/approvals/grants/end', { approval_id }))
  const read = { vat_jti: careful.jti, ...READ }
  const first = await good(careful.client.post('/v1/vat/authorize', read))
  await approve(first.body.approval_id)
  await good(
    alice.client.post('/v1/vat/approvals/habits/end', {
      agent_id: 'careful-bot',
      human_ref: alice.human_ref,
      ...READ,
    }),
  )
}

async function spend({ app, clients }: KeyedWorld): Promise<void> {
  const buyer = await anAgent(app, clients.developer, {
    developer_email: 'alice@example.com',
    agent_id: 'buyer-bot',
    constraints: { max_spend_usd: 10 },
  })
  const asked = { vat_jti: buyer.jti, ...READ, result: 'success' }
  for (const spend_usd of [6, 4])
    await good(buyer.client.post('/v1/vat/record/action', { ...asked, spend_usd }))
  await good(clients.developer.post('/v1/vat/renew', { vat_jti: buyer.jti, expires_in: 7200 }))
  await good(clients.developer.post('/v1/vat/revoke/agent', { agent_id: 'buyer-bot', reason: NOTE }))
}

async function changeAgents({ clients, alice, things }: KeyedWorld): Promise<void> {
  const { operator, developer } = clients
  await good(operator.post('/v1/vat/agents/bobs-bot/suspend', { reason: NOTE }))
  await good(operator.post('/v1/vat/agents/bobs-bot/resume'))
  await good(developer.post('/v1/vat/agents', { agent_id: 'new-bot', display_name: `${CANARY} name` }))
  await good(alice.client.post(`/v1/vat/tokens/${things.below.token}/suspend`, { reason: NOTE }))
  await good(alice.client.post(`/v1/vat/tokens/${things.below.token}/resume`))
  await good(alice.client.post('/v1/vat/revoke', { vat_jti: things.below.token, reason: NOTE }))
}

async function changeTrust({ app, clients, things }: KeyedWorld): Promise<void> {
  const { submit } = app.test
  const anchor = `/v1/vat/trust/anchors/${things.own.human}`
  await good(clients.operator.call('PUT', anchor, { base: 0.5, reason: NOTE }))
  await good(clients.operator.call('DELETE', anchor))
  const { vouch } = things.own
  await submit({ kind: 'change_vouch', vouch_id: vouch, weight: 400_000, expires_at_ms: undefined })
  await submit({ kind: 'withdraw_vouch', vouch_id: vouch, by: 'person' })
  await submit({ kind: 'withdraw_vouch', vouch_id: things.foreign.vouch, by: 'person' })
}

async function fireAlert({ app, clients, agent }: KeyedWorld): Promise<void> {
  const condition = { kind: 'denials', more_than: 2, within_minutes: 5 }
  const rule = { name: `${CANARY} rule`, condition, effect: 'notify' }
  await good(clients.operator.post('/v1/vat/alerts/rules', rule))
  app.test.clock.advance(60_000) // a rule begins with the next minute
  for (let denials = 0; denials < 4; denials += 1)
    await good(
      agent.client.post('/v1/vat/authorize', { vat_jti: agent.jti, ...READ, resource: 'vault:secrets' }),
    )
  await app.test.watchAlerts()
}

async function disableWebhook({ app, things }: KeyedWorld): Promise<void> {
  const endpoint = { endpoint_id: things.own.webhook, tenant_id: 'acme', entry_kind: 'webhook' } as const
  await app.test.submit({ kind: 'endpoint_disabled', ...endpoint, cause: 'failing' })
}

async function markRestored({ app }: KeyedWorld): Promise<void> {
  const backed_up_at = new Date(app.test.clock()).toISOString()
  const backup = { backed_up_at, origin: 'deputy.example.com/log', continues: true, newest_size: undefined }
  await app.test.submit({ kind: 'restored', ...backup })
}

async function changePeople({ app, clients, alice, bob }: KeyedWorld): Promise<void> {
  const mine = `/v1/vat/humans/${alice.human_ref}`
  await good(alice.client.post(`${mine}/refuse`))
  await good(alice.client.post(`${mine}/accept`))
  const { human_ref } = await anAgent(app, clients.developer, {
    developer_email: 'carol@example.com',
    agent_id: 'carols-bot',
  })
  await good(clients.operator.call('DELETE', `/v1/vat/humans/${human_ref}`))
  await good(clients.operator.post('/v1/vat/revoke/human', { human_ref: bob.human_ref, reason: NOTE }))
}

/** The withdrawn key hasn't signed anything yet, so every token stays valid. */
async function changeKeys({ app, clients: { first_operator } }: KeyedWorld): Promise<void> {
  const { body } = await good(first_operator.post('/v1/vat/signing-keys/rotate'))
  const from = new Date(app.test.clock()).toISOString()
  await good(first_operator.post(`/v1/vat/signing-keys/${body.kid}/withdraw`, { from, reason: NOTE }))
}
