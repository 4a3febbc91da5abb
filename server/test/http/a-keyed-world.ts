import { randomBytes } from 'node:crypto'
import { newSuffix, newWebhookKeys, type Subject } from '@deputize/protocol'
import { anActedEngine } from '@deputize/testing/an-acted-engine.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import type { PasskeyDocument } from '../../src/access/passkey-document.ts'
import type { WebhookDocument } from '../../src/events/webhooks/webhook-document.ts'
import type { ChannelDocument } from '../../src/messages/channel.ts'
import type { VerificationDocument } from '../../src/operations/views/verification-view.ts'
import {
  type Agent,
  agentOf,
  aKeyedApp,
  anAgent,
  anAgentKey,
  aPerson,
  type Client,
  type KeyedApp,
  type Person,
} from './a-keyed-app.ts'

/** The ids of everything that belongs to one token. */
export type Things = Readonly<Record<Subject['kind'], string>>

/** Whose object it is, from the viewpoint of Alice and her agent in the tenant acme. */
export const PLACES = ['own', 'below', 'tenant', 'foreign', 'unknown'] as const
export type Place = (typeof PLACES)[number]

export interface KeyedWorld {
  readonly app: KeyedApp
  readonly agent: Agent
  readonly child: Agent
  readonly alice: Person
  readonly bob: Person
  readonly clients: Readonly<Record<CallerName, Client>>
  readonly things: Readonly<Record<Place, Things>>
  /** Ids of keys in the tenant acme. */
  readonly key_ids: Readonly<Record<string, string>>
}

export type CallerName =
  | 'anonymous'
  | 'operator'
  | 'developer'
  | 'auditor'
  | 'resource_server'
  | 'human'
  | 'agent'
  | 'first_operator'
  | 'first_auditor'

export const AUDIENCE = 'https://calendar.example'

/**
 * Two tenants. In acme, Alice has an agent with a sub-agent, and Bob has an agent too. The other tenant has a token for
 * an agent of the same name.
 */
export async function aKeyedWorld(scope: TestScope): Promise<KeyedWorld> {
  const app = await aKeyedApp(scope, { engine: anActedEngine() })
  const { operator: first, withKey, key } = app
  for (const tenant_id of ['acme', 'other']) await good(first.post('/v1/vat/tenants', { tenant_id }))
  const texts = {
    operator: await key('acme', 'operator'),
    developer: await key('acme', 'developer'),
    auditor: await key('acme', 'auditor'),
    resource_server: await key('acme', 'resource_server', { audience: AUDIENCE }),
    other: await key('other', 'developer'),
    first_auditor: await key('default', 'auditor'),
  }
  const developer = withKey(texts.developer)
  const agent = await anAgent(app, developer, {
    developer_email: 'alice@example.com',
    audience: AUDIENCE,
    constraints: { require_approval: { actions: ['write'] } },
  })
  const child_key = anAgentKey()
  const child = agentOf(
    app,
    (
      await good(
        agent.client.post('/v1/vat/delegate', {
          vat_jti: agent.jti,
          agent_id: 'helper-bot',
          agent_jwk: child_key.jwk,
        }),
      )
    ).body,
    child_key,
  )
  const approving = { constraints: { require_approval: { actions: ['write'] } } }
  const bobs = await anAgent(app, developer, {
    developer_email: 'bob@example.com',
    agent_id: 'bobs-bot',
    ...approving,
  })
  const foreign = await anAgent(app, withKey(texts.other), {
    developer_email: 'alice@example.com',
    ...approving,
  })
  const alice = await aPerson(app, 'acme', agent.human_ref)
  const bob = await aPerson(app, 'acme', bobs.human_ref)
  const key_ids = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, String(text.split('_')[1])]),
  )
  const ofKeys = { tenant: 'acme', key: String(key_ids.developer) }
  return {
    app,
    agent,
    child,
    alice,
    bob,
    key_ids,
    clients: {
      anonymous: app.anonymous,
      operator: withKey(texts.operator),
      developer,
      auditor: withKey(texts.auditor),
      resource_server: app.withHeaders(() => ({
        authorization: `Bearer ${texts.resource_server}`,
        'deputy-token': agent.compact_jwt,
      })),
      human: alice.client,
      agent: agent.client,
      first_operator: first,
      first_auditor: withKey(texts.first_auditor),
    },
    things: {
      own: { ...(await thingsOf(app, 'acme', agent, 'calendar-bot')), ...ofKeys },
      below: { ...(await thingsOf(app, 'acme', child, 'helper-bot')), ...ofKeys },
      tenant: { ...(await thingsOf(app, 'acme', bobs, 'bobs-bot')), ...ofKeys },
      foreign: {
        ...(await thingsOf(app, 'other', foreign, 'other-bot')),
        tenant: 'other',
        key: String(key_ids.other),
      },
      unknown: {
        token: `vat_root_${'0'.repeat(36)}`,
        record: `aar_${'0'.repeat(36)}`,
        denial: `den_${'0'.repeat(36)}`,
        approval: `apr_${'0'.repeat(36)}`,
        workflow: `prov_${'0'.repeat(36)}`,
        human: `sha256:${'0'.repeat(64)}`,
        agent: 'nobodys-bot',
        tenant: 'none',
        key: '00000000',
        passkey: 'AAAA',
        verification: `vrf_${'0'.repeat(36)}`,
        vouch: `vch_${'0'.repeat(36)}`,
        channel: `chn_${'0'.repeat(36)}`,
        webhook: `whk_${'0'.repeat(36)}`,
      },
    },
  }
}

type AgentThings = Omit<Things, 'tenant' | 'key'>

/** A passkey as the registry stores it. It cannot sign anyone in. */
async function aPasskey({ test }: KeyedApp, tenant_id: string, owner: string): Promise<string> {
  const id = randomBytes(16).toString('base64url')
  const document: PasskeyDocument = {
    public_key: '',
    counter: 0,
    name: 'a device',
    transports: [],
    created_at: new Date(test.clock()).toISOString(),
    backed_up: false,
    assurance_level: 'L2',
  }
  await test.submit({
    kind: 'register',
    entry_kind: 'passkey',
    id,
    tenant_id,
    owner,
    document: JSON.stringify(document),
    expects: 'absent',
  })
  return id
}

/** A judged capture as the registry stores it. */
async function aVerification({ test }: KeyedApp, tenant_id: string, human_ref: string): Promise<string> {
  const suffix = newSuffix(test.clock())
  const document: VerificationDocument = {
    session_id: `vs_${suffix}`,
    nonce_hash: '',
    fingerprint: '',
    purpose: 'verify',
    human_ref,
    decision: 'pass',
    modalities: [],
    score: 1,
    evidence_hash: `sha256:${'0'.repeat(64)}`,
    engine_version: 'none',
    attempts_left: 5,
    verified_at: new Date(test.clock()).toISOString(),
    duress: 0,
  }
  const id = `vrf_${suffix}`
  await test.submit({
    kind: 'register',
    entry_kind: 'verification',
    id,
    tenant_id,
    owner: human_ref,
    document: JSON.stringify(document),
    expects: 'absent',
  })
  return id
}

/** A channel of a person. Nothing listens at its address. */
export async function aChannel({ test }: KeyedApp, tenant_id: string, owner: string): Promise<string> {
  const id = `chn_${newSuffix(test.clock())}`
  const document: ChannelDocument = {
    kind: 'slack',
    url: 'http://127.0.0.1:9/hook',
    name: 'a channel',
    is_confirmed: true,
    created_at: new Date(test.clock()).toISOString(),
  }
  await test.submit({
    kind: 'register',
    entry_kind: 'channel',
    id,
    tenant_id,
    owner,
    document: JSON.stringify(document),
    expects: 'absent',
  })
  return id
}

/** Adds a person's vouch for someone else, in a new context each time. */
async function aVouch(app: KeyedApp, tenant_id: string, from: string): Promise<string> {
  const { test } = app
  const to = `sha256:${'f'.repeat(64)}`
  await aPasskey(app, tenant_id, to)
  const suffix = newSuffix(test.clock())
  const vouch_id = `vch_${suffix}`
  await test.submit({
    kind: 'vouch',
    vouch_id,
    tenant_id,
    from,
    to,
    weight: 500_000,
    context: suffix.slice(-32),
    note: undefined,
    expires_at_ms: undefined,
  })
  return vouch_id
}

/** A developer's webhook with one event. Nothing is ever sent to its address, which is private. */
export async function aWebhook({ test }: KeyedApp, tenant_id: string): Promise<string> {
  const id = `whk_${newSuffix(test.clock())}`
  const document: WebhookDocument = {
    url: 'https://127.0.0.1/events',
    events: ['*'],
    format: 'deputy',
    signature: 'v1',
    keys: [newWebhookKeys('v1')],
    role: 'developer',
    since: 0,
    created_at: new Date(test.clock()).toISOString(),
    created_by: 'key:00000000',
  }
  await test.submit({
    kind: 'register',
    entry_kind: 'webhook',
    id,
    tenant_id,
    owner: undefined,
    document: JSON.stringify(document),
    expects: 'absent',
  })
  const { store } = test.context.events.deliveries
  await store.begin([{ endpoint_id: id, since: 0 }])
  await store.hold('test', 60_000)
  const times = { first_at_ms: 0, last_at_ms: 0, next_at_ms: 0 }
  const answered = { status: 200, error: undefined, answer: undefined, took_ms: 1 }
  const row = { log_index: 0, lane: 'evt_0', state: 'delivered', attempts: 1, ...times, ...answered } as const
  await store.write('test', [
    { endpoint_id: id, revision: 0, next_index: 1, failing_since_ms: undefined, rows: [row] },
  ])
  return id
}

/** Makes an agent act, request an approval and get a denial. */
async function thingsOf(
  app: KeyedApp,
  tenant_id: string,
  agent: Agent,
  agent_id: string,
): Promise<AgentThings> {
  const { client, jti, provenance_ref, human_ref } = agent
  const ask = (action: string, resource: string) =>
    good(client.post('/v1/vat/authorize', { vat_jti: jti, action, resource }))
  const pending = await ask('read', 'calendar:events')
  const asked = await ask('write', 'calendar:events')
  const denied = await ask('read', 'vault:secrets')
  return {
    token: jti,
    record: String(pending.body.aar_id),
    approval: String(asked.body.approval_id),
    denial: String(denied.body.denial_id),
    workflow: provenance_ref,
    human: human_ref,
    agent: agent_id,
    passkey: await aPasskey(app, tenant_id, human_ref),
    verification: await aVerification(app, tenant_id, human_ref),
    vouch: await aVouch(app, tenant_id, human_ref),
    channel: await aChannel(app, tenant_id, human_ref),
    webhook: await aWebhook(app, tenant_id),
  }
}

/** Resolves to an answer. Throws unless it is a success. */
export async function good<T extends { status: number; body: unknown }>(answer: Promise<T>): Promise<T> {
  const { status, body } = await answer
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return answer
}
