import { newId } from '@deputize/protocol'
import { aDevice } from '@deputize/testing/a-device.ts'
import type { TestProvider } from '@deputize/testing/a-provider.ts'
import { TEST_URL, type TestApp } from '@deputize/testing/a-test-app.ts'
import { actedRecording } from '@deputize/testing/an-acted-engine.ts'
import { anL3Token } from '@deputize/testing/an-l3-token.ts'
import { putChannel } from '../../server/src/operations/channels/channel-entries.ts'
import { storeTemplate } from '../../server/src/operations/identity/biometric-entries.ts'
import { keepCode } from '../../server/src/operations/notifications/channel-codes.ts'
import { safetyNoteCommand } from '../../server/src/operations/safety/safety-notes.ts'
import { addVerification } from '../../server/src/operations/verification/biometric-sessions/verification-entries.ts'
import { verificationIdOf } from '../../server/src/operations/views/verification-view.ts'
import { duressSlotText, EMPTY_DURESS_SLOT } from '../../server/src/verification/duress-slot.ts'
import type { Play } from './recorder.ts'

/** A story that calls every operation at least once. The examples of the documentation are its first calls. */
export interface Stage {
  readonly service: TestApp
  readonly play: Play
}

/** A template of eight numbers. A real one has 128. */
const TEMPLATE = {
  template: { version: 1, engine_version: '1', face: Buffer.alloc(32, 1).toString('base64'), voice: {} },
  consent: { version: '1', accepted_at: '2026-01-31T12:00:00.000Z', text_hash: `sha256:${'0'.repeat(64)}` },
} as const

const AGENT = 'calendar-bot'
const HELPER = 'summary-bot'

/** In open mode: a developer gives an agent a token, and everything that follows from it. */
export async function playOpen({ service, play }: Stage, provider: TestProvider): Promise<void> {
  await describeTheService(play)
  const root = await play('issueL1', {
    body: {
      developer_email: 'dev@example.com',
      agent_id: AGENT,
      resources: ['calendar:events'],
      actions: ['read', 'write', 'delegate'],
      constraints: { max_spend_usd: 5, require_approval: { actions: ['write'], auto_approve_after: 1 } },
    },
  })
  await registerTheAgent(play)
  const record = await act(service, play, root)
  await decide(service, play, root)
  await shareSignals(play)
  const child = await delegate(service, play, root)
  await look(service, play, { root, record })
  await readTheLog(play, record)
  const signed_in = await signIn(service, play, provider)
  await verifyAPerson(service, play)
  await vouchForTheHelper(play, { root, signed_in })
  await sendEvents(service, play)
  await stop(play, { root, child, signed_in })
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape, as the recorder returns them
type Answered = any

async function describeTheService(play: Play): Promise<void> {
  await play('getHealth')
  await play('getReadiness')
  await play('getServiceStatus')
  await play('getDeployment')
  await play('getKeySet')
  await play('getAuthorizationServer')
  await play('getAuthzenConfiguration')
  await play('listSigningKeys')
  await play('listPolicies')
  await play('getPolicy', { params: { name: 'NIST_ZTA' } })
  await play('evaluatePolicies', {
    body: {
      policy_assertions: ['SOC2'],
      resources: ['records:visits'],
      actions: ['read'],
      assurance_level: 'L2',
      expires_in: 3600,
    },
  })
}

async function registerTheAgent(play: Play): Promise<void> {
  await play('registerAgent', {
    body: { agent_id: AGENT, display_name: 'Calendar bot', owner: 'platform team' },
  })
  await play('updateAgent', { params: { agent_id: AGENT }, body: { model: 'example-model-2', owner: null } })
  await play('getAgent', { params: { agent_id: AGENT } })
  await play('listAgents', { query: { limit: 1 } })
}

/** The agent reads the calendar, and is denied what its token doesn't cover. */
async function act({ clock }: TestApp, play: Play, { jti }: Answered): Promise<Answered> {
  const read = { vat_jti: jti, action: 'read', resource: 'calendar:events' }
  const { aar_id } = await play('authorize', { body: { ...read, spend_usd: 0.25 } })
  clock.advance(1500)
  await play('completeRecord', {
    params: { id: aar_id },
    body: { result: 'success', spend_usd: 0.2, metadata: { events: 12 } },
  })
  clock.advance(1500)
  await play('rateRecord', {
    params: { id: aar_id },
    body: { rating: 'approved', note: 'Exactly what I asked for' },
  })
  await play('recordAction', { body: { ...read, result: 'success' } })
  await play('recordAction', { body: { ...read, result: 'error', parent_aar_id: aar_id } })
  await play('authorizeBatch', { body: { items: [{ ...read, dry_run: true }] } })
  await play('recordBatch', { body: { items: [{ ...read, result: 'partial' }] } })
  const evaluation = {
    subject: { type: 'agent', id: AGENT, properties: { vat_jti: jti } },
    action: { name: 'read' },
    resource: { type: 'calendar', id: 'events' },
  }
  await play('evaluateAccess', { body: evaluation })
  await play('evaluateAccesses', {
    body: { ...evaluation, evaluations: [{}, { resource: { type: 'mail', id: 'inbox' } }] },
  })
  const abandoned = await play('authorize', { body: read })
  await play('cancelRecord', { params: { id: abandoned.aar_id } })
  const denied = await play('authorize', { body: { ...read, resource: 'mail:inbox' } })
  await play('getDenial', { params: { id: denied.denial_id } })
  await play('listDenials', { query: { agent_id: AGENT, limit: 1 } })
  return play('getRecord', { params: { id: aar_id } })
}

/** The token needs approval for writing. */
async function decide({ clock }: TestApp, play: Play, { jti, claims }: Answered): Promise<void> {
  const write = { vat_jti: jti, action: 'write', resource: 'calendar:events' }
  const ask = async (name: string) => {
    clock.advance(1000)
    return play('authorize', { body: { ...write, metadata: { name } } })
  }
  const first = await ask('Standup')
  await play('listApprovals', { query: { state: 'pending', expand: 'token,agent', total: 'true', limit: 1 } })
  await play('approve', { params: { id: first.approval_id }, body: { note: 'Go ahead' } })
  await play('authorize', {
    body: { ...write, metadata: { name: 'Standup' }, approval_id: first.approval_id },
  })
  await play('getApproval', { params: { id: first.approval_id } })
  await play('listHabits', { query: { agent_id: AGENT } })
  await play('endHabit', {
    body: { agent_id: AGENT, human_ref: claims.svc_human_ref, action: 'write', resource: 'calendar:events' },
  })
  const second = await ask('Review')
  await play('deny', { params: { id: second.approval_id }, body: { note: 'Not this week' } })
  const third = await ask('Planning')
  await play('decideApprovals', {
    body: { items: [{ approval_id: third.approval_id, decision: 'approved' }] },
  })
  const fourth = await play('authorize', { body: { ...write, spend_usd: 1 } })
  await play('approve', {
    params: { id: fourth.approval_id },
    body: { grant: { minutes: 30, max_spend_usd: 3 } },
  })
  await play('listGrants')
  await play('endGrant', { body: { approval_id: fourth.approval_id } })
}

async function delegate({ clock }: TestApp, play: Play, root: Answered): Promise<Answered> {
  clock.advance(60_000)
  const body = {
    vat_jti: root.jti,
    agent_id: HELPER,
    resources: ['calendar:events'],
    actions: ['read'],
    constraints: { max_spend_usd: 1 },
  }
  await play('previewDelegation', { body })
  const child = await play('delegate', { body })
  await play('recordAction', {
    body: {
      vat_jti: child.jti,
      action: 'read',
      resource: 'calendar:events',
      result: 'success',
      spend_usd: 0.1,
    },
  })
  await play('exchangeToken', {
    body: {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: root.compact_jwt,
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      scope: 'read@calendar:events',
      agent_id: HELPER,
    },
  })
  await play('renewToken', { body: { vat_jti: root.jti, expires_in: 3600 } })
  return child
}

/** Everything that can be read about tokens, records, workflows, agents and the person. */
async function look(
  { clock, context }: TestApp,
  play: Play,
  { root, record }: { root: Answered; record: Answered },
): Promise<void> {
  clock.advance(1000)
  const token = { params: { jti: root.jti } }
  await play('getToken', token)
  await play('listTokens', { query: { agent_id: HELPER, limit: 1 } })
  await play('getTokenChain', token)
  await play('listDescendants', { ...token, query: { limit: 1 } })
  await play('getTokenBudget', token)
  await play('getTokenUsage', token)
  await play('verifyToken', { body: { compact_jwt: root.compact_jwt } })
  await play('introspectToken', { body: { token: root.compact_jwt } })
  await play('listRecords', { query: { agent_id: AGENT, result: 'success', limit: 1 } })
  const workflow = { params: { ref: root.provenance_ref } }
  await play('listWorkflows', { query: { agent_id: AGENT, limit: 1 } })
  await play('getProvenance', workflow)
  await play('listWorkflowRecords', { ...workflow, query: { order: 'oldest', limit: 1 } })
  await play('getWorkflowGraph', { ...workflow, query: { limit: 1 } })
  await play('exportWorkflow', { ...workflow, query: { format: 'ndjson' } })
  await play('previewAuditPack', { query: { agent_id: [AGENT], from: '2026-01-01T00:00:00Z' } })
  await play('exportAuditPack', { query: { agent_id: [AGENT], from: '2026-01-01T00:00:00Z' } })
  await play('getLineage', { params: { id: record.aar_id } })
  const agent = { params: { agent_id: AGENT } }
  await play('getReputation', agent)
  await play('getReputationHistory', { ...agent, query: { bucket: 'day' } })
  await play('getStats', { query: { group_by: 'agent', bucket: 'all' } })
  const condition = { kind: 'denials', more_than: 10, within_minutes: 5 }
  const { rule_id } = await play('createAlertRule', {
    body: { name: 'Many denials', condition, effect: 'suspend', agent_id: AGENT },
  })
  const rule = { params: { rule_id } }
  await play('getAlertRule', rule)
  await play('updateAlertRule', { ...rule, body: { effect: 'notify' } })
  await play('dryRunAlertRule', { body: { condition: { ...condition, more_than: 0 } } })
  await play('deleteAlertRule', rule)
  await play('suggestAlertRules')
  await play('listAlertRules', { query: { limit: 1 } })
  clock.advance(60_000) // rules begin with the next minute
  const fired = { kind: 'fire_alert', agent_id: AGENT, at_ms: context.clock() } as const
  const [{ rule_id: suggested }] = (await play('listAlertRules', {})).data
  await context.clerk.submit({
    ...fired,
    rule_id: suggested,
    explanation: '17 denials in 5 minutes; usual is 0 to 2',
  })
  await play('listAlerts', { query: { limit: 1 } })
  await play('rankAgents', { query: { sort: 'lower_bound', limit: 1 } })
  const person = { params: { human_ref: root.claims.svc_human_ref } }
  await play('listHumans', { query: { limit: 1 } })
  await play('getHuman', person)
  await storeTemplate({ tenant_id: 'default', ...person.params }, TEMPLATE, context)
  await play('getConsent')
  await play('getBiometrics', person)
  await play('exportBiometrics', person)
  const proof = { ...person.params, verification_id: await aVerification(person.params, context) }
  await play('setDuress', {
    body: { word: 'butterfly', contacts: ['Ada Lovelace, +44 20 7946 0000'], ...proof },
  })
  await play('deleteDuress', { query: proof })
  await play('deleteBiometrics', person)
}

/** Stores a verification that passed just now, and returns its ID. */
async function aVerification(person: { readonly human_ref: string }, context: TestApp['context']) {
  const document = {
    session_id: `vs_${'0'.repeat(36)}`,
    nonce_hash: '',
    fingerprint: '',
    purpose: 'verify',
    ...person,
    decision: 'pass',
    modalities: [],
    score: 1,
    evidence_hash: '',
    engine_version: '1',
    attempts_left: 5,
    verified_at: new Date(context.clock()).toISOString(),
    duress: 0,
  } as const
  await addVerification({ tenant_id: 'default', ...person }, document, EMPTY_DURESS_SLOT, context)
  return verificationIdOf(document.session_id)
}

type Verified = { readonly human_ref: string; readonly verification_id: string }

/** The note of a verification in which the person gave their sign of coercion. */
function aSafetyNote(
  { human_ref, verification_id }: Verified,
  tenant_id: string,
  at_ms: number,
  contacts: string[],
) {
  return safetyNoteCommand({
    verification_id,
    tenant_id,
    human_ref,
    passed: true,
    duress: true,
    slot: duressSlotText({ word: 'butterfly', contacts }) ?? EMPTY_DURESS_SLOT,
    at: new Date(at_ms).toISOString(),
  })
}

/** The desk hears about coercion, and decides. */
async function useTheDesk(
  service: TestApp,
  play: Play,
  operator: Readonly<Record<string, string>>,
): Promise<void> {
  const body = { name: 'safety desk', role: 'safety', tenant_id: 'acme' }
  const { key } = await play('createKey', { headers: operator, body })
  const headers = { authorization: `Bearer ${key}` }
  const verified = { human_ref: `sha256:${'3'.repeat(64)}`, verification_id: `vrf_${'1'.repeat(36)}` }
  const contacts = ['Ada Lovelace, +44 20 7946 0000']
  await service.submit(aSafetyNote(verified, 'acme', service.clock(), contacts))
  await play('listDuressAlerts', { headers, query: { limit: 1 } })
  await play('resolveDuressAlert', {
    headers,
    params: { id: verified.verification_id },
    body: { outcome: 'safe', note: 'We met her in person.' },
  })
  const { jti } = await anL3Token(service, { tenant_id: 'acme' })
  await play('releaseToken', { headers, params: { jti }, body: {} })
}

async function readTheLog(play: Play, { aar_id, log_index }: Answered): Promise<void> {
  await play('getReceipt', { params: { id: aar_id } }) // waits for a checkpoint
  await play('getCheckpoint')
  await play('listEvents', { query: { after: 0, limit: 2 } })
  const { size } = await play('listLogEntries', { query: { start: 0, limit: 2 } })
  await play('getLogEntry', { params: { index: log_index } })
  await play('getInclusionProof', { query: { index: log_index } })
  await play('getConsistencyProof', { query: { from: 2 } })
  await play('listCheckpoints', { query: { limit: 1 } })
  await play('listWitnesses')
  await play('getTile', { params: { level: 0, index: `000.p/${size}` } })
  await play('getEntries', { params: { index: `000.p/${size}` } })
}

/** A person signs in with a provider, and the agent gets a token at L2. */
async function signIn({ app }: TestApp, play: Play, provider: TestProvider): Promise<Answered> {
  await play('listProviders')
  const scope = { agent_id: AGENT, resources: ['calendar:events'], actions: ['read'] }
  const { login_id, authorization_url } = await play('startLogin', { body: scope })
  const { pathname } = new URL(new URL(authorization_url).searchParams.get('redirect_uri') ?? '')
  const page = await app.inject(`${pathname}?${provider.signIn(authorization_url)}`)
  const [, confirmation = ''] = /name="confirmation" value="([\w-]+)"/.exec(page.body) ?? []
  await app.inject({
    method: 'POST',
    url: '/v1/vat/auth/oidc/confirm',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: String(new URLSearchParams({ confirmation, decision: 'yes' })),
  })
  await play('getLogin', { params: { id: login_id } })
  return play('issueL2', { body: { login_id, ...scope } })
}

/** A person who signed in with their provider vouches for an agent that acts for another one. */
async function vouchForTheHelper(
  play: Play,
  { root, signed_in }: { readonly root: Answered; readonly signed_in: Answered },
): Promise<void> {
  const from = signed_in.claims.svc_human_ref
  const subject = `agent:${HELPER}`
  const made = await play('vouch', {
    body: { from, to: subject, weight: 0.8, note: 'It has kept my calendar for a year.' },
  })
  const one = { params: { vouch_id: made.vouch_id } }
  await play('getVouch', one)
  await play('listVouches', { query: { to: subject, standing: 'true' } })
  await play('updateVouch', { ...one, body: { weight: 0.9 } })
  await play('getVouchScore', { params: { subject }, query: { explain: '1' } })
  await play('findTrustPaths', { query: { from, to: subject } })
  await play('getTrustGraph', { query: { around: subject, depth: 1 } })
  await play('rankByVouches', { query: { limit: 10 } })
  const anchor = { params: { human_ref: root.claims.svc_human_ref } }
  await play('nameAnchor', { ...anchor, body: { base: 0.5, reason: 'Founder of the team.' } })
  await play('listAnchors')
  await play('removeAnchor', anchor)
  await play('withdrawVouch', one)
}

/** A developer's own service receives events. One has reached it. */
async function sendEvents({ context }: TestApp, play: Play): Promise<void> {
  const url = 'https://hooks.example.com/deputy'
  const { webhook_id } = await play('createWebhook', {
    body: { url, events: ['token.revoked', 'approval.requested'], description: 'Tells the team' },
  })
  const one = { params: { webhook_id } }
  const { store } = context.events.deliveries
  const now_ms = context.clock()
  await store.hold('story', 60_000)
  const row = {
    log_index: 12,
    lane: 'evt_12',
    state: 'delivered',
    attempts: 1,
    first_at_ms: now_ms,
    last_at_ms: now_ms,
    next_at_ms: now_ms,
    status: 204,
    error: undefined,
    answer: undefined,
    took_ms: 84,
  } as const
  const progress = { endpoint_id: webhook_id, revision: 0, next_index: 13, failing_since_ms: undefined }
  await store.write('story', [{ ...progress, rows: [row] }])
  await play('listWebhooks')
  await play('getWebhook', one)
  await play('updateWebhook', { ...one, body: { events: ['*'], format: 'cloudevents' } })
  await play('rotateWebhookSecret', { ...one, body: { overlap_s: 3600 } })
  await play('testWebhook', one)
  await play('listWebhookDeliveries', { ...one, query: { state: 'delivered' } })
  await play('retryWebhookDelivery', { params: { webhook_id, event_id: 'evt_12' } })
  await play('replayWebhook', { ...one, body: { from_index: 12 } })
  await play('enableWebhook', one)
  await play('deleteWebhook', one)
}

/**
 * A person enrolls, then confirms with face, voice and passkey that an agent may act. The acted engine reads words
 * instead of pictures.
 */
async function verifyAPerson(service: TestApp, play: Play): Promise<void> {
  await play('getEngine')
  await play('installEngine')
  const device = aDevice(TEST_URL)
  const consent = { version: service.context.verification.consent.version }
  const enrollment = await play('createVerificationSession', {
    body: { purpose: 'enroll', developer_email: 'dev@example.com', consent },
  })
  await answerEveryStep(service, play, enrollment)
  const { session_id, nonce } = enrollment
  const created = await play('beginSessionPasskey', { params: { id: session_id }, body: { nonce } })
  const { human_ref } = await play('enroll', {
    body: { session_id, nonce, passkey_registration: device.create(created.options) },
  })
  const session = await play('createVerificationSession', { body: { purpose: 'verify', human_ref } })
  await answerEveryStep(service, play, session)
  await play('getVerificationSession', { params: { id: session.session_id } })
  const token = { agent_id: AGENT, resources: ['payments:invoices'], actions: ['pay'] }
  const named = { nonce: session.nonce, ...token }
  const challenge = await play('beginSessionPasskey', { params: { id: session.session_id }, body: named })
  const { verification_id } = await play('capture', {
    body: { session_id: session.session_id, ...named, passkey: device.get(challenge.options) },
  })
  await play('getVerification', { params: { id: verification_id } })
  await play('listVerifications', { query: { human_ref, limit: 1 } })
  await verifyOnThePhone(service, play, { human_ref, device })
  const abandoned = await play('createVerificationSession', { body: { purpose: 'verify', human_ref } })
  await play('cancelVerificationSession', {
    params: { id: abandoned.session_id },
    body: { nonce: abandoned.nonce },
  })
}

/** A backend prepares a session, the person continues on their phone, and the backend collects the token. */
async function verifyOnThePhone(
  service: TestApp,
  play: Play,
  { human_ref, device }: { human_ref: string; device: ReturnType<typeof aDevice> },
): Promise<void> {
  const request = { agent_id: AGENT, resources: ['payments:invoices'], actions: ['pay'] }
  const { session_id, client_token } = await play('createHostedSession', {
    body: { purpose: 'verify', human_ref, request, return_url: 'https://app.example.com/verified' },
  })
  const params = { id: session_id }
  const { transfer_code } = await play('transferHostedSession', { params, body: { client_token } })
  await play('previewHostedSession', { params, body: { transfer_code } })
  const opened = await play('openHostedSession', { params, body: { transfer_code } })
  await answerEveryStep(service, play, opened)
  const { nonce } = opened
  const { options } = await play('beginSessionPasskey', { params, body: { nonce } })
  await play('capture', { body: { session_id, nonce, passkey: device.get(options) } })
  await play('watchHostedSession', { params, body: { client_token } })
  await play('collectHostedSession', { params, body: { client_token } })
}

async function answerEveryStep({ clock }: TestApp, play: Play, opened: Answered): Promise<void> {
  const { session_id, nonce } = opened
  for (let { step } = opened; step !== undefined; ) {
    clock.advance(step.duration_ms + 500)
    const recording = actedRecording(step, { face: 1 })
    // Two frames show what a recording looks like; the other steps need all their frames.
    const frames = step.kind === 'neutral' ? recording.frames.slice(0, 2) : recording.frames
    const body = { nonce, ...recording, frames }
    const answer = await play('answerStep', { params: { id: session_id }, body })
    step = answer.step
  }
}

/** Calls everything that ends authority, the person last. */
async function stop(
  play: Play,
  { root, child, signed_in }: { root: Answered; child: Answered; signed_in: Answered },
): Promise<void> {
  const helper = { params: { jti: child.jti } }
  await play('suspendToken', { ...helper, body: { reason: 'It answers too slowly' } })
  await play('resumeToken', helper)
  await play('suspendAgent', { params: { agent_id: HELPER }, body: { reason: 'Under review' } })
  await play('resumeAgent', { params: { agent_id: HELPER } })
  await play('previewRevocation', { body: { vat_jti: root.jti } })
  await play('revokeToken', { body: { vat_jti: child.jti, reason: 'Task is done' } })
  await play('revokeOauthToken', { body: { token: child.compact_jwt } })
  await play('revokeAgent', { body: { agent_id: HELPER } })
  await play('listRevocations', { query: { since: 0 } })
  await play('getStatusList')
  const { kid } = await play('rotateSigningKey')
  await play('withdrawSigningKey', {
    params: { kid },
    body: { from: '2027-01-01T00:00:00.000Z', reason: 'A backup was lost' },
  })
  await play('exportHuman', { params: { human_ref: signed_in.claims.svc_human_ref } })
  const human_ref = root.claims.svc_human_ref
  await play('revokeHuman', { body: { human_ref } })
  await play('refuseTokens', { params: { human_ref } })
  await play('acceptTokens', { params: { human_ref } })
  await play('eraseHuman', { params: { human_ref } })
}

/** A gateway learns what is revoked. */
async function shareSignals(play: Play): Promise<void> {
  await play('getSsfConfiguration')
  const { stream_id } = await play('createStream', {
    body: { description: 'API gateway', aud: 'https://gateway.example' },
  })
  await play('readStreams', { query: { stream_id } })
  await play('updateStream', { body: { stream_id, description: 'API gateway, production' } })
  await play('getStreamStatus', { query: { stream_id } })
  await play('updateStreamStatus', { body: { stream_id, status: 'enabled' } })
  const subject = { format: 'opaque', id: 'agent:test-bot' }
  await play('removeStreamSubject', { body: { stream_id, subject } })
  await play('addStreamSubject', { body: { stream_id, subject } })
  await play('verifyStream', { body: { stream_id, state: 'are you there?' } })
  await play('pollStream', { params: { stream_id }, body: { maxEvents: 1, returnImmediately: true } })
  await play('deleteStream', { query: { stream_id } })
}

/** In keyed mode: the first operator, tenants and keys, and a person with a passkey. */
export async function playKeyed({ service, play }: Stage): Promise<void> {
  const { accessControl, clock } = service
  const { key } = await play('setUp', {
    body: { setup_secret: accessControl.setup?.secret ?? '', name: 'first operator' },
  })
  const headers = { authorization: `Bearer ${key}` }
  await play('createTenant', { headers, body: { tenant_id: 'acme', name: 'Acme Ltd' } })
  const tenant = { headers, params: { tenant_id: 'acme' } }
  await play('updateTenant', { ...tenant, body: { step_up: ['revoke_many'] } })
  await play('getTenant', tenant)
  await play('listTenants', { headers, query: { limit: 1 } })
  const made = await play('createKey', {
    headers,
    body: { name: 'calendar backend', role: 'developer', tenant_id: 'acme' },
  })
  await play('listKeys', { headers, query: { tenant_id: 'acme', limit: 1 } })
  await service.delete(`/v1/vat/keys/${made.key_id}`, { authorization: 'Bearer dk_guessed_secret' })
  await play('listSecurityEvents', { headers, query: { limit: 1 } })
  const rotated = await play('rotateKey', {
    headers,
    params: { key_id: made.key_id },
    body: { overlap_s: 3600 },
  })
  await play('deleteKey', { headers, params: { key_id: rotated.key_id } })
  clock.advance(1000)
  await signInInBrowser(service, key, play)
  await useTheDesk(service, play, headers)
  await usePasskeys(service, play)
}

async function chooseChannels(
  { context, clock }: TestApp,
  play: Play,
  headers: Record<string, string>,
  owner: string,
): Promise<void> {
  const quiet_hours = { time_zone: 'Europe/Berlin', from: '22:00', to: '07:00' }
  await play('setNotifications', { headers, body: { time_zone: 'Europe/Berlin', quiet_hours } })
  const { channel_id } = await play('addChannel', {
    headers,
    body: { kind: 'slack', name: 'My Slack', url: 'https://hooks.slack.com/services/T0/B0/secret' },
  })
  await play('getNotifications', { headers })
  await play('testChannel', { headers, params: { channel_id } })
  // There is no mail server, so the address waits for its code as if one had sent it.
  const address = { channel_id: newId('channel', clock()), tenant_id: 'acme', owner }
  const created_at = new Date(clock()).toISOString()
  const email = {
    kind: 'email',
    address: 'sam@example.com',
    name: 'Work',
    is_confirmed: false,
    created_at,
  } as const
  await putChannel(address, email, 'absent', undefined, context)
  await keepCode(address, '12345678', context)
  await play('confirmChannel', {
    headers,
    params: { channel_id: address.channel_id },
    body: { code: '12345678' },
  })
  await play('removeChannel', { headers, params: { channel_id } })
}

async function signInInBrowser({ accessControl }: TestApp, key: string, play: Play): Promise<void> {
  const { session_id, key_id } = await play('signInWithKey', { body: { key } })
  const headers = { authorization: `Bearer ${key}` }
  await play('listSignIns', { headers })
  await play('endSignIn', { headers, params: { session_id } })
  await addPasskeyToKey(accessControl, key_id, play)
}

/** In a browser: the story has no cookies, so the session is made as the sign-in makes it. */
async function addPasskeyToKey(
  { keySessions }: TestApp['accessControl'],
  key_id: string,
  play: Play,
): Promise<void> {
  const holder = {
    role: 'operator',
    tenant_id: 'default',
    name: `key:${key_id}`,
    key_id,
    audience: undefined,
  } as const
  const { secret, csrf_token } = await keySessions.create(holder)
  const headers = { cookie: `deputy_session=${secret}`, origin: TEST_URL, 'deputy-csrf': csrf_token }
  const device = aDevice(TEST_URL)
  const { options } = await play('beginKeyPasskey', { headers })
  const { passkey_id } = await play('finishKeyPasskey', {
    headers,
    body: { response: device.create(options), name: 'Laptop' },
  })
  await play('listKeyPasskeys', { headers })
  const login = await play('beginPasskeyLogin')
  const handle = Buffer.from(options.user.id, 'base64url')
  await play('signInWithPasskey', { body: { response: device.get(login.options, { handle }) } })
  await play('deleteKeyPasskey', { headers, params: { id: passkey_id } })
}

async function usePasskeys(service: TestApp, play: Play): Promise<void> {
  const { accessControl, clock } = service
  const human_ref = `sha256:${'9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'}`
  const session = await accessControl.sessions.create({
    tenant_id: 'acme',
    human_ref,
    human_refs: [human_ref],
    assurance_level: 'L2',
    amr: ['pwd'],
    auth_time_ms: clock(),
    sign_on: undefined,
  })
  const headers = {
    cookie: `deputy_session=${session.secret}`,
    origin: TEST_URL,
    'deputy-csrf': session.csrf_token,
  }
  const device = aDevice(TEST_URL)
  const challenge = await play('beginPasskey', { headers })
  const { passkey_id } = await play('finishPasskey', {
    headers,
    body: { response: device.create(challenge.options), name: 'Laptop' },
  })
  await play('getMe', { headers })
  await play('listPasskeys', { headers, query: { limit: 1 } })
  const confirmation = await play('beginStepUp', {
    headers,
    body: { operation: 'revokeHuman', body: { human_ref } },
  })
  await play('finishStepUp', { headers, body: { response: device.get(confirmation.options) } })
  const login = await play('beginPasskeyLogin')
  await play('finishPasskeyLogin', {
    body: {
      response: device.get(login.options, { handle: Buffer.from(human_ref.slice('sha256:'.length), 'hex') }),
    },
  })
  await chooseChannels(service, play, headers, human_ref)
  await play('deletePasskey', { headers, params: { id: passkey_id } })
  await play('logOut', { headers, body: { everywhere: true } })
}
