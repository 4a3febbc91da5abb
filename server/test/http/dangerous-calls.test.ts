import assert from 'node:assert/strict'
import { createECDH, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import {
  ACCESS,
  OPERATIONS,
  type Operation,
  type OperationId,
  openIssuer,
  PUSH_DELIVERY,
} from '@deputize/protocol'
import { EXAMPLES } from '@deputize/protocol/examples'
import { type Answer, TEST_URL } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { cpuMs } from '@deputize/testing/cpu-time.ts'
import { csrfTokenOf, sessionKeyOf } from '../../src/access/session-entries.ts'
import { anEnrolment } from '../an-enrolled-person.ts'
import { aDeveloper, callerOf } from '../some-callers.ts'
import {
  type Agent,
  agentOf,
  aKeyedApp,
  anAgent,
  anAgentKey,
  aPerson,
  aSession,
  type Client,
} from './a-keyed-app.ts'
import { AUDIENCE, aKeyedWorld } from './a-keyed-world.ts'

/**
 * The most harmful calls, written one by one and not derived from the access table: if the table is wrong, these tests
 * still fail.
 */

const world = await aKeyedWorld({ after })
const { app, agent, child, alice, bob, clients, things, key_ids } = world
const { own, below, tenant, foreign, unknown } = things

/** Addresses inside the network, in many spellings. */
const HOSTILE_URLS = (
  JSON.parse(readFileSync(new URL('../../../vectors/hostile/ssrf-urls.json', import.meta.url), 'utf8')) as {
    readonly urls: readonly { readonly url: string; readonly block: boolean | 'policy' }[]
  }
).urls.filter(({ block }) => block === true)

const stranger = app.withKey(await app.key('other', 'developer'))
const mail_bot = await anAgent(app, clients.developer, { audience: 'https://mail.example' })
const intruder = await anAgent(app, stranger, { agent_id: 'intruder-bot', audience: AUDIENCE })
const sibling = await aChild('sibling-bot')
const early = await anAgent(app, clients.developer, {
  agent_id: 'early-bot',
  constraints: { not_before: new Date(app.test.clock() + 3_600_000).toISOString() },
})
const resource_key = await app.key('acme', 'resource_server', { audience: AUDIENCE })
const resourceServer = (shown: string | undefined) =>
  app.withHeaders(() => ({
    authorization: `Bearer ${resource_key}`,
    ...(shown !== undefined && { 'deputy-token': shown }),
  }))
/** The same email address in the other tenant has another ref. */
const other_alice = await aPerson(app, 'other', foreign.human)
/** A session that no sign-in creates: of one tenant, with a ref of another. */
const misplaced_alice = await aPerson(app, 'other', agent.human_ref)

async function aChild(agent_id: string): Promise<Agent> {
  const key = anAgentKey()
  const answer = await agent.client.post('/v1/vat/delegate', {
    vat_jti: agent.jti,
    agent_id,
    agent_jwk: key.jwk,
    actions: ['read', 'write', 'delegate'],
  })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return agentOf(app, answer.body, key)
}

const rate = (client: Client, aar_id: string) =>
  client.post(`/v1/vat/aar/${aar_id}/feedback`, { rating: 'approved' })
const approve = (client: Client, approval_id: string) =>
  client.post(`/v1/vat/approvals/${approval_id}/approve`)
const anAction = (vat_jti: string, more: Record<string, unknown> = {}) => ({
  vat_jti,
  action: 'read',
  resource: 'calendar:events',
  ...more,
})
const authorize = (client: Client, vat_jti: string, more: Record<string, unknown> = {}) =>
  client.post('/v1/vat/authorize', anAction(vat_jti, more))
const record = (client: Client, vat_jti: string) =>
  client.post('/v1/vat/record/action', { ...anAction(vat_jti), result: 'success' })
const delegate = (client: Client, vat_jti: string) =>
  client.post('/v1/vat/delegate', { vat_jti, agent_id: 'minion' })
const revoke = (client: Client, vat_jti: string) => client.post('/v1/vat/revoke', { vat_jti })
const makeKey = (client: Client, more: Record<string, unknown>) =>
  client.post('/v1/vat/keys', { name: 'mine', role: 'operator', ...more })

interface Danger {
  /** The harm if the call succeeded. */
  readonly why: string
  readonly calls: Readonly<Record<string, () => Promise<Answer>>>
  readonly status: number
  readonly code: string
}

const role = { status: 403, code: 'role_not_allowed' } as const
const notYours = { status: 403, code: 'not_yours' } as const
const noCredential = { status: 401, code: 'credential_invalid' } as const
const unknownThing = (kind: string) => ({ status: 404, code: `${kind}_unknown` }) as const

const DANGERS: Readonly<Record<string, Danger>> = {
  'an agent rates': {
    why: 'The agent could raise its own reputation.',
    calls: {
      'its own record': () => rate(agent.client, own.record),
      'the record of its parent': () => rate(child.client, own.record),
      'the record of its child': () => rate(agent.client, below.record),
      'the record of a stranger': () => rate(agent.client, tenant.record),
      'a record that does not exist': () => rate(agent.client, unknown.record),
    },
    ...role,
  },
  'an agent approves': {
    why: 'The agent could approve its own requests.',
    calls: {
      'its own request': () => approve(agent.client, own.approval),
      'the request of its child': () => approve(agent.client, below.approval),
      'in a batch': () =>
        agent.client.post('/v1/vat/approvals/batch', {
          items: [{ approval_id: own.approval, decision: 'approved' }],
        }),
      'by denying it': () => agent.client.post(`/v1/vat/approvals/${own.approval}/deny`),
    },
    ...role,
  },
  "an agent that also holds its person's session rates with its token": {
    why: 'The Authorization header decides the role; a cookie must not raise it.',
    calls: {
      'its own record': () =>
        agent.client.post(`/v1/vat/aar/${own.record}/feedback`, { rating: 'approved' }, SESSION_OF_ALICE),
    },
    ...role,
  },
  "an agent with its developer's key rates": {
    why: 'A developer is not the person for whom the agent acts.',
    calls: { 'its own record': () => rate(clients.developer, own.record) },
    ...role,
  },
  'a developer decides': {
    why: 'Developers profit from good ratings and quick approvals of their own agents.',
    calls: {
      'by rating': () => rate(clients.developer, own.record),
      'by approving': () => approve(clients.developer, own.approval),
    },
    ...role,
  },
  'an operator does what only people and agents may do': {
    why: 'A caller who can create every key must not gain authority from it.',
    calls: {
      'by rating': () => rate(clients.operator, own.record),
      'by approving': () => approve(clients.operator, own.approval),
      'by acting': () => record(clients.operator, own.token),
      'by authorizing': () => authorize(clients.operator, own.token),
      'by issuing': () => clients.operator.post('/v1/vat/issue/l1', anIssueRequest()),
      'by rating as the first operator': () => rate(clients.first_operator, own.record),
      'by acting as the first operator': () => record(clients.first_operator, own.token),
    },
    ...role,
  },
  'a resource server completes a record of another audience': {
    why: 'It could complete the actions of another service with any result.',
    calls: {
      'of another service': () =>
        resourceServer(agent.compact_jwt).post(`/v1/vat/aar/${tenant.record}/complete`, {
          result: 'error',
        }),
      'of another tenant': () =>
        resourceServer(agent.compact_jwt).post(`/v1/vat/aar/${foreign.record}/complete`, {
          result: 'error',
        }),
    },
    ...unknownThing('record'),
  },
  'a resource server uses a token that was not presented to it': {
    why: 'Services see many token ids; knowing one must not be enough to use it.',
    calls: {
      'without presenting one': () => authorize(resourceServer(undefined), agent.jti),
      'while presenting another': () => authorize(resourceServer(agent.compact_jwt), child.jti),
      'that is meant for another service': () =>
        authorize(resourceServer(mail_bot.compact_jwt), mail_bot.jti),
      'that a developer of another tenant issued for it': () =>
        authorize(resourceServer(intruder.compact_jwt), intruder.jti),
      'of another tenant, to record': () => record(resourceServer(intruder.compact_jwt), intruder.jti),
      'to record': () => record(resourceServer(agent.compact_jwt), child.jti),
      'hidden in a batch': () =>
        resourceServer(agent.compact_jwt).post('/v1/vat/record/batch', {
          items: [
            { ...anAction(agent.jti), result: 'success' },
            { ...anAction(child.jti), result: 'success' },
          ],
        }),
    },
    ...notYours,
  },
  'a resource server presents a token that was never issued': {
    why: 'A presented token must have been issued here.',
    calls: {
      'made up': () => authorize(resourceServer('a.b.c'), agent.jti),
      'with one character changed': () =>
        authorize(resourceServer(`${agent.compact_jwt.slice(0, -4)}AAAA`), agent.jti),
    },
    ...noCredential,
  },
  'an agent uses a token that is not its own': {
    why: 'Token ids are not secret: a caller who knows one could spend the budget of another agent.',
    calls: {
      'of a sibling, to authorize': () => authorize(child.client, sibling.jti),
      'of its parent, to authorize': () => authorize(child.client, agent.jti),
      'of its child, to authorize': () => authorize(agent.client, child.jti),
      'of a sibling, to record': () => record(child.client, sibling.jti),
      'of its parent, to record': () => record(child.client, agent.jti),
      'of its child, to record': () => record(agent.client, child.jti),
      'of a sibling, to delegate': () => delegate(child.client, sibling.jti),
      'of its parent, to delegate': () => delegate(child.client, agent.jti),
      'of its child, to delegate': () => delegate(agent.client, child.jti),
      'of another tenant, to record': () => record(agent.client, foreign.token),
      'that does not exist': () => record(agent.client, unknown.token),
      'hidden in a batch': () =>
        agent.client.post('/v1/vat/record/batch', {
          items: [
            { ...anAction(agent.jti), result: 'success' },
            { ...anAction(child.jti), result: 'success' },
          ],
        }),
    },
    ...notYours,
  },
  'an agent revokes upward or sideways': {
    why: 'It could revoke its supervisor or a competitor.',
    calls: {
      'its parent': () => revoke(child.client, agent.jti),
      'its sibling': () => revoke(child.client, sibling.jti),
      'the agent of a stranger': () => revoke(agent.client, tenant.token),
      'the agent of another tenant': () => revoke(agent.client, foreign.token),
      'its parent, by suspending': () => child.client.post(`/v1/vat/tokens/${agent.jti}/suspend`),
    },
    ...unknownThing('token'),
  },
  'an agent lifts its own restrictions': {
    why: 'A suspended agent could end its suspension.',
    calls: {
      'by resuming its token': () => agent.client.post(`/v1/vat/tokens/${agent.jti}/resume`),
      'by resuming the token of its child': () => agent.client.post(`/v1/vat/tokens/${child.jti}/resume`),
      'by resuming its agent': () => agent.client.post('/v1/vat/agents/calendar-bot/resume'),
      'by renewing its token': () => agent.client.post('/v1/vat/renew', { vat_jti: agent.jti }),
      'by creating a key': () => makeKey(agent.client, {}),
      'by registering again': () =>
        agent.client.post('/v1/vat/agents', { agent_id: 'calendar-bot-2', name: 'x' }),
    },
    ...role,
  },
  'a developer of one tenant reaches into another': {
    why: 'Tenants are isolated and must not learn what another tenant has.',
    calls: {
      'to read a token': () => stranger.get(`/v1/vat/tokens/${own.token}`),
      'to revoke it': () => revoke(stranger, own.token),
      'to suspend it': () => stranger.post(`/v1/vat/tokens/${own.token}/suspend`),
      'to list its descendants': () => stranger.get(`/v1/vat/tokens/${own.token}/descendants`),
      'to renew it': () => stranger.post('/v1/vat/renew', { vat_jti: own.token, expires_in: 60 }),
    },
    ...unknownThing('token'),
  },
  'a record of another tenant is requested': {
    why: 'A record shows who did what for whom; its id may have leaked in a log or an email.',
    calls: {
      directly: () => stranger.get(`/v1/vat/aar/${own.record}`),
      'through its lineage': () => stranger.get(`/v1/vat/aar/${own.record}/lineage`),
      'through its receipt': () => stranger.get(`/v1/vat/aar/${own.record}/receipt`),
    },
    ...unknownThing('record'),
  },
  'a workflow of another tenant is requested': {
    why: 'It contains every action of every agent in it.',
    calls: {
      'as a summary': () => stranger.get(`/v1/vat/aar/provenance/${own.workflow}`),
      'as an export': () => stranger.get(`/v1/vat/aar/provenance/${own.workflow}/export?format=ndjson`),
      'as a graph': () => stranger.get(`/v1/vat/aar/provenance/${own.workflow}/graph`),
      'as a list': () => stranger.get(`/v1/vat/aar/provenance/${own.workflow}/records`),
    },
    ...unknownThing('workflow'),
  },
  'an agent names a foreign record as the cause of its own': {
    why: 'The graph of one workflow would lead into another, and reveal whether an id exists.',
    calls: {
      'of a stranger in the tenant': () =>
        authorize(agent.client, agent.jti, { parent_aar_id: tenant.record }),
      'of another tenant': () => authorize(agent.client, agent.jti, { parent_aar_id: foreign.record }),
      'that does not exist': () => authorize(agent.client, agent.jti, { parent_aar_id: unknown.record }),
    },
    ...unknownThing('parent_record'),
  },
  'a tenant operator reaches beyond the tenant': {
    why: 'An operator who can create a key in another tenant controls that tenant.',
    calls: {
      'with a key in another tenant': () => makeKey(clients.operator, { tenant_id: 'other' }),
      'with a key in the default tenant': () => makeKey(clients.operator, { tenant_id: 'default' }),
      'with the settings of another tenant': () =>
        clients.operator.call('PATCH', '/v1/vat/tenants/other', { allow_bearer: true }),
      'with the settings of the default tenant': () =>
        clients.operator.call('PATCH', '/v1/vat/tenants/default', { allow_bearer: true }),
      'by reading another tenant': () => clients.operator.get('/v1/vat/tenants/other'),
      'by listing the keys of another tenant': () => clients.operator.get('/v1/vat/keys?tenant_id=default'),
    },
    ...unknownThing('tenant'),
  },
  'a tenant operator touches a key of another tenant': {
    why: 'Deleting a key locks its tenant out, and rotating it reveals the new one.',
    calls: {
      'to delete it': () => clients.operator.call('DELETE', `/v1/vat/keys/${key_ids.other}`),
      'to rotate it': () => clients.operator.post(`/v1/vat/keys/${key_ids.other}/rotate`),
      'to rotate one of the default tenant': () =>
        clients.operator.post(`/v1/vat/keys/${key_ids.first_auditor}/rotate`),
    },
    ...unknownThing('key'),
  },
  'a person decides for the same email address in another tenant': {
    why: 'An address proves nothing across tenants: the operator of a tenant can add any address.',
    calls: {
      'signed in to the other tenant': () => rate(other_alice.client, own.record),
      'with the ref of one tenant in a session of the other': () => rate(misplaced_alice.client, own.record),
    },
    ...unknownThing('record'),
  },
  'a person rates for another person without being a reviewer': {
    why: 'A rating belongs to the person for whom the agent acted.',
    calls: { 'in the same tenant': () => rate(bob.client, own.record) },
    ...unknownThing('record'),
  },
  'a person approves for another person without being a reviewer': {
    why: 'An approval uses the authority of another person.',
    calls: {
      'in the same tenant': () => approve(bob.client, own.approval),
      'in another tenant': () => approve(other_alice.client, own.approval),
      'hidden in a batch': () =>
        bob.client.post('/v1/vat/approvals/batch', {
          items: [
            { approval_id: tenant.approval, decision: 'approved' },
            { approval_id: own.approval, decision: 'approved' },
          ],
        }),
    },
    ...unknownThing('approval'),
  },
  'a person acts on another person': {
    why: 'Erasing a person and revoking their tokens cannot be undone.',
    calls: {
      'to erase': () => bob.client.call('DELETE', `/v1/vat/humans/${agent.human_ref}`),
      'to export': () => bob.client.get(`/v1/vat/humans/${agent.human_ref}/export`),
      'to revoke': () => bob.client.post('/v1/vat/revoke/human', { human_ref: agent.human_ref }),
      'to erase in another tenant': () => clients.operator.call('DELETE', `/v1/vat/humans/${foreign.human}`),
    },
    ...unknownThing('human'),
  },
  'a person requests a token for another person': {
    why: 'An agent could then act for that person.',
    calls: {
      'by their email address': () =>
        bob.client.post('/v1/vat/issue/l1', anIssueRequest({ developer_email: 'alice@example.com' })),
    },
    ...notYours,
  },
  'a tenant changes or reads the whole deployment': {
    why: 'All tenants share the signing keys, the log and the metrics.',
    calls: {
      'by rotating the signing keys': () => clients.operator.post('/v1/vat/signing-keys/rotate'),
      'by withdrawing a signing key': () =>
        clients.operator.post('/v1/vat/signing-keys/any/withdraw', { from: '2026-01-01T00:00:00Z' }),
      'by reading the log': () => clients.auditor.get('/v1/vat/log/entries'),
      'by reading one log entry': () => clients.auditor.get('/v1/vat/log/entries/0'),
      'by reading entry tiles': () => clients.auditor.get('/tile/entries/000.p/1'),
      'by creating a tenant': () => clients.operator.post('/v1/vat/tenants', { tenant_id: 'mine' }),
      'by reading the metrics as a developer': () => clients.developer.get('/metrics'),
      'by reading the metrics as an operator': () => clients.operator.get('/metrics'),
      'by requesting the headers of the metrics': () => clients.developer.call('HEAD', '/metrics'),
    },
    ...role,
  },
  'the set-up is repeated': {
    why: 'A secret found in an old terminal would give control of the deployment.',
    calls: {
      'with the secret that worked': () =>
        app.anonymous.post('/v1/vat/setup', { setup_secret: app.test.accessControl.setup?.secret }),
      'with another one': () =>
        app.anonymous.post('/v1/vat/setup', { setup_secret: `dsu_${'A'.repeat(32)}` }),
    },
    status: 409,
    code: 'already_set_up',
  },
  'a bad credential comes with a good session': {
    why: 'If it were skipped, stolen credentials could be tried without a trace.',
    calls: {
      'that is not a key': () => alice.client.get('/v1/vat/tokens', { authorization: 'Bearer dk_none' }),
      'of another scheme': () => alice.client.get('/v1/vat/tokens', { authorization: 'Basic YTpi' }),
      'that is empty': () => alice.client.get('/v1/vat/tokens', { authorization: '' }),
    },
    ...noCredential,
  },
  'a caller who owns a part requests a list of everything': {
    why: 'An agent or a service may see only what belongs to it.',
    calls: {
      'of tokens, by an agent': () => agent.client.get('/v1/vat/tokens'),
      'of records, by an agent': () => agent.client.get('/v1/vat/aar'),
      'of tokens, by a resource server': () => clients.resource_server.get('/v1/vat/tokens'),
      'of agents, by a person': () => alice.client.get('/v1/vat/agents'),
      'of keys, by a developer': () => clients.developer.get('/v1/vat/keys'),
    },
    ...role,
  },
}

/** The headers of a request from Alice's browser on our own page. */
const SESSION_OF_ALICE = await sessionHeaders()

async function sessionHeaders(): Promise<Record<string, string>> {
  const { secret, csrf_token } = await aSession(app.test, 'acme', agent.human_ref)
  return { cookie: `deputy_session=${secret}`, origin: TEST_URL, 'deputy-csrf': csrf_token }
}

function exchange({ client }: Agent, subject_token: string): Promise<Answer> {
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  }
  return client.post('/oauth/token', String(new URLSearchParams(form)))
}

describe('a harmful call is refused and writes nothing:', () => {
  assert.ok(Object.keys(DANGERS).length >= 25)
  for (const [name, { why, calls, status, code }] of Object.entries(DANGERS)) {
    test(name, async (context) => {
      context.diagnostic(why)
      const size = await app.test.logSize()
      for (const [which, call] of Object.entries(calls)) {
        const answer = await call()
        const isBodiless = answer.body === ''
        assert.deepEqual(
          [answer.status, isBodiless ? code : answer.body.code],
          [status, code],
          `${name}, ${which}: ${JSON.stringify(answer.body)}`,
        )
      }
      assert.equal(await app.test.logSize(), size)
    })
  }
})

describe('an OAuth client cannot gain authority:', () => {
  const form = (path: string, fields: Record<string, string>, client: Client = app.anonymous) =>
    client.post(path, String(new URLSearchParams(fields)))
  const exchanged = (subject_token: string, more: Record<string, string> = {}) => ({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    ...more,
  })
  const calls: Readonly<Record<string, readonly [error: string, call: () => Promise<Answer>]>> = {
    'by exchanging the token of a sibling': [
      'unauthorized_client',
      () => exchange(child, sibling.compact_jwt),
    ],
    'by exchanging the token of its parent': [
      'unauthorized_client',
      () => exchange(child, agent.compact_jwt),
    ],
    'by exchanging a bound token without a proof': [
      'invalid_dpop_proof',
      () => form('/oauth/token', exchanged(sibling.compact_jwt)),
    ],
    'by exchanging a token as an auditor': [
      'unauthorized_client',
      () => form('/oauth/token', exchanged(sibling.compact_jwt), clients.auditor),
    ],
    'by exchanging with a client secret that is not a key': [
      'invalid_client',
      () => form('/oauth/token', exchanged(sibling.compact_jwt, { client_id: 'x', client_secret: 'y' })),
    ],
    'by introspecting without a credential': [
      'invalid_client',
      () => form('/v1/vat/introspect', { token: agent.compact_jwt }),
    ],
    'by revoking a bound token without a proof': [
      'invalid_dpop_proof',
      () => form('/oauth/revoke', { token: sibling.compact_jwt }),
    ],
    'by the answer that a token is revoked which is not valid yet': [
      'invalid_request',
      () => form('/oauth/revoke', { token: early.compact_jwt }),
    ],
    'by revoking the token of a sibling': [
      'unauthorized_client',
      () => form('/oauth/revoke', { token: sibling.compact_jwt }, child.client),
    ],
    'by revoking the token above': [
      'unauthorized_client',
      () => form('/oauth/revoke', { token: agent.compact_jwt }, child.client),
    ],
  }
  for (const [name, [error, call]] of Object.entries(calls))
    test(name, async () => {
      const size = await app.test.logSize()
      const { status, body } = await call()
      assert.deepEqual([status >= 400 && status < 500, body.error], [true, error], JSON.stringify(body))
      assert.equal(await app.test.logSize(), size)
    })
})

describe('every attempt is refused:', () => {
  test('an auditor cannot change anything but their own sessions', async () => {
    const auditor_may = Object.entries<Operation>(OPERATIONS)
      .filter(([id, { method }]) => method !== 'GET' && ACCESS[id as OperationId].auditor !== undefined)
      .map(([id]) => id)
    const harmless = ['dryRunAlertRule', 'evaluatePolicies', 'introspectToken', 'verifyToken']
    const of_own_session = ['beginKeyPasskey', 'deleteKeyPasskey', 'endSignIn', 'finishKeyPasskey', 'logOut']
    assert.deepEqual(auditor_may.sort(), [...harmless, ...of_own_session].sort())
    const size = await app.test.logSize()
    for (const [id, row] of Object.entries<Operation>(OPERATIONS)) {
      if (row.method === 'GET' || auditor_may.includes(id) || id === 'setUp') continue
      const path = row.path.replaceAll(/\{\w+\}/g, 'x')
      const isForm = row.form === true
      const body = isForm
        ? String(new URLSearchParams(EXAMPLES[id]?.body as Record<string, string>))
        : EXAMPLES[id]?.body
      for (const client of [clients.auditor, clients.first_auditor]) {
        const answer = await client.call(row.method, path, row.body === undefined ? undefined : body)
        if (ACCESS[id as OperationId].public === true) continue
        const refusal = row.oauth_errors === true ? [400, 'unauthorized_client'] : [403, 'role_not_allowed']
        assert.deepEqual([answer.status, answer.body.error ?? answer.body.code], refusal, id)
      }
    }
    assert.equal(await app.test.logSize(), size)
  })

  test("another person's approval neither allows an agent's action nor reveals anything to it", async () => {
    const asked = { action: 'write' }
    const answers = []
    for (const approval_id of [tenant.approval, foreign.approval, unknown.approval]) {
      const { status, body } = await authorize(agent.client, agent.jti, { ...asked, approval_id })
      assert.deepEqual([status, body.authorized], [200, false], JSON.stringify(body))
      answers.push(body.reasons)
    }
    assert.deepEqual(answers[0], answers[2])
    assert.deepEqual(answers[1], answers[2])
  })

  test('a token issued in open mode is not a credential in keyed mode, nor a presented token', async () => {
    const { context } = app.test
    const open = {
      context: {
        ...context,
        issuer: openIssuer(context.public_url(), context.keys.instance),
        access: 'open' as const,
      },
    }
    const { private_key, jwk } = anAgentKey()
    const issued = await callerOf(open, aDeveloper('acme'))('issueL1', {
      body: anIssueRequest({ agent_id: 'open-bot', agent_jwk: jwk, audience: AUDIENCE }) as never, // a valid body
    })
    const opened = agentOf(app, issued, { private_key, jwk })
    const acted = await record(opened.client, opened.jti)
    assert.deepEqual([acted.status, acted.body.code], [401, 'credential_invalid'])
    const shown = await authorize(resourceServer(opened.compact_jwt), opened.jti)
    assert.deepEqual([shown.status, shown.body.code], [401, 'credential_invalid'])
  })

  test('an expired key and a deleted key are refused with the same answer', async (context) => {
    const fresh = await aKeyedApp(context)
    const short = fresh.withKey(await fresh.key('default', 'developer', { expires_in: 60 }))
    const text = await fresh.key('default', 'developer')
    const deleted = fresh.withKey(text)
    assert.equal((await short.get('/v1/vat/tokens')).status, 200)
    assert.equal((await deleted.get('/v1/vat/tokens')).status, 200)
    const removed = await fresh.operator.call('DELETE', `/v1/vat/keys/${text.split('_')[1]}`)
    assert.equal(removed.status, 200)
    fresh.test.clock.advance(60_000)
    const answers = [await short.get('/v1/vat/tokens'), await deleted.get('/v1/vat/tokens')]
    for (const { status, body } of answers)
      assert.deepEqual([status, body.code, body.reason], [401, 'credential_invalid', 'key_refused'])
    const [first, second] = answers.map(({ body: { request_id, ...rest } }) => rest)
    assert.deepEqual(first, second)
  })

  test('an agent with a revoked token cannot read anything, and its attempts are stored as denials', async () => {
    const doomed = await aChild('doomed-bot')
    const done = await record(doomed.client, doomed.jti)
    assert.equal(done.status, 200)
    const pending = await authorize(doomed.client, doomed.jti)
    assert.equal((await revoke(alice.client, doomed.jti)).status, 200)
    for (const path of [
      `/v1/vat/aar/${done.body.aar_id}`,
      `/v1/vat/aar/provenance/${doomed.provenance_ref}`,
      `/v1/vat/tokens/${doomed.jti}/chain`,
      `/v1/vat/tokens/${doomed.jti}/budget`,
      '/v1/vat/reputation/calendar-bot',
      '/v1/vat/revocations',
      '/v1/vat/policies',
    ]) {
      const { status, body } = await doomed.client.get(path)
      assert.deepEqual([status, body.code, body.reason], [403, 'token_not_live', 'token_revoked'], path)
      assert.deepEqual(body.reasons, ['token_revoked'], path)
    }
    const tried = await authorize(doomed.client, doomed.jti)
    assert.deepEqual([tried.status, tried.body.authorized], [200, false])
    assert.match(tried.body.denial_id, /^den_/)
    const ended = await doomed.client.post(`/v1/vat/aar/${pending.body.aar_id}/complete`, {
      result: 'success',
    })
    assert.equal(ended.status, 200, 'a pending record can still be completed')
    const seen = await doomed.client.get(`/v1/vat/tokens/${doomed.jti}`)
    assert.deepEqual([seen.status, seen.body.status], [200, 'revoked'])
  })

  test('an agent below a revoked token is refused as well', async () => {
    const parent = await aChild('parent-bot')
    const key = anAgentKey()
    const made = await parent.client.post('/v1/vat/delegate', {
      vat_jti: parent.jti,
      agent_id: 'grandchild-bot',
      agent_jwk: key.jwk,
    })
    const grandchild = agentOf(app, made.body, key)
    assert.equal((await grandchild.client.get('/v1/vat/policies')).status, 200)
    assert.equal((await revoke(alice.client, parent.jti)).status, 200)
    const { status, body } = await grandchild.client.get('/v1/vat/policies')
    assert.deepEqual([status, body.code], [403, 'token_not_live'])
  })

  test('a suspended agent cannot resume itself', async () => {
    const paused = await aChild('paused-bot')
    const at = `/v1/vat/tokens/${paused.jti}`
    assert.equal((await alice.client.post(`${at}/suspend`)).status, 200)
    const resumed = await paused.client.post(`${at}/resume`)
    assert.deepEqual([resumed.status, resumed.body.code], [403, 'role_not_allowed'])
    const read = await paused.client.get('/v1/vat/policies')
    assert.deepEqual([read.status, read.body.reasons], [403, ['token_suspended']])
    const tried = await authorize(paused.client, paused.jti)
    assert.deepEqual([tried.body.authorized, tried.body.reasons], [false, ['token_suspended']])
    assert.equal((await alice.client.post(`${at}/resume`)).status, 200)
    assert.equal((await paused.client.get('/v1/vat/policies')).status, 200)
  })

  test('a developer of the default tenant cannot see another tenant', async () => {
    const developer = app.withKey(await app.key('default', 'developer'))
    const { body } = await developer.get('/v1/vat/tenants')
    assert.ok(!body.data.some(({ tenant_id }: { tenant_id: string }) => tenant_id !== 'default'))
    const all = await clients.first_operator.get('/v1/vat/tenants')
    assert.ok(all.body.data.some(({ tenant_id }: { tenant_id: string }) => tenant_id === 'acme'))
  })

  test('a reviewer can decide only for others in the same tenant', async () => {
    const settings = { reviewers: [bob.human_ref] }
    assert.equal((await clients.operator.call('PATCH', '/v1/vat/tenants/acme', settings)).status, 200)
    assert.equal((await rate(bob.client, own.record)).status, 200)
    const { status, body } = await rate(bob.client, foreign.record)
    assert.deepEqual([status, body.code], [404, 'record_unknown'])
  })
})

describe('a harmful call about approvals is refused and writes nothing:', async () => {
  const carl = await aPerson(
    app,
    'acme',
    (await anAgent(app, clients.developer, { developer_email: 'carl@example.com', agent_id: 'carls-bot' }))
      .human_ref,
  )
  const joint = await anAgent(app, clients.developer, {
    developer_email: 'alice@example.com',
    agent_id: 'joint-bot',
    constraints: {
      require_approval: { approvers: { count: 2, people: [alice.human_ref, bob.human_ref] } },
    },
  })
  const asked = (await authorize(joint.client, joint.jti)).body.approval_id
  const single = (await authorize(agent.client, agent.jti, { action: 'write', metadata: { n: 1 } })).body
    .approval_id
  const grant = { minutes: 30, max_spend_usd: 50 }
  const approveWith = (client: Client, id: string, body: object) =>
    client.post(`/v1/vat/approvals/${id}/approve`, body)
  const endGrant = (client: Client, approval_id: string) =>
    client.post('/v1/vat/approvals/grants/end', { approval_id })
  const issueWith = (approvers: object) =>
    clients.developer.post(
      '/v1/vat/issue/l1',
      anIssueRequest({
        developer_email: 'alice@example.com',
        constraints: { require_approval: { approvers } },
      }),
    )
  const CALLS: Readonly<
    Record<string, readonly [call: () => Promise<Answer>, status: number, code: string]>
  > = {
    'a stranger approves what others must approve': [
      () => approveWith(carl.client, asked, {}),
      404,
      'approval_unknown',
    ],
    'a stranger denies it': [
      () => carl.client.post(`/v1/vat/approvals/${asked}/deny`),
      404,
      'approval_unknown',
    ],
    'an approver gives a grant for others': [
      () => approveWith(alice.client, asked, { grant }),
      400,
      'invalid_request',
    ],
    'an agent approves its request with a grant': [
      () => approveWith(agent.client, single, { grant }),
      403,
      'role_not_allowed',
    ],
    'a developer approves with a grant': [
      () => approveWith(clients.developer, single, { grant }),
      403,
      'role_not_allowed',
    ],
    'another person gives a grant': [
      () => approveWith(carl.client, single, { grant }),
      404,
      'approval_unknown',
    ],
    'a grant lasts for ever': [
      () => approveWith(alice.client, single, { grant: { ...grant, minutes: 1e9 } }),
      400,
      'invalid_request',
    ],
    'an agent ends a grant': [() => endGrant(agent.client, single), 403, 'role_not_allowed'],
    'another person ends a grant': [() => endGrant(carl.client, single), 404, 'approval_unknown'],
    'a token names its own person as the only approver': [
      () => issueWith({ count: 1, people: [alice.human_ref] }),
      400,
      'invalid_request',
    ],
    'a token names fewer people than it requires': [
      () => issueWith({ count: 3, people: [alice.human_ref, bob.human_ref] }),
      400,
      'invalid_request',
    ],
    'a token names neither people nor a role': [() => issueWith({ count: 1 }), 400, 'invalid_request'],
  }
  for (const [name, [call, status, code]] of Object.entries(CALLS)) {
    test(name, async () => {
      const size = await app.test.logSize()
      const answer = await call()
      assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body))
      assert.equal(await app.test.logSize(), size)
    })
  }
})

describe('a harmful call about the template of a person is refused and writes nothing:', async () => {
  await anEnrolment(app.test, { tenant_id: 'acme', human_ref: alice.human_ref })
  const path = `/v1/vat/auth/biometrics/${alice.human_ref}`
  const exporting = `${path}/export`
  const CALLS: Readonly<
    Record<string, readonly [call: () => Promise<Answer>, status: number, code: string]>
  > = {
    'an operator exports it': [() => clients.operator.get(exporting), 403, 'role_not_allowed'],
    'an auditor exports it': [() => clients.auditor.get(exporting), 403, 'role_not_allowed'],
    'a developer sees whether a person is enrolled': [
      () => clients.developer.get(path),
      403,
      'role_not_allowed',
    ],
    'another person exports it': [() => bob.client.get(exporting), 404, 'human_unknown'],
    'another person deletes it': [() => bob.client.call('DELETE', path), 404, 'human_unknown'],
    'an agent of the person exports it': [() => agent.client.get(exporting), 403, 'role_not_allowed'],
    'an agent of the person deletes it': [() => agent.client.call('DELETE', path), 403, 'role_not_allowed'],
    'an auditor deletes it': [() => clients.auditor.call('DELETE', path), 403, 'role_not_allowed'],
    'somebody without a credential sees it': [() => app.anonymous.get(path), 401, 'credential_required'],
    'another site deletes it with the cookie of the person': [
      () => alice.client.call('DELETE', path, undefined, { origin: 'https://evil.example' }),
      403,
      'cross_site_request',
    ],
  }
  for (const [name, [call, status, code]] of Object.entries(CALLS)) {
    test(name, async () => {
      const size = await app.test.logSize()
      const answer = await call()
      assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body))
      assert.equal(await app.test.logSize(), size)
    })
  }
})

test('the same ref in another tenant exports nothing of the template', async () => {
  const { body } = await misplaced_alice.client.get(`/v1/vat/auth/biometrics/${alice.human_ref}/export`)
  assert.deepEqual([body.enrolled, body.template, body.verifications], [false, undefined, []])
})

describe('limits:', () => {
  const issue = (constraints: Record<string, unknown>, changes: Record<string, unknown> = {}) =>
    clients.developer.post('/v1/vat/issue/l1', anIssueRequest({ constraints, ...changes }))
  const evaluation = (subject: Record<string, unknown>, context: Record<string, unknown> = {}) => ({
    subject,
    action: { name: 'read' },
    resource: { type: 'calendar', id: 'events' },
    context,
  })

  test('an agent cannot evaluate access with a token that is not its own', async () => {
    for (const subject of [
      { type: 'agent', id: 'calendar-bot', properties: { vat_jti: foreign.token } },
      { type: 'token', id: foreign.token },
      { type: 'user', id: 'alice', properties: { vat_jti: tenant.token } },
      { type: 'user', id: unknown.token },
    ]) {
      const { status, body } = await agent.client.post('/access/v1/evaluation', evaluation(subject))
      assert.deepEqual([status, body.code], [403, 'not_yours'], JSON.stringify(subject))
    }
  })

  test('an agent cannot hide the token of another agent behind its own in a list of evaluations', async () => {
    const { status, body } = await agent.client.post('/access/v1/evaluations', {
      ...evaluation({ type: 'token', id: agent.jti }),
      evaluations: [{}, { subject: { type: 'token', id: tenant.token } }],
    })
    assert.deepEqual([status, body.code], [403, 'not_yours'])
  })

  test('a developer, a person, an auditor, an operator or an anonymous caller cannot evaluate access', async () => {
    const asked = evaluation({ type: 'token', id: agent.jti }, { record: true })
    for (const caller of ['developer', 'human', 'auditor', 'operator'] as const)
      assert.equal((await clients[caller].post('/access/v1/evaluation', asked)).body.code, 'role_not_allowed')
    assert.equal((await clients.anonymous.post('/access/v1/evaluation', asked)).status, 401)
  })

  test('a resource server cannot evaluate access with a token that was not presented to it', async () => {
    const asked = evaluation({ type: 'token', id: agent.jti })
    const { status, body } = await resourceServer(undefined).post('/access/v1/evaluation', asked)
    assert.deepEqual([status, body.code], [403, 'not_yours'])
    const shown = await resourceServer(mail_bot.compact_jwt).post('/access/v1/evaluation', asked)
    assert.deepEqual([shown.status, shown.body.code], [403, 'not_yours'])
  })

  test('a pattern that could take exponential time is refused or taken literally', async () => {
    const text = 'a'.repeat(4000)
    const refused = await issue({ arguments: { read: { '/q': { matches: '[a-z' } } } })
    assert.equal(refused.status, 400)
    const key = anAgentKey()
    const { body } = await issue(
      { arguments: { '*': { '/q': { matches: `${'*a'.repeat(60)}b` } } } },
      { agent_jwk: key.jwk, agent_id: 'pattern-bot' },
    )
    const bot = agentOf(app, body, key)
    const took_ms = await cpuMs(async () => {
      const decision = await authorize(bot.client, bot.jti, { metadata: { q: text } })
      assert.equal(decision.body.reason, 'argument_not_allowed')
    })
    assert.ok(took_ms < 5_000, `${took_ms} ms`)
  })

  test('an agent cannot widen the limits of its token by delegating', async () => {
    const key = anAgentKey()
    const { body } = await issue(
      {
        arguments: { read: { '/n': { max: 1 } } },
        max_spend_usd_per: { day: 1 },
      },
      { agent_jwk: key.jwk, agent_id: 'narrow-bot', actions: ['read', 'delegate'] },
    )
    const narrow = agentOf(app, body, key)
    const delegated = await narrow.client.post('/v1/vat/delegate', {
      vat_jti: narrow.jti,
      agent_id: 'wide-bot',
      agent_jwk: anAgentKey().jwk,
      constraints: { arguments: { read: { '/n': { max: 2 } } }, max_spend_usd_per: { day: 2 } },
    })
    assert.deepEqual(
      [delegated.status, delegated.body.widening],
      [403, ['max_spend_usd_per: day', 'arguments: read /n max']],
    )
  })

  test('an agent cannot have a path segment as its name, or a name that imitates another', async () => {
    for (const agent_id of ['.', '..', 'calend\u0430r-bot'])
      assert.equal((await issue({}, { agent_id })).status, 400)
  })
})

describe('an agent cannot evade a limit on spending:', async () => {
  const constraints = { max_spend_usd: 1000, require_approval: { above_usd: 100 } }
  const anAction = { action: 'read', resource: 'calendar:events' }

  /** An agent whose token is suspended because it settled 900 after requesting no spend. */
  async function anOverspender(agent_id: string) {
    const overspender = await anAgent(app, clients.developer, { agent_id, constraints })
    const { client, jti } = overspender
    const asked = await client.post('/v1/vat/authorize', { vat_jti: jti, ...anAction })
    const settled = await client.post(`/v1/vat/aar/${asked.body.aar_id}/complete`, {
      result: 'success',
      spend_usd: 900,
    })
    assert.deepEqual([settled.body.exceeded, settled.body.spend_usd], [true, 900])
    return overspender
  }

  const rogue = await anOverspender('overspender-bot')
  const rogue_child = { vat_jti: rogue.jti, agent_id: 'overspender-child' }
  const replays = { 'idempotency-key': 'before-the-revocation' }
  const replaying = await anAgent(app, clients.developer, { agent_id: 'replaying-bot' })
  await replaying.client.post('/v1/vat/authorize', { vat_jti: replaying.jti, ...anAction }, replays)
  await clients.developer.post('/v1/vat/revoke', { vat_jti: replaying.jti })

  const REFUSED: Readonly<
    Record<string, readonly [call: () => Promise<Answer>, status: number, code: string]>
  > = {
    'by resuming its token itself': [
      () => rogue.client.post(`/v1/vat/tokens/${rogue.jti}/resume`),
      403,
      'role_not_allowed',
    ],
    'with a developer who resumes it': [
      () => clients.developer.post(`/v1/vat/tokens/${rogue.jti}/resume`),
      403,
      'rank_too_low',
    ],
    'with a developer who renews it': [
      () => clients.developer.post('/v1/vat/renew', { vat_jti: rogue.jti, expires_in: 60 }),
      403,
      'token_not_live',
    ],
    'by recording with the suspended token': [
      () =>
        rogue.client.post('/v1/vat/record/action', { vat_jti: rogue.jti, ...anAction, result: 'success' }),
      403,
      'not_allowed',
    ],
    'with a child that tolerates more than its parent': [
      () =>
        agent.client.post('/v1/vat/delegate', {
          vat_jti: agent.jti,
          agent_id: 'tolerant-child',
          constraints: { max_overrun_pct: 1001 },
        }),
      400,
      'invalid_request',
    ],
    'with a child of the suspended token': [
      () => clients.developer.post('/v1/vat/delegate', rogue_child),
      403,
      'role_not_allowed',
    ],
  }
  for (const [name, [call, status, code]] of Object.entries(REFUSED))
    test(name, async () => {
      const answer = await call()
      assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body))
    })

  const DENIED: Readonly<Record<string, () => Promise<Answer>>> = {
    'by asking again with the suspended token': () =>
      rogue.client.post('/v1/vat/authorize', { vat_jti: rogue.jti, ...anAction }),
    'by repeating a request that was allowed before the revocation': () =>
      replaying.client.post('/v1/vat/authorize', { vat_jti: replaying.jti, ...anAction }, replays),
  }
  for (const [name, call] of Object.entries(DENIED))
    test(name, async () => {
      const { status, body } = await call()
      assert.deepEqual([status, body.authorized], [200, false], JSON.stringify(body))
    })

  test('by reporting successes until it passes a reputation gate', async () => {
    const boaster = await anAgent(app, clients.developer, { agent_id: 'boasting-bot' })
    const items = Array.from({ length: 500 }, () => ({
      vat_jti: boaster.jti,
      ...anAction,
      result: 'success',
    }))
    await boaster.client.post('/v1/vat/record/batch', { items })
    const gated = await anAgent(app, clients.developer, {
      agent_id: 'boasting-bot',
      constraints: { min_reputation: 0.1 },
    })
    const { body } = await gated.client.post('/v1/vat/authorize', { vat_jti: gated.jti, ...anAction })
    assert.deepEqual([body.authorized, body.reasons], [false, ['reputation_too_low']])
  })

  test('by spending the largest amount until its token cannot be revoked', async () => {
    const flooding = await anAgent(app, clients.developer, { agent_id: 'flooding-bot' })
    const spend = { vat_jti: flooding.jti, ...anAction, spend_usd: 1e9, result: 'success' }
    const items = Array.from({ length: 40 }, () => spend)
    const { body } = await flooding.client.post('/v1/vat/record/batch', { items })
    const codes = body.items.map((item: Answer['body']) => item.problem?.code ?? 'kept')
    assert.deepEqual(new Set(codes.slice(9)), new Set(['spend_out_of_range']))
    const others = await authorize(agent.client, agent.jti)
    assert.equal(others.status, 200)
    assert.equal((await revoke(clients.developer, flooding.jti)).status, 200)
  })
})

describe('sessions:', () => {
  const PASSKEY_OPTIONS = '/v1/vat/auth/passkeys/register/options'
  const ZOE = `sha256:${'e'.repeat(64)}`

  function withSecret(secret: string): Client {
    const headers = {
      cookie: `deputy_session=${secret}`,
      origin: TEST_URL,
      'deputy-csrf': csrfTokenOf(secret),
    }
    return app.withHeaders(() => headers)
  }

  test('a row that was inserted by hand into the table of sessions is not a session', async () => {
    const secret = 'z'.repeat(43)
    const value = JSON.stringify({ tenant_id: 'acme', human_ref: ZOE, human_refs: [ZOE], begun_index: 0 })
    await app.test.ephemeralRows(
      `INSERT INTO ephemeral (kind, key, value, owner, expires_at_ms) VALUES ('session', '${sessionKeyOf(secret)}', '${value}', '${ZOE}', ${app.test.clock() + 60_000})`,
    )
    const answer = await withSecret(secret).get('/v1/vat/auth/me')
    assert.deepEqual([answer.status, answer.body.reason], [401, 'session_ended'])
  })

  test('a session whose row is put back after the sign-out stays ended', async () => {
    const { secret, session } = await aSession(app.test, 'acme', ZOE)
    const where = `kind = 'session' AND key = '${session.session_key}'`
    const [row] = await app.test.ephemeralRows(`SELECT * FROM ephemeral WHERE ${where}`)
    assert.equal((await withSecret(secret).post('/v1/vat/auth/logout')).status, 200)
    await app.test.ephemeralRows(
      `INSERT INTO ephemeral (kind, key, value, owner, expires_at_ms) VALUES ('session', '${row?.key}', '${row?.value}', '${row?.owner}', ${row?.expires_at_ms})`,
    )
    assert.equal((await withSecret(secret).get('/v1/vat/auth/me')).status, 401)
  })

  test('a session ends when an operator stops its person', async () => {
    const { secret } = await aSession(app.test, 'acme', ZOE)
    const stopped = await clients.operator.post('/v1/vat/revoke/human', { human_ref: ZOE })
    assert.equal(stopped.status, 200, JSON.stringify(stopped.body))
    assert.equal((await withSecret(secret).get('/v1/vat/auth/me')).status, 401)
  })

  test('a session that began hours ago cannot register a passkey', async () => {
    const { secret } = await app.test.accessControl.sessions.create({
      tenant_id: 'acme',
      human_ref: ZOE,
      human_refs: [ZOE],
      assurance_level: 'L2',
      amr: [],
      auth_time_ms: app.test.clock() - 7 * 3_600_000,
      sign_on: undefined,
    })
    const answer = await withSecret(secret).call('POST', PASSKEY_OPTIONS)
    assert.deepEqual([answer.status, answer.body.code], [403, 'sign_on_too_old'])
  })

  test('a person cannot read the entries of the log with a session', async () => {
    const answer = await alice.client.get('/tile/entries/000.p/1')
    assert.deepEqual([answer.status, answer.body.code], [403, 'role_not_allowed'])
  })
})

describe('a flood', () => {
  test('still allows calls that take back authority, and no call that grants any', async (context) => {
    const flooded = await aKeyedApp(context)
    await flooded.operator.post('/v1/vat/tenants', { tenant_id: 'small', rate_limit: 20 })
    const [developer, operator] = [
      flooded.withKey(await flooded.key('small', 'developer')),
      flooded.withKey(await flooded.key('small', 'operator')),
    ]
    const rogue = await anAgent(flooded, developer)
    const person = await aPerson(flooded, 'small', rogue.human_ref)
    const opened = await authorize(rogue.client, rogue.jti)
    flooded.test.clock.advance(60_000)
    for (let n = 0; n < 25; n++) await developer.get('/v1/vat/tokens')
    const refused = [
      issueFor(developer),
      authorize(rogue.client, rogue.jti),
      record(rogue.client, rogue.jti),
      delegate(rogue.client, rogue.jti),
      makeKey(operator, {}),
      person.client.post(`/v1/vat/tokens/${rogue.jti}/resume`),
      operator.post('/v1/vat/agents/calendar-bot/resume'),
    ]
    for (const { status, body } of await Promise.all(refused))
      assert.deepEqual([status, body.code], [429, 'rate_limited'])
    const stops = [
      () => rogue.client.post(`/v1/vat/aar/${opened.body.aar_id}/cancel`),
      () => developer.post(`/v1/vat/tokens/${rogue.jti}/suspend`),
      () => person.client.post('/v1/vat/revoke', { vat_jti: rogue.jti }),
      () => operator.post('/v1/vat/revoke/agent', { agent_id: 'calendar-bot' }),
      () => person.client.post('/v1/vat/revoke/human', { human_ref: rogue.human_ref }),
    ]
    for (const stop of stops) {
      const { status, body } = await stop()
      assert.equal(status, 200, JSON.stringify(body))
    }
    // The lane is not a way around the access table.
    const outside = await revoke(flooded.withKey(await flooded.key('default', 'developer')), rogue.jti)
    assert.deepEqual([outside.status, outside.body.code], [404, 'token_unknown'])
    const anonymous = await revoke(flooded.anonymous, rogue.jti)
    assert.deepEqual([anonymous.status, anonymous.body.code], [401, 'credential_required'])
  })
})

const issueFor = (client: Client) => client.post('/v1/vat/issue/l1', anIssueRequest())

describe('names, keys and suspensions are enforced:', () => {
  const fresh = (agent_id: string, agent_jwk: unknown = anAgentKey().jwk) =>
    anIssueRequest({ agent_id, agent_jwk })
  const code = async (answer: Promise<Answer>) => {
    const { status, body } = await answer
    return [status, body.code]
  }

  test('a developer cannot use, register or take over the agent of another developer, or use its key', async () => {
    const rival = app.withKey(await app.key('acme', 'developer'))
    const calls = [
      rival.post('/v1/vat/issue/l1', fresh('calendar-bot')),
      rival.post('/v1/vat/agents', { agent_id: 'calendar-bot', add_keys: [anAgentKey().jwk] }),
      rival.call('PATCH', '/v1/vat/agents/calendar-bot', { owned_by: ['*'] }),
      rival.post('/v1/vat/issue/l1', fresh('rivals-bot', agent.key.jwk)),
    ]
    for (const call of calls) assert.deepEqual(await code(call), [409, 'agent_taken'])
  })

  test('an agent cannot give its child the name or key of a parent, a sibling or a stranger', async () => {
    const tried = await aChild('taker-bot')
    const take = (agent_id: string, key = anAgentKey()) =>
      tried.client.post('/v1/vat/delegate', { vat_jti: tried.jti, agent_id, agent_jwk: key.jwk })
    for (const name of ['calendar-bot', 'sibling-bot', 'bobs-bot'])
      assert.deepEqual(await code(take(name)), [409, 'agent_taken'], name)
    assert.deepEqual(await code(take('decoy-bot', sibling.key)), [409, 'agent_taken'])
  })

  test('a developer cannot lift a suspension by a person or an operator, or a refusal by a person', async () => {
    const held = await aChild('held-bot')
    const at = `/v1/vat/tokens/${held.jti}`
    assert.equal((await alice.client.post(`${at}/suspend`)).status, 200)
    assert.deepEqual(await code(clients.developer.post(`${at}/resume`)), [403, 'rank_too_low'])
    assert.equal((await clients.operator.post('/v1/vat/agents/held-bot/suspend')).status, 200)
    const resumed = clients.developer.post('/v1/vat/agents/held-bot/resume')
    assert.deepEqual(await code(resumed), [403, 'rank_too_low'])
    const accepted = clients.developer.post(`/v1/vat/humans/${agent.human_ref}/accept`)
    assert.deepEqual(await code(accepted), [403, 'role_not_allowed'])
  })
})

describe('a verification cannot be bypassed:', () => {
  const SESSIONS = '/v1/vat/auth/sessions'
  const opened = async (client: Client, body: object) => {
    const answer = await client.post(SESSIONS, { consent: { version: '1' }, ...body })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body
  }
  const code = async (answer: Promise<Answer>) => {
    const { status, body } = await answer
    return [status, body.code]
  }

  test('an agent cannot open a session for its person', async () => {
    for (const purpose of ['enroll', 'verify']) {
      const call = agent.client.post(SESSIONS, { purpose, human_ref: own.human, consent: { version: '1' } })
      assert.deepEqual(await code(call), [403, 'role_not_allowed'])
    }
  })

  test('a caller cannot answer, judge or cancel a session without its nonce', async () => {
    const { session_id, step } = await opened(clients.developer, { purpose: 'enroll' })
    const recording = { step_id: step.step_id, frames: [{ t_ms: 0, jpeg: 'AAAA' }] }
    for (const client of [app.anonymous, agent.client, clients.developer, clients.first_operator])
      for (const call of [
        client.post(`${SESSIONS}/${session_id}/steps`, { nonce: session_id, ...recording }),
        client.post('/v1/vat/auth/capture', { session_id, nonce: session_id }),
        client.post('/v1/vat/auth/enroll', { session_id, nonce: session_id }),
        client.post(`${SESSIONS}/${session_id}/passkey`, { nonce: session_id }),
        client.post(`${SESSIONS}/${session_id}/cancel`, { nonce: session_id }),
      ])
        assert.deepEqual(await code(call), [409, 'nonce_mismatch'])
  })

  test('a person cannot enroll another person', async () => {
    const call = alice.client.post(SESSIONS, {
      purpose: 'enroll',
      human_ref: bob.human_ref,
      consent: { version: '1' },
    })
    assert.deepEqual(await code(call), [403, 'not_yours'])
  })

  test('a developer of another tenant cannot watch a session', async () => {
    const { session_id } = await opened(clients.developer, { purpose: 'enroll' })
    assert.deepEqual(await code(stranger.get(`${SESSIONS}/${session_id}`)), [404, 'session_unknown'])
  })

  test('a caller cannot claim that a person was verified', async () => {
    const claim = { svc_verification: { id: own.verification }, assurance_level: 'L3' }
    for (const call of [
      clients.developer.post('/v1/vat/issue/l1', { ...anIssueRequest(), ...claim }),
      clients.developer.post('/v1/vat/auth/capture', { session_id: own.verification, nonce: 'x', ...claim }),
    ])
      assert.deepEqual(await code(call), [400, 'invalid_request'])
  })

  test('a capture is not judged without its recordings', async () => {
    const { session_id, nonce } = await opened(clients.developer, { purpose: 'enroll' })
    const call = app.anonymous.post('/v1/vat/auth/enroll', { session_id, nonce })
    assert.deepEqual(await code(call), [409, 'step_mismatch'])
  })

  test('a person cannot read the verification of another', async () => {
    const call = bob.client.get(`/v1/vat/auth/verifications/${own.verification}`)
    assert.deepEqual(await code(call), [404, 'verification_unknown'])
  })
})

describe('a prepared verification belongs to its caller and its person:', () => {
  before(() => app.test.clock.advance(60_000)) // beyond the limit for failed attempts of the tests above
  const HOSTED = '/v1/vat/auth/sessions/hosted'
  const prepared = async (client: Client, body: object = { purpose: 'enroll' }) => {
    const answer = await client.post(HOSTED, body)
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return { ...answer.body, at: `/v1/vat/auth/sessions/${answer.body.session_id}` }
  }
  const code = async (answer: Promise<Answer>) => {
    const { status, body } = await answer
    return [status, body.code]
  }
  const UNKNOWN_SESSION = [404, 'session_unknown']
  // Lets the failed attempts of the tests above expire.
  before(() => void app.test.clock.advance(60_000))

  test('an agent, an auditor, a resource server or an anonymous caller cannot prepare one', async () => {
    for (const client of [agent.client, clients.auditor, clients.resource_server, app.anonymous]) {
      const { status } = await client.post(HOSTED, { purpose: 'verify', human_ref: own.human })
      assert.ok(status === 401 || status === 403)
    }
  })

  test('a person cannot prepare one for another person', async () => {
    const call = alice.client.post(HOSTED, { purpose: 'verify', human_ref: bob.human_ref })
    assert.deepEqual(await code(call), [403, 'not_yours'])
  })

  test('no credential can open, watch, move, cancel or collect one without its secret', async () => {
    const { at, session_id } = await prepared(clients.developer)
    for (const client of [app.anonymous, agent.client, clients.developer, clients.first_operator])
      for (const call of ['open', 'preview', 'watch', 'transfer', 'collect', 'cancel'])
        assert.deepEqual(
          await code(client.post(`${at}/${call}`, { client_token: session_id })),
          UNKNOWN_SESSION,
        )
  })

  test('the secret of one session does not open another', async () => {
    const [one, other] = [await prepared(clients.developer), await prepared(stranger)]
    for (const call of ['open', 'preview', 'watch', 'transfer', 'collect', 'cancel']) {
      const { client_token } = one
      assert.deepEqual(
        await code(app.anonymous.post(`${other.at}/${call}`, { client_token })),
        UNKNOWN_SESSION,
      )
    }
    const { body } = await app.anonymous.post(`${one.at}/transfer`, { client_token: one.client_token })
    const { transfer_code } = body
    assert.deepEqual(await code(app.anonymous.post(`${other.at}/open`, { transfer_code })), UNKNOWN_SESSION)
  })

  test('the link of a session cannot collect its result', async () => {
    const { at, url } = await prepared(clients.developer)
    const call = app.anonymous.post(`${at}/collect`, { client_token: new URL(url).hash.slice(1) })
    assert.deepEqual(await code(call), UNKNOWN_SESSION)
  })

  test('a developer of another tenant cannot read one', async () => {
    const { at } = await prepared(clients.developer)
    assert.deepEqual(await code(stranger.get(at)), UNKNOWN_SESSION)
  })

  test('once the key that prepared it is deleted, a session can only be cancelled', async () => {
    const key = await app.key('acme', 'developer')
    const { at, client_token } = await prepared(app.withKey(key))
    const { body } = await app.anonymous.post(`${at}/transfer`, { client_token })
    const key_id = key.slice('dk_'.length).split('_')[0]
    assert.equal((await clients.operator.call('DELETE', `/v1/vat/keys/${key_id}`)).status, 200)
    for (const call of [
      app.anonymous.post(`${at}/open`, { client_token, consent: { version: '1' } }),
      app.anonymous.post(`${at}/open`, { transfer_code: body.transfer_code, consent: { version: '1' } }),
      app.anonymous.post(`${at}/transfer`, { client_token }),
      app.anonymous.post(`${at}/collect`, { client_token }),
    ])
      assert.deepEqual(await code(call), [403, 'not_yours'])
    assert.equal((await app.anonymous.post(`${at}/cancel`, { client_token })).body.state, 'cancelled')
  })
})

describe('a harmful call about vouches is refused and writes nothing:', () => {
  const refused = async (answer: Promise<Answer>, status: number, code: string) => {
    const size = await app.test.logSize()
    const { status: found, body } = await answer
    assert.deepEqual([found, body.code], [status, code], JSON.stringify(body))
    assert.equal(await app.test.logSize(), size)
  }
  const vouches = '/v1/vat/trust/vouches'

  test('a developer, an operator, a resource server or an agent vouches', async () => {
    const body = { from: bob.human_ref, to: 'agent:calendar-bot' }
    for (const client of [clients.developer, clients.operator, clients.resource_server, agent.client])
      await refused(client.post(vouches, body), 403, 'role_not_allowed')
  })

  test('a person vouches in the name of another, for themselves, or for an agent that acts for them', async () => {
    await refused(bob.client.post(vouches, { from: alice.human_ref, to: 'agent:bobs-bot' }), 403, 'not_yours')
    await refused(alice.client.post(vouches, { to: alice.human_ref }), 403, 'cannot_vouch')
    await refused(alice.client.post(vouches, { to: 'agent:calendar-bot' }), 403, 'cannot_vouch')
  })

  test('a person vouches for an agent that their agent delegated to', async () => {
    await refused(alice.client.post(vouches, { to: 'agent:helper-bot' }), 403, 'cannot_vouch')
    await refused(alice.client.post(vouches, { to: 'agent:sibling-bot' }), 403, 'cannot_vouch')
  })

  test('a person vouches for a person or an agent of another tenant', async () => {
    await refused(alice.client.post(vouches, { to: foreign.human }), 404, 'human_unknown')
    await refused(alice.client.post(vouches, { to: 'agent:intruder-bot' }), 404, 'agent_unknown')
  })

  test('a person reads what another person trusts', async () => {
    const scores = '/v1/vat/trust/scores/agent:calendar-bot'
    await refused(alice.client.get(`${scores}?as=${bob.human_ref}`), 403, 'not_yours')
    const paths = `/v1/vat/trust/paths?from=${bob.human_ref}&to=agent:calendar-bot`
    await refused(alice.client.get(paths), 403, 'not_yours')
  })

  test('a person changes, withdraws or reads the vouch of another', async () => {
    const theirs = `${vouches}/${tenant.vouch}`
    await refused(alice.client.call('PATCH', theirs, { weight: 1 }), 404, 'vouch_unknown')
    await refused(alice.client.post(`${theirs}/withdraw`), 404, 'vouch_unknown')
    await refused(alice.client.get(theirs), 404, 'vouch_unknown')
    await refused(stranger.get(theirs), 404, 'vouch_unknown')
  })

  test('a developer, an auditor or a person names an anchor, and an operator one of another tenant', async () => {
    const body = { base: 0.9, reason: 'because I say so' }
    const anchor = (client: Client, ref: string) => client.call('PUT', `/v1/vat/trust/anchors/${ref}`, body)
    for (const client of [clients.developer, clients.auditor, alice.client])
      await refused(anchor(client, alice.human_ref), 403, 'role_not_allowed')
    await refused(anchor(clients.operator, foreign.human), 404, 'human_unknown')
  })

  test('a child token asks for a lower score than its parent', async () => {
    const gated = await anAgent(app, clients.developer, {
      agent_id: 'gated-bot',
      constraints: { min_vouch_score: 0.5 },
    })
    const body = {
      vat_jti: gated.jti,
      agent_id: 'lowered-bot',
      agent_jwk: anAgentKey().jwk,
      constraints: { min_vouch_score: 0.1 },
    }
    await refused(gated.client.post('/v1/vat/delegate', body), 403, 'scope_widening')
  })
})

describe('a harmful call about alerts is refused or has no effect:', async () => {
  const other = app.withKey(await app.key('other', 'operator'))
  const rules = '/v1/vat/alerts/rules'
  const condition = { kind: 'denials', more_than: 3, within_minutes: 5 }
  const suspending = { name: 'stop them', condition, effect: 'suspend' }
  const refused = async (answer: Promise<Answer>, status: number, code: string) => {
    const size = await app.test.logSize()
    const { status: found, body } = await answer
    assert.deepEqual([found, body.code], [status, code], JSON.stringify(body))
    assert.equal(await app.test.logSize(), size)
  }

  test('a developer, an auditor, a person, an agent or a resource server makes a rule that suspends others', async () => {
    for (const client of [
      clients.developer,
      clients.auditor,
      alice.client,
      agent.client,
      clients.resource_server,
    ])
      await refused(client.post(rules, suspending), 403, 'role_not_allowed')
  })

  test('an agent or a person reads what is counted or what fires, to stay below it', async () => {
    for (const client of [agent.client, alice.client])
      for (const path of ['/v1/vat/stats', '/v1/vat/alerts', rules])
        await refused(client.get(path), 403, 'role_not_allowed')
    await refused(agent.client.post(`${rules}/dry-run`, { condition }), 403, 'role_not_allowed')
  })

  test('the operator of another tenant reads, changes or deletes a rule', async () => {
    const { body: rule } = await clients.operator.post(rules, { ...suspending, enabled: false })
    const theirs = `${rules}/${rule.rule_id}`
    await refused(other.get(theirs), 404, 'rule_unknown')
    await refused(other.call('PATCH', theirs, { enabled: true }), 404, 'rule_unknown')
    await refused(other.call('DELETE', theirs), 404, 'rule_unknown')
    assert.deepEqual((await other.get(rules)).body.data, [])
  })

  test('the operator of another tenant counts agents of this one', async () => {
    const { jti, client } = await anAgent(app, clients.developer, { agent_id: 'counted-bot' })
    await client.post('/v1/vat/record/action', {
      vat_jti: jti,
      action: 'read',
      resource: 'a:b',
      result: 'success',
    })
    const counted = (who: Client, query: string) => who.get(`/v1/vat/stats?bucket=all&${query}`)
    const agents = JSON.stringify((await counted(clients.operator, 'group_by=agent&limit=100')).body)
    assert.equal(agents.includes('agent:counted-bot'), true)
    const theirs = JSON.stringify((await counted(other, 'group_by=agent&limit=100')).body)
    assert.equal(theirs.includes('agent:counted-bot'), false)
    assert.deepEqual((await counted(other, 'agent_id=counted-bot')).body.data, [])
    const tenants = (await counted(other, 'group_by=tenant')).body.data
    assert.deepEqual(
      tenants.map(({ tenant_id }: { tenant_id: string }) => tenant_id),
      ['other'],
    )
  })

  test('a rule names an agent of another tenant', async () => {
    const { body: rule } = await other.post(rules, { ...suspending, agent_id: 'calendar-bot' })
    const about = { rule_id: rule.rule_id, agent_id: 'calendar-bot' }
    const command = { kind: 'fire_alert', ...about, at_ms: app.test.clock() + 60_000 } as const
    const { outcome } = await app.test.submit({ ...command, explanation: 'not theirs' })
    assert.deepEqual(outcome, { fired: false })
  })
})

describe('identity providers cannot be bypassed:', async () => {
  const HOSTED = '/v1/vat/auth/sessions/hosted'
  const CALLBACK = '/v1/vat/auth/providers/sandbox/callback'
  const person = { purpose: 'verify', developer_email: 'ada@example.com' }
  const scope = { after }
  const idv = {
    providers: [
      { name: 'sandbox', kind: 'sandbox', level: 'L3', tenant_id: 'acme', nobody_is_verified: true },
    ],
  }
  const world = await aKeyedApp(scope, { idv })
  for (const tenant_id of ['acme', 'globex']) await world.operator.post('/v1/vat/tenants', { tenant_id })
  const own = world.withKey(await world.key('acme', 'developer'))
  const stranger = world.withKey(await world.key('globex', 'developer'))
  const refusal = async (answer: Promise<Answer>) => {
    const { status, body } = await answer
    return [status, body.code]
  }

  test('a tenant cannot use the provider of another', async () => {
    const call = stranger.post(HOSTED, { ...person, provider: 'sandbox' })
    assert.deepEqual(await refusal(call), [403, 'provider_not_allowed'])
  })

  test('a developer cannot change the providers, and an operator cannot name those of another tenant', async () => {
    const verification = { providers: ['sandbox'] }
    const developer = own.call('PATCH', '/v1/vat/tenants/acme', { verification })
    assert.deepEqual(await refusal(developer), [403, 'role_not_allowed'])
    const operator = world.withKey(await world.key('globex', 'operator'))
    const foreign = operator.call('PATCH', '/v1/vat/tenants/globex', { verification })
    assert.deepEqual(await refusal(foreign), [400, 'invalid_request'])
  })

  test('a provider cannot enroll a person or replace the face for an approval', async () => {
    const enrol = own.post(HOSTED, { ...person, purpose: 'enroll', provider: 'sandbox' })
    assert.deepEqual(await refusal(enrol), [400, 'invalid_request'])
    const face = own.post(HOSTED, { ...person, provider: 'sandbox', approval_id: 'apr_1' })
    assert.deepEqual(await refusal(face), [400, 'invalid_request'])
  })

  test('a callback needs a signature, whatever credential of the service it carries', async () => {
    for (const client of [world.anonymous, own, world.operator])
      assert.deepEqual(await refusal(client.post(CALLBACK, { event_id: '1', id: 'sbx_1' })), [
        401,
        'callback_refused',
      ])
  })

  test('the API of the sandbox refuses credentials of the service, and unknown pages are not found', async () => {
    const api = '/sandbox-identity/sandbox/sessions'
    for (const client of [world.anonymous, world.operator])
      assert.deepEqual(await refusal(client.post(api, { session_id: 'vs_1', attempt: 1 })), [
        401,
        'callback_refused',
      ])
    assert.deepEqual(await refusal(world.anonymous.get('/sandbox-identity/sandbox/sbx_1')), [
      404,
      'not_found',
    ])
  })

  test('a token cannot require a provider that did not verify its person', async () => {
    const constraints = { verification_providers: ['sandbox'] }
    const call = own.post('/v1/vat/issue/l1', { ...anIssueRequest(), constraints })
    assert.deepEqual(await refusal(call), [403, 'provider_not_allowed'])
  })
})

describe('coercion and review:', () => {
  const id = `vrf_${'0'.repeat(36)}`
  const code = async (answer: Promise<Answer>) => {
    const { status, body } = await answer
    return [status, body.code]
  }

  test('only the desk can list and resolve alerts and release tokens', async () => {
    for (const client of [
      clients.operator,
      clients.developer,
      clients.auditor,
      clients.resource_server,
      alice.client,
      agent.client,
    ]) {
      const list = client.get('/v1/vat/auth/duress-alerts')
      assert.deepEqual(await code(list), [403, 'role_not_allowed'])
      const resolve = client.post(`/v1/vat/auth/duress-alerts/${id}/resolve`, { outcome: 'safe' })
      assert.deepEqual(await code(resolve), [403, 'role_not_allowed'])
      const release = client.post(`/v1/vat/tokens/${agent.jti}/release`)
      assert.deepEqual(await code(release), [403, 'role_not_allowed'])
    }
  })

  test('the desk of another tenant can find neither tokens nor alerts', async () => {
    const stranger = app.withKey(await app.key('default', 'safety'))
    const release = stranger.post(`/v1/vat/tokens/${agent.jti}/release`)
    assert.deepEqual(await code(release), [404, 'token_unknown'])
    const resolve = stranger.post(`/v1/vat/auth/duress-alerts/${id}/resolve`, { outcome: 'revoke' })
    assert.deepEqual(await code(resolve), [404, 'alert_unknown'])
  })

  test('the desk cannot act, rate, issue or revoke, or read records or keys', async () => {
    const desk = app.withKey(await app.key('acme', 'safety'))
    const { aar_id } = (
      await agent.client.post('/v1/vat/authorize', {
        vat_jti: agent.jti,
        action: 'read',
        resource: 'calendar:events',
      })
    ).body
    assert.ok(aar_id)
    const calls = [
      desk.post(`/v1/vat/aar/${aar_id}/feedback`, { rating: 'rejected' }),
      desk.post('/v1/vat/issue/l1', anIssueRequest()),
      desk.post('/v1/vat/authorize', { vat_jti: agent.jti, action: 'read', resource: 'calendar:events' }),
      desk.post('/v1/vat/revoke', { vat_jti: agent.jti }),
      desk.get('/v1/vat/aar'),
      desk.get('/v1/vat/keys'),
    ]
    for (const call of calls) assert.deepEqual(await code(call), [403, 'role_not_allowed'])
  })

  test('the desk cannot approve a request to a person', async () => {
    const desk = app.withKey(await app.key('acme', 'safety'))
    const asking = await anAgent(app, clients.developer, {
      agent_id: 'questioning-bot',
      constraints: { require_approval: {} },
    })
    const ask = { vat_jti: asking.jti, action: 'read', resource: 'calendar:events' }
    const { approval_id } = (await asking.client.post('/v1/vat/authorize', ask)).body
    const decide = desk.post(`/v1/vat/approvals/${approval_id}/approve`)
    assert.deepEqual(await code(decide), [403, 'not_an_approver'])
  })

  test('a person needs a fresh passkey to set or remove a sign, and other callers cannot set one', async () => {
    const body = { word: 'butterfly', contacts: ['somebody'] }
    const own = alice.client.call('PUT', '/v1/vat/auth/duress', body)
    assert.deepEqual(await code(own), [403, 'step_up_required'])
    assert.deepEqual(await code(alice.client.call('DELETE', '/v1/vat/auth/duress')), [
      403,
      'step_up_required',
    ])
    for (const client of [clients.operator, clients.developer, agent.client])
      assert.deepEqual(await code(client.call('PUT', '/v1/vat/auth/duress', body)), [403, 'role_not_allowed'])
  })
})

describe('lists and signals:', () => {
  const operator = clients.operator
  const code = async (answer: Promise<Answer>) => {
    const { status, body } = await answer
    return [status, body.code]
  }

  test('another tenant cannot read, poll, change or delete a stream', async () => {
    const made = await operator.post('/v1/vat/ssf/streams', { aud: AUDIENCE })
    const { stream_id } = made.body
    const foreign_operator = app.withKey(await app.key('other', 'operator'))
    const calls = [
      foreign_operator.get(`/v1/vat/ssf/streams?stream_id=${stream_id}`),
      foreign_operator.post(`/v1/vat/ssf/streams/${stream_id}/poll`, { returnImmediately: true }),
      foreign_operator.call('PATCH', '/v1/vat/ssf/streams', { stream_id, description: 'mine' }),
      foreign_operator.call('DELETE', `/v1/vat/ssf/streams?stream_id=${stream_id}`),
      foreign_operator.post('/v1/vat/ssf/status', { stream_id, status: 'disabled' }),
      foreign_operator.post('/v1/vat/ssf/verify', { stream_id }),
    ]
    for (const call of calls) assert.deepEqual(await code(call), [404, 'stream_unknown'])
  })

  test('a resource server cannot poll or verify a stream for another audience', async () => {
    const { body } = await operator.post('/v1/vat/ssf/streams', { aud: 'https://elsewhere.example' })
    const server = app.withKey(resource_key)
    const { stream_id } = body
    for (const call of [
      server.post(`/v1/vat/ssf/streams/${stream_id}/poll`, { returnImmediately: true }),
      server.post('/v1/vat/ssf/verify', { stream_id }),
    ])
      assert.deepEqual(await code(call), [404, 'stream_unknown'])
  })

  test('a stream cannot be pushed into the network, and loses its credential if its address changes', async () => {
    const push = (endpoint_url: string) => ({ method: PUSH_DELIVERY, endpoint_url })
    for (const { url } of HOSTILE_URLS) {
      const call = operator.post('/v1/vat/ssf/streams', { delivery: push(url) })
      assert.deepEqual(await code(call), [400, 'invalid_request'], url)
    }
    const target = { ...push('https://93.184.215.14/'), authorization_header: 'Bearer CANARY' }
    const { body } = await operator.post('/v1/vat/ssf/streams', { delivery: target })
    const { stream_id } = body
    const turn = (delivery: object) => operator.call('PATCH', '/v1/vat/ssf/streams', { stream_id, delivery })
    assert.deepEqual(await code(turn(push('https://10.0.0.1/'))), [400, 'invalid_request'])
    const turned = await turn(push('https://93.184.215.15/'))
    assert.equal(turned.status, 200, JSON.stringify(turned.body))
    const entry = await app.test.reader.registry.entry('ssf_stream', stream_id)
    assert.match(entry?.document ?? '', /93\.184\.215\.15/)
    assert.doesNotMatch(JSON.stringify([entry?.document, body, turned.body]), /CANARY/)
  })

  test('developers, people, agents and resource servers cannot create streams or read refused calls', async () => {
    for (const client of [clients.developer, alice.client, agent.client, app.withKey(resource_key)]) {
      assert.deepEqual(await code(client.post('/v1/vat/ssf/streams', {})), [403, 'role_not_allowed'])
      assert.deepEqual(await code(client.get('/v1/vat/security-events')), [403, 'role_not_allowed'])
    }
  })

  test('an operator cannot read the refused calls of another tenant', async () => {
    const call = operator.get('/v1/vat/security-events?tenant_id=other')
    assert.deepEqual(await code(call), [404, 'tenant_unknown'])
  })

  test('a person or an agent cannot list people, and an operator cannot list those of another tenant', async () => {
    for (const client of [alice.client, agent.client])
      assert.deepEqual(await code(client.get('/v1/vat/humans')), [403, 'role_not_allowed'])
    const { body } = await operator.get('/v1/vat/humans?limit=200')
    const refs = body.data.map(({ human_ref }: { human_ref: string }) => human_ref)
    assert.ok(refs.includes(own.human))
    assert.ok(!refs.includes(foreign.human))
  })

  test('a search finds no tokens, agents, workflows or approvals of another tenant', async () => {
    for (const path of ['tokens', 'agents', 'workflows', 'approvals']) {
      const { status, body } = await operator.get(`/v1/vat/${path}?q=intruder-bot&total=1`)
      assert.deepEqual([status, body.data, body.total], [200, [], 0], path)
    }
  })
})

describe('events:', () => {
  const EVENTS = '/v1/vat/events?after=-1&limit=200'
  const seenBy = async (client: Client, query: string) => {
    const { status, body } = await client.get(`${EVENTS}&${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.data
  }

  test('a resource server, the review desk and anonymous callers cannot read events', async () => {
    const desk = app.withKey(await app.key('acme', 'safety'))
    for (const client of [app.withKey(resource_key), desk])
      assert.equal((await client.get(EVENTS)).body.code, 'role_not_allowed')
    const stream = await app.anonymous.get(EVENTS, { accept: 'text/event-stream' })
    assert.deepEqual([stream.status, stream.body.code], [401, 'credential_required'])
  })

  test('an agent cannot read events of another agent, its token or its workflow', async () => {
    assert.deepEqual(await seenBy(agent.client, `vat_jti=${things.tenant.token}`), [])
    assert.deepEqual(await seenBy(agent.client, `provenance_ref=${things.tenant.workflow}`), [])
    assert.deepEqual(await seenBy(agent.client, `agent_id=${things.tenant.agent}`), [])
  })

  test('a person cannot read events of tokens of another person', async () => {
    assert.deepEqual(await seenBy(alice.client, `vat_jti=${things.tenant.token}`), [])
    assert.deepEqual(await seenBy(alice.client, `provenance_ref=${things.tenant.workflow}`), [])
  })

  test('staff cannot read events of another tenant', async () => {
    for (const client of [clients.operator, clients.developer, clients.auditor]) {
      assert.deepEqual(await seenBy(client, `vat_jti=${things.foreign.token}`), [])
      assert.deepEqual(await seenBy(client, `provenance_ref=${things.foreign.workflow}`), [])
      assert.equal((await client.get(`${EVENTS}&agent_id=other:calendar-bot`)).status, 400)
    }
  })

  test('an operator cannot read events after an index that the log has not reached', async () => {
    const { status, body } = await clients.operator.get('/v1/vat/events?after=99999999')
    assert.deepEqual([status, body.code], [400, 'invalid_request'])
  })
})

describe('channels of people:', async () => {
  const app = await aKeyedApp({ after })
  await app.operator.post('/v1/vat/tenants', { tenant_id: 'acme' })
  const alice = await aPerson(app, 'acme', `sha256:${'a'.repeat(64)}`)
  const mallory = await aPerson(app, 'acme', `sha256:${'b'.repeat(64)}`)
  const operator = app.withKey(await app.key('acme', 'operator'))
  const elsewhere = app.withKey(await app.key('default', 'operator'))
  const others = [
    app.withKey(await app.key('acme', 'developer')),
    app.withKey(await app.key('acme', 'auditor')),
    app.withKey(await app.key('acme', 'safety')),
  ]
  const channels = '/v1/vat/notifications/channels'
  const code = async (answer: Promise<Answer>) => {
    const { status, body } = await answer
    return [status, body.code]
  }
  const slack = { kind: 'slack', url: 'https://hooks.slack.com/services/of-alice' }
  const { channel_id } = (await alice.client.post(channels, slack)).body

  test('a channel of another person cannot be tested, confirmed or removed', async () => {
    for (const client of [mallory.client, elsewhere])
      for (const call of [
        client.post(`${channels}/${channel_id}/test`),
        client.post(`${channels}/${channel_id}/confirm`, { code: '00000000' }),
        client.call('DELETE', `${channels}/${channel_id}`),
      ])
        assert.deepEqual(await code(call), [404, 'channel_unknown'])
  })

  test('developers, auditors, the desk and anonymous callers cannot read or add channels', async () => {
    for (const client of others)
      for (const call of [
        client.get('/v1/vat/notifications'),
        client.call('PUT', '/v1/vat/notifications', {}),
        client.post(channels, slack),
      ])
        assert.deepEqual(await code(call), [403, 'role_not_allowed'])
    const nobody = app.anonymous.get('/v1/vat/notifications')
    assert.deepEqual(await code(nobody), [401, 'credential_required'])
  })

  test('an operator cannot list the channels of a person or add one for them', async () => {
    const made = await operator.post(channels, {
      kind: 'slack',
      url: 'https://hooks.slack.com/services/of-acme',
    })
    assert.equal(made.status, 201)
    assert.doesNotMatch(
      JSON.stringify((await operator.get('/v1/vat/notifications')).body),
      new RegExp(channel_id),
    )
    const { body } = await alice.client.get('/v1/vat/notifications')
    assert.deepEqual(
      body.channels.map((one: { channel_id: string }) => one.channel_id),
      [channel_id],
    )
  })

  test('no message is sent to an address inside the network', async () => {
    for (const url of [
      'http://10.0.0.1/x',
      'https://169.254.169.254/latest',
      'https://localhost.internal/x',
    ]) {
      const added = await mallory.client.post(channels, { kind: 'webhook', url })
      if (added.status !== 201) {
        assert.equal(added.status, 400, JSON.stringify(added.body))
        continue
      }
      const tried = await mallory.client.post(`${channels}/${added.body.channel_id}/test`)
      assert.deepEqual([tried.status, tried.body.sent], [200, false], url)
    }
  })

  test('no message is sent to a push service inside the network', async () => {
    const browser = createECDH('prime256v1')
    const keys = { p256dh: browser.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') }
    for (const endpoint of [
      'https://10.0.0.1/push',
      'https://169.254.169.254/latest',
      'https://[fd00::1]/push',
      'https://[::ffff:192.168.0.1]/push',
      'https://0x0a000001/push',
      'https://metadata.google.internal/push',
    ]) {
      const subscription = { endpoint, keys }
      const added = await mallory.client.post(channels, { kind: 'push', subscription })
      assert.equal(added.status, 201, JSON.stringify(added.body))
      const tried = await mallory.client.post(`${channels}/${added.body.channel_id}/test`)
      assert.deepEqual([tried.status, tried.body.sent], [200, false], endpoint)
    }
  })

  test('a forged link to a question or to unsubscribe decides and reveals nothing', async () => {
    for (const path of [`/approve/apr_${'0'.repeat(36)}`, `/unsubscribe/${channel_id}.${'0'.repeat(64)}`]) {
      const answer = await app.anonymous.get(path)
      assert.doesNotMatch(String(answer.body), /slack/)
    }
    const ended = await app.anonymous.call('POST', `/unsubscribe/${channel_id}.${'0'.repeat(64)}`, 'a=b')
    assert.equal(ended.status, 404)
    assert.equal((await alice.client.get('/v1/vat/notifications')).body.channels.length, 1)
  })
})

describe('webhooks:', () => {
  const PATH = '/v1/vat/webhooks'
  const url = 'https://93.184.215.14/'
  const code = async (answer: Promise<Answer>) => {
    const { status, body } = await answer
    return [status, body.code]
  }
  const onOne = (client: Client, id: string) => [
    client.get(`${PATH}/${id}`),
    client.get(`${PATH}/${id}/deliveries`),
    client.call('PATCH', `${PATH}/${id}`, { url }),
    client.post(`${PATH}/${id}/rotate-secret`, {}),
    client.post(`${PATH}/${id}/test`),
    client.post(`${PATH}/${id}/enable`),
    client.post(`${PATH}/${id}/replay`, { from_index: 0 }),
    client.post(`${PATH}/${id}/deliveries/evt_0/retry`),
    client.call('DELETE', `${PATH}/${id}`),
  ]

  test('another tenant cannot read, change, test, replay or delete a webhook', async () => {
    for (const call of onOne(stranger, own.webhook))
      assert.deepEqual(await code(call), [404, 'webhook_unknown'])
  })

  test('a person, an agent or a resource server cannot create, read or change a webhook', async () => {
    for (const client of [alice.client, agent.client, app.withKey(resource_key)]) {
      const calls = [client.post(PATH, { url }), client.get(PATH), ...onOne(client, own.webhook)]
      for (const call of calls) assert.deepEqual(await code(call), [403, 'role_not_allowed'])
    }
  })

  test('an auditor can read but not change a webhook', async () => {
    const [read, list, ...changes] = onOne(clients.auditor, own.webhook)
    assert.equal((await read)?.status, 200)
    assert.equal((await list)?.status, 200)
    for (const call of changes) assert.deepEqual(await code(call), [403, 'role_not_allowed'])
  })

  test('a developer cannot change the webhook of an operator', async () => {
    const { body } = await clients.operator.post(PATH, { url })
    const [, , ...changes] = onOne(clients.developer, body.webhook_id)
    for (const call of changes) assert.deepEqual(await code(call), [403, 'not_yours'])
  })

  test('a webhook cannot point to cloud metadata, a private network or this machine', async () => {
    for (const { url: target } of HOSTILE_URLS)
      for (const spelled of [target, target.replace(/^http:/, 'https:')])
        assert.deepEqual(
          await code(clients.developer.post(PATH, { url: spelled })),
          [400, 'invalid_request'],
          spelled,
        )
  })

  test('a list of webhooks contains none of another tenant, and no secret', async () => {
    const { body } = await clients.developer.get(`${PATH}?limit=200`)
    const ids = body.data.map(({ webhook_id }: { webhook_id: string }) => webhook_id)
    assert.ok(ids.includes(own.webhook))
    assert.ok(!ids.includes(foreign.webhook))
    assert.doesNotMatch(JSON.stringify(body), /whsec_|whsk_/)
  })
})
