import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import {
  ERRORS,
  type ErrorCode,
  GUARD_ERRORS,
  MAX_PAGE,
  MOST_SIGNAL_STREAMS,
  MOST_WEBHOOKS,
  OPERATIONS,
} from '@deputize/protocol'
import { aProvider } from '@deputize/testing/a-provider.ts'
import { type Answer, aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import { aKeyedApp, anAgent, anAgentKey, aPerson } from '../http/a-keyed-app.ts'
import { l2Request, startLogin } from '../verification/sign-in.ts'

/** Errors that other tests cause, each with the file and name of its test. */
const ELSEWHERE: Partial<Record<ErrorCode, { file: string; name: string }>> = {
  storage_unavailable: {
    file: '../faults/sync-failure.test.ts',
    name: 'nothing is acknowledged, and the service recovers by itself',
  },
  storage_full: {
    file: '../faults/disk-full.test.ts',
    name: 'with a full disk, writes return 503 with Retry-After and reads work',
  },
  storage_damaged: {
    file: '../log/log-scrub.test.ts',
    name: 'turns readiness red, says where, and leaves the way to stop agents open',
  },
  clock_jumped: {
    file: '../http/clock.test.ts',
    name: 'a step of the wall clock blocks changes and fails readiness, but agents can be stopped',
  },
  step_up_required: {
    file: '../browser/passkeys.test.ts',
    name: 'is required for the groups that the tenant names, and the refusal names the operation',
  },
  held_key: {
    file: '../http/key-sessions.test.ts',
    name: 'gives a key that nobody can replace with one that outlasts the sign-in',
  },
  alert_unknown: {
    file: '../http/duress.test.ts',
    name: 'is reported only to the desk, which resolves it',
  },
  answer_early: {
    file: '../http/biometric-sessions.test.ts',
    name: 'that arrives before its recording can have been made is refused and stays due',
  },
  answer_late: {
    file: '../http/biometric-sessions.test.ts',
    name: 'that arrives after answer_by is refused',
  },
  log_restored: {
    file: '../http/events.test.ts',
    name: 'detects after a restore that the event of a cursor was lost',
  },
  too_many_streams: {
    file: '../http/events.test.ts',
    name: 'is refused while the node serves its maximum number of streams',
  },
  channel_unknown: {
    file: '../http/dangerous-calls.test.ts',
    name: 'a channel of another person cannot be tested, confirmed or removed',
  },
  channel_unavailable: {
    file: '../http/notifications.test.ts',
    name: 'is refused if the tenant does not allow its kind or there is no mail server',
  },
  audit_pack_empty: {
    file: '../http/audit-pack.test.ts',
    name: 'is refused if nothing matches, if filters conflict, and while another pack is being made',
  },
  audit_pack_busy: {
    file: '../http/audit-pack.test.ts',
    name: 'is refused if nothing matches, if filters conflict, and while another pack is being made',
  },
  audit_pack_too_large: {
    file: '../http/audit-pack.test.ts',
    name: 'is refused if it would be too large, which the preview reports',
  },
  too_many_channels: {
    file: '../http/notifications.test.ts',
    name: 'never shows the address of its hook again, and a person can have at most twenty',
  },
  code_refused: {
    file: '../http/notifications.test.ts',
    name: "can't be confirmed after five wrong codes or 15 minutes",
  },
  cannot_vouch: {
    file: '../http/trust.test.ts',
    name: 'is refused for the voucher under any ref, and for agents that act or acted in their name',
  },
  too_many_rules: {
    file: '../http/alerts.test.ts',
    name: 'are limited to 50, and a repeated request creates one',
  },
  vouch_exists: {
    file: '../http/trust.test.ts',
    name: 'can be given once per subject and context, and a refusal names the existing one',
  },
  vouch_ended: {
    file: '../http/trust.test.ts',
    name: 'can be changed while it stands, and ends permanently',
  },
  trust_unavailable: {
    file: '../http/trust.test.ts',
    name: 'is refused if too many are requested at once',
  },
  engine_busy: {
    file: '../http/biometric-sessions.test.ts',
    name: 'that arrived in time while the engine was busy can be sent again later, unlike a different one',
  },
  media_invalid: {
    file: '../http/biometric-sessions.test.ts',
    name: 'that cannot be read is refused with the frame, and stays due',
  },
  nonce_mismatch: {
    file: '../http/biometric-sessions.test.ts',
    name: 'with the wrong nonce or an unknown session is refused',
  },
  session_closed: {
    file: '../http/biometric-sessions.test.ts',
    name: 'that is cancelled stores nothing of a step that is being judged',
  },
  session_taken: {
    file: '../http/hosted-sessions.test.ts',
    name: 'is the first one that opens it',
  },
  callback_refused: {
    file: '../http/external-verification.test.ts',
    name: 'need a signature by the provider over the exact bytes, with a time within five minutes',
  },
  provider_not_allowed: {
    file: '../http/external-verification.test.ts',
    name: 'verifies people only with the providers that it allows',
  },
  verification_pending: {
    file: '../http/external-verification.test.ts',
    name: 'waits while the provider reviews manually, and continues after its decision',
  },
  verification_withdrawn: {
    file: '../http/external-verification.test.ts',
    name: 'gets no token if the verification is withdrawn before the token is collected',
  },
  session_not_judged: {
    file: '../http/hosted-sessions.test.ts',
    name: 'gives the token to its caller once, and never to the device',
  },
  step_mismatch: {
    file: '../http/biometric-sessions.test.ts',
    name: 'out of order is refused and names the one that is due',
  },
  verification_locked: {
    file: '../http/biometric-sessions.test.ts',
    name: 'lock only verification, for longer each time',
  },
  already_enrolled: {
    file: '../operations/biometric-entries.test.ts',
    name: 'is stored once: another enrolment does not overwrite it',
  },
  not_enrolled: {
    file: '../http/biometrics.test.ts',
    name: 'gets no token from a capture that was in progress',
  },
  face_required: {
    file: '../http/biometrics.test.ts',
    name: 'is refused without a recent passed verification of this person for this approval',
  },
  consent_required: {
    file: '../operations/biometric-consent.test.ts',
    name: 'is refused without a version or with another one, naming the current version',
  },
  passkey_required: {
    file: '../operations/capture-passkey.test.ts',
    name: 'is required by default, and otherwise where it replaces a step',
  },
  shutting_down: {
    file: './shutdown.test.ts',
    name: 'while it drains, readiness is red and every response closes its connection',
  },
}

const service = await aTestApp({ after })

const keyed = await aKeyedApp({ after })

async function aToken(changes?: Record<string, unknown>): Promise<string> {
  const { status, body } = await service.post('/v1/vat/issue/l1', anIssueRequest(changes))
  assert.equal(status, 200, JSON.stringify(body))
  return body.jti
}

const anAction = (vat_jti: string, changes: Record<string, unknown> = {}) => ({
  vat_jti,
  action: 'read',
  resource: 'calendar:events',
  ...changes,
})

async function aPendingRecord(): Promise<string> {
  const { body } = await service.post('/v1/vat/authorize', anAction(await aToken()))
  return body.aar_id
}

/** Sends a raw request, so that the test controls every part of it. */
async function send(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'OPTIONS',
  url: string,
  headers: Record<string, string> = {},
  payload?: string | Buffer,
  { app }: Pick<TestApp, 'app'> = service,
): Promise<Answer> {
  const response = await app.inject({ method, url, headers, ...(payload !== undefined && { payload }) })
  const isJson = String(response.headers['content-type']).includes('json')
  return {
    status: response.statusCode,
    headers: response.headers,
    body: isJson ? response.json() : response.body,
  }
}

const aDeveloper = async () => keyed.withKey(await keyed.key('default', 'developer'))

const JSON_TYPE = { 'content-type': 'application/json' }

/** One way to cause each error. */
const PROVOKED: Partial<Record<ErrorCode, () => Promise<Answer>>> = {
  invalid_request: () => service.post('/v1/vat/issue/l1', {}),
  engine_unavailable: () =>
    service.post('/v1/vat/auth/sessions', { purpose: 'enroll', consent: { version: '1' } }),
  session_unknown: () => service.get(`/v1/vat/auth/sessions/vs_${'0'.repeat(36)}`),
  stream_unknown: () => service.get('/v1/vat/ssf/streams?stream_id=str_unknown'),
  rule_unknown: () => service.get(`/v1/vat/alerts/rules/alr_${'0'.repeat(36)}`),
  webhook_unknown: () => service.get(`/v1/vat/webhooks/whk_${'0'.repeat(36)}`),
  async delivery_unknown() {
    const { body } = await service.post('/v1/vat/webhooks', { url: 'https://93.184.215.14/' })
    return service.post(`/v1/vat/webhooks/${body.webhook_id}/deliveries/evt_0/retry`)
  },
  async webhook_limit() {
    const other = await aTestApp({ after })
    const create = () => other.post('/v1/vat/webhooks', { url: 'https://93.184.215.14/' })
    for (let count = 0; count < MOST_WEBHOOKS; count++) await create()
    return create()
  },
  async stream_limit() {
    const other = await aTestApp({ after })
    const create = () => other.post('/v1/vat/ssf/streams', {})
    for (let count = 0; count < MOST_SIGNAL_STREAMS; count++) await create()
    return create()
  },
  vouch_unknown: () => service.get(`/v1/vat/trust/vouches/vch_${'0'.repeat(36)}`),
  verification_unknown: () => service.get(`/v1/vat/auth/verifications/vrf_${'0'.repeat(36)}`),
  malformed_json: () => service.post('/v1/vat/issue/l1', '{'),
  host_not_allowed: () => send('GET', '/healthz', { host: 'attacker.example' }),
  async peer_not_local() {
    const response = await service.app.inject({ url: '/healthz', remoteAddress: '192.0.2.1' })
    return { status: response.statusCode, headers: response.headers, body: response.json() }
  },
  forwarded_request: () => send('GET', '/healthz', { 'x-forwarded-for': '192.0.2.1' }),
  cross_site_request: () => send('GET', '/healthz', { origin: 'https://attacker.example' }),
  async not_allowed() {
    const vat_jti = await aToken()
    return service.post('/v1/vat/record/action', anAction(vat_jti, { action: 'delete', result: 'success' }))
  },
  async scope_widening() {
    const vat_jti = await aToken({ actions: ['read', 'delegate'] })
    return service.post('/v1/vat/delegate', { vat_jti, agent_id: 'sub-bot', actions: ['write'] })
  },
  async delegation_not_allowed() {
    return service.post('/v1/vat/delegate', { vat_jti: await aToken(), agent_id: 'sub-bot' })
  },
  async token_not_live() {
    const vat_jti = await aToken({ actions: ['read', 'delegate'] })
    await service.post('/v1/vat/revoke', { vat_jti })
    return service.post('/v1/vat/delegate', { vat_jti, agent_id: 'sub-bot' })
  },
  async rank_too_low() {
    const developer = await aDeveloper()
    const { jti } = await anAgent(keyed, developer, { agent_id: 'suspended-bot' })
    await keyed.operator.post(`/v1/vat/tokens/${jti}/suspend`)
    return developer.post(`/v1/vat/tokens/${jti}/resume`)
  },
  async key_required() {
    return (await aDeveloper()).post('/v1/vat/issue/l1', anIssueRequest({ agent_id: 'unbound-bot' }))
  },
  async human_refuses() {
    const { body } = await service.post(
      '/v1/vat/issue/l1',
      anIssueRequest({ developer_email: 'no@example.com' }),
    )
    await service.post(`/v1/vat/humans/${body.claims.svc_human_ref}/refuse`)
    return service.post('/v1/vat/issue/l1', anIssueRequest({ developer_email: 'no@example.com' }))
  },
  async agent_taken() {
    await anAgent(keyed, await aDeveloper(), { agent_id: 'owned-bot' })
    return (await aDeveloper()).post(
      '/v1/vat/issue/l1',
      anIssueRequest({ agent_id: 'owned-bot', agent_jwk: anAgentKey().jwk }),
    )
  },
  async key_removed() {
    const developer = await aDeveloper()
    const { key } = await anAgent(keyed, developer, { agent_id: 'rekeyed-bot' })
    const { body } = await developer.get('/v1/vat/agents/rekeyed-bot')
    await developer.call('PATCH', '/v1/vat/agents/rekeyed-bot', { remove_keys: [body.keys[0]] })
    return developer.post('/v1/vat/issue/l1', anIssueRequest({ agent_id: 'rekeyed-bot', agent_jwk: key.jwk }))
  },
  async not_an_approver() {
    const approvers = { count: 1, people: [`sha256:${'a'.repeat(64)}`] }
    const { client, jti, human_ref } = await anAgent(keyed, await aDeveloper(), {
      agent_id: 'asking-bot',
      constraints: { require_approval: { approvers } },
    })
    const { approval_id } = (await client.post('/v1/vat/authorize', anAction(jti))).body
    const owner = await aPerson(keyed, 'default', human_ref)
    return owner.client.post(`/v1/vat/approvals/${approval_id}/approve`)
  },
  signing_key_unknown: () =>
    service.post('/v1/vat/signing-keys/unknown/withdraw', { from: '2027-01-01T00:00:00Z' }),
  async rotation_too_soon() {
    await service.post('/v1/vat/signing-keys/rotate')
    return service.post('/v1/vat/signing-keys/rotate')
  },
  policy_unmet: () => service.post('/v1/vat/issue/l1', anIssueRequest({ policy_assertions: ['HIPAA'] })),
  sign_on_failed: () => service.post('/v1/vat/issue/l2', l2Request({ id_token: 'not.a.token' })),
  login_unknown: () => service.get('/v1/vat/auth/oidc/logins/lgn_unknown'),
  provider_unknown: () => service.post('/v1/vat/auth/oidc/start', { provider: 'nobody' }),
  async login_not_usable() {
    const clock = manualClock()
    const { issuer } = await aProvider({ after }, clock)
    const providers = [{ name: 'company', issuer, client_id: 'deputy-client' }]
    const signing = await aTestApp({ after }, { clock, providers })
    const { login_id } = await startLogin(signing, {})
    return signing.post('/v1/vat/issue/l2', l2Request({ login_id }))
  },
  /** No program listens on the provider's port. */
  async provider_unavailable() {
    const providers = [{ name: 'company', issuer: 'http://127.0.0.1:1', client_id: 'x' }]
    const away = await aTestApp({ after }, { providers })
    return away.post('/v1/vat/auth/oidc/start', {})
  },
  not_found: () => service.get('/v1/vat/nothing/here'),
  token_unknown: () => service.post('/v1/vat/authorize', anAction('vat_root_unknown')),
  record_unknown: () => service.post('/v1/vat/aar/aar_unknown/complete', { result: 'success' }),
  async parent_record_unknown() {
    const stranger = await aPendingRecord()
    return service.post('/v1/vat/authorize', anAction(await aToken(), { parent_aar_id: stranger }))
  },
  denial_unknown: () => service.get('/v1/vat/denials/den_unknown'),
  agent_unknown: () => service.get('/v1/vat/reputation/nobody'),
  human_unknown: () => service.post('/v1/vat/revoke/human', { human_ref: `sha256:${'0'.repeat(64)}` }),
  approval_unknown: () => service.get('/v1/vat/approvals/apr_unknown'),
  passkey_unknown: () => service.delete('/v1/vat/auth/passkeys/unheard-of'),
  sign_in_unknown: () => service.delete(`/v1/vat/auth/sign-ins/${'0'.repeat(43)}`),
  passkey_refused: () =>
    service.post('/v1/vat/auth/passkeys/login/verify', {
      response: {
        id: 'x',
        rawId: 'x',
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON: 'x', authenticatorData: 'x', signature: 'x' },
      },
    }),
  async sign_on_too_old() {
    const { client } = await aPerson(keyed, 'default', `sha256:${'5'.repeat(64)}`)
    keyed.test.clock.advance(6 * 60_000)
    return client.call('POST', '/v1/vat/auth/passkeys/register/options')
  },
  log_entry_unknown: () => service.get('/v1/vat/log/entries/1000000'),
  async checkpoint_pending() {
    const unwitnessed = await aTestApp({ after }, { quorum: 1 })
    return unwitnessed.get('/checkpoint')
  },
  credential_required: () => keyed.anonymous.get('/v1/vat/tokens'),
  credential_invalid: () => keyed.withKey('dk_none').get('/v1/vat/tokens'),
  role_not_allowed: () => keyed.operator.post('/v1/vat/issue/l1', anIssueRequest()),
  async not_yours() {
    const developer = keyed.withKey(await keyed.key('default', 'developer'))
    const { client } = await anAgent(keyed, developer)
    return client.post('/v1/vat/authorize', anAction('vat_root_other'))
  },
  tenant_unknown: () => service.get('/v1/vat/tenants/nowhere'),
  async tenant_exists() {
    await service.post('/v1/vat/tenants', { tenant_id: 'twice' })
    return service.post('/v1/vat/tenants', { tenant_id: 'twice' })
  },
  key_unknown: () => service.delete('/v1/vat/keys/00000000'),
  async registry_conflict() {
    await service.post('/v1/vat/tenants', { tenant_id: 'raced' })
    const change = () => send('PATCH', '/v1/vat/tenants/raced', JSON_TYPE, '{"allow_bearer":true}')
    const answers = await Promise.all(Array.from({ length: 16 }, change))
    return answers.find(({ status }) => status === 409) ?? assert.fail('every change went through')
  },
  already_set_up: () => keyed.anonymous.post('/v1/vat/setup', { setup_secret: 'dsu_used' }),
  policy_unknown: () => service.get('/v1/vat/policies/PCI'),
  async approval_decided() {
    const vat_jti = await aToken({ constraints: { require_approval: {} } })
    const { approval_id } = (await service.post('/v1/vat/authorize', anAction(vat_jti))).body
    await service.post(`/v1/vat/approvals/${approval_id}/approve`, {})
    return service.post(`/v1/vat/approvals/${approval_id}/deny`, {})
  },
  workflow_unknown: () => service.get('/v1/vat/aar/provenance/prov_unknown'),
  method_not_allowed: () => send('PUT', '/v1/vat/authorize'),
  async rating_immutable() {
    const aar_id = await aPendingRecord()
    await service.post(`/v1/vat/aar/${aar_id}/feedback`, { rating: 'approved' })
    return service.post(`/v1/vat/aar/${aar_id}/feedback`, { rating: 'approved' })
  },
  async spend_out_of_range() {
    const vat_jti = await aToken()
    const items = Array.from({ length: 9 }, () => anAction(vat_jti, { spend_usd: 1e9, result: 'success' }))
    await service.post('/v1/vat/record/batch', { items })
    return service.post('/v1/vat/authorize', anAction(vat_jti, { spend_usd: 0.000001 }))
  },
  async record_closed() {
    const aar_id = await aPendingRecord()
    await service.post(`/v1/vat/aar/${aar_id}/complete`, { result: 'success' })
    return service.post(`/v1/vat/aar/${aar_id}/complete`, { result: 'error' })
  },
  body_too_large: () => service.post('/v1/vat/issue/l1', ' '.repeat(1024 * 1024 + 1)),
  unsupported_media_type: () =>
    send('POST', '/v1/vat/issue/l1', { 'content-type': 'text/plain' }, JSON.stringify(anIssueRequest())),
  async idempotency_mismatch() {
    const headers = { 'idempotency-key': 'mismatch' }
    await service.post('/v1/vat/issue/l1', anIssueRequest(), headers)
    return service.post('/v1/vat/issue/l1', anIssueRequest({ agent_id: 'other' }), headers)
  },
  async rate_limited() {
    const strict = await aTestApp({ after }, { rate_limit: 2 })
    await strict.get('/healthz')
    await strict.get('/healthz')
    return strict.get('/healthz')
  },
  async overloaded() {
    const narrow = await aTestApp({ after }, { queue_limit: 1 })
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => narrow.post('/v1/vat/authorize', anAction('vat_root_unknown'))),
    )
    return answers.find(({ status }) => status === 503) ?? assert.fail('no request was rejected with 503')
  },
  /** To a caller, a store that was damaged by hand looks like a bug. */
  async internal() {
    const damaged = await aTestApp({ after })
    const { body } = await damaged.post('/v1/vat/issue/l1', anIssueRequest())
    await damaged.damage(`UPDATE tokens SET claims = 'canary-of-the-store'`)
    return damaged.get(`/v1/vat/tokens/${body.jti}`)
  },
}

test('every error is caused here or by the test named for it', () => {
  assert.deepEqual([...Object.keys(PROVOKED), ...Object.keys(ELSEWHERE)].sort(), Object.keys(ERRORS).sort())
  for (const [code, { file, name }] of Object.entries(ELSEWHERE)) {
    const source = readFileSync(join(import.meta.dirname, file), 'utf8')
    const isThere = source.includes(`test('${name}'`) || source.includes(`test("${name}"`)
    assert.ok(isThere, `${file} has no test with that name`)
    assert.ok(source.includes(`'${code}'`), `${file} never asserts ${code}`)
  }
})

test('every error that an operation declares is in the list of errors', () => {
  const declared = Object.values(OPERATIONS).flatMap(({ errors }): readonly string[] => errors)
  assert.deepEqual(
    declared.filter((code) => !Object.hasOwn(ERRORS, code)),
    [],
  )
})

describe('a refusal is a problem document with a code, a request id and a help page', () => {
  for (const [code, provoke] of Object.entries(PROVOKED)) {
    test(`${code} is a problem document`, async () => {
      assertProblem(await provoke(), code)
      const help = await service.get(`/problems/${code}`)
      assert.equal(help.status, 200)
      assert.match(String(help.headers['content-type']), /^text\/html/)
    })
  }

  for (const code of [...Object.keys(ELSEWHERE), ...Object.keys(GUARD_ERRORS)]) {
    test(`${code} has a help page`, async () => {
      assert.equal((await service.get(`/problems/${code}`)).status, 200)
    })
  }

  test("the request ID is the caller's, or a new one each time", async () => {
    const chosen = await send('GET', '/v1/vat/nothing', { 'x-request-id': 'abc-123' })
    assert.equal(chosen.body.request_id, 'abc-123')
    assert.equal(chosen.headers['x-request-id'], 'abc-123')
    const ids = new Set<string>()
    for (const id of ['', 'a b', 'x'.repeat(129), '<script>', 'é']) {
      const { body } = await send('GET', '/v1/vat/nothing', { 'x-request-id': id })
      assert.match(body.request_id, /^req_\w+$/)
      ids.add(body.request_id)
    }
    assert.equal(ids.size, 5)
  })

  test('a bug does not reveal its cause', async () => {
    const answer = await PROVOKED.internal?.()
    assert.ok(!JSON.stringify(answer).includes('canary-of-the-store'))
  })
})

function assertProblem({ status, headers, body }: Answer, code: string): void {
  assert.equal(body.code, code, JSON.stringify(body))
  const { status: wanted, title } = ERRORS[code as ErrorCode] // the tables above are keyed by code
  assert.equal(status, wanted)
  assert.equal(body.status, wanted)
  assert.match(String(headers['content-type']), /^application\/problem\+json(;|$)/)
  assert.equal(body.type, `/problems/${code}`)
  assert.equal(body.title, title)
  assert.equal(typeof body.detail, 'string')
  assert.equal(body.request_id, headers['x-request-id'])
  assert.equal('retry-after' in headers, status === 429 || status === 503)
  for (const leak of ['node_modules', '.ts:', 'SELECT', 'SQLITE', '    at '])
    assert.ok(!JSON.stringify(body).includes(leak), `the answer shows ${leak}`)
}

/** The pointers of the fields that caused a refusal. */
async function pointers(answer: Promise<Answer>): Promise<string[]> {
  const { status, body } = await answer
  assert.equal(status, 400, JSON.stringify(body))
  assert.equal(body.code, 'invalid_request')
  return body.errors.map(({ pointer }: { pointer: string }) => pointer)
}

const issueWith = (changes: Record<string, unknown>) =>
  service.post('/v1/vat/issue/l1', anIssueRequest(changes))

describe('invalid input is refused by name', () => {
  test('every missing field of an operation is named', async () => {
    assert.deepEqual(await pointers(service.post('/v1/vat/issue/l1', {})), [
      '/developer_email',
      '/agent_id',
      '/resources',
      '/actions',
    ])
    assert.deepEqual(await pointers(service.post('/v1/vat/record/action', {})), [
      '/vat_jti',
      '/action',
      '/resource',
      '/result',
    ])
    assert.deepEqual(await pointers(service.post('/v1/vat/revoke', {})), ['/vat_jti'])
    assert.deepEqual(await pointers(service.post('/v1/vat/record/batch', {})), ['/items'])
  })

  test('a value of the wrong type is named, and never converted', async () => {
    for (const [name, values] of Object.entries({
      developer_email: [1, null, true, ['dev@example.com'], { toString: 'dev@example.com' }],
      agent_id: [1, null, ['bot']],
      resources: ['calendar:events', {}, null, [1], [null], [['calendar:events']], []],
      actions: ['read', [true], []],
      constraints: ['x', 1, null, []],
      expires_in: ['60', 1.5, 0, -1, 2_592_001, null],
    })) {
      for (const value of values) {
        const found = await pointers(issueWith({ [name]: value }))
        assert.ok(
          found.every((pointer) => pointer.startsWith(`/${name}`)),
          `${name}: ${JSON.stringify(value)} gave ${found}`,
        )
      }
    }
  })

  test('a misspelled field is refused with a suggestion', async () => {
    for (const [wrong, right] of [
      ['constraint', 'constraints'],
      ['Constraints', 'constraints'],
      ['agentid', 'agent_id'],
      ['developer_emial', 'developer_email'],
    ] as const) {
      const { status, body } = await issueWith({ [wrong]: {} })
      assert.equal(status, 400)
      assert.equal(body.errors[0].pointer, `/${wrong}`)
      assert.match(body.errors[0].detail, new RegExp(`Did you mean ${right}\\?`))
    }
    const { body } = await issueWith({ constraints: { max_spend: 1 } })
    assert.equal(body.errors[0].pointer, '/constraints/max_spend')
    assert.match(body.errors[0].detail, /Did you mean max_spend_usd\?/)
  })

  test('an unknown field is refused with the list of known ones', async () => {
    const { body } = await issueWith({ zzz: 1 })
    assert.deepEqual(body.errors, [
      {
        pointer: '/zzz',
        detail: `is not a known field. Known fields: ${Object.keys(OPERATIONS.issueL1.body.properties).join(', ')}.`,
      },
    ])
  })

  test('no member of a token can be chosen by the caller', async () => {
    for (const name of ['jti', 'svc_trust_score', 'svc_assurance_level', 'iss', 'exp', 'human_ref', 'cnf'])
      assert.deepEqual(await pointers(issueWith({ [name]: 1 })), [`/${name}`])
  })

  test('an amount has at most 6 decimals, is not negative and has an upper limit', async () => {
    const vat_jti = await aToken()
    for (const amount of ['0.0000001', '1.1234567', '-1', '-0', '1000000000.01', '1e300', '"1"', 'null']) {
      const body = `{"vat_jti":"${vat_jti}","action":"read","resource":"calendar:events","spend_usd":${amount}}`
      const found = await pointers(service.post('/v1/vat/authorize', body))
      assert.deepEqual([...new Set(found)], ['/spend_usd'], amount)
    }
    for (const amount of ['0', '0.000001', '1.123456', '1e-6', '1000000000']) {
      const body = `{"vat_jti":"${vat_jti}","action":"read","resource":"calendar:events","spend_usd":${amount}}`
      assert.equal((await service.post('/v1/vat/authorize', body)).status, 200, amount)
    }
  })

  test('an agent name that already has the prefix is refused, and the detail says so', async () => {
    const { body } = await issueWith({ agent_id: 'agent:bot' })
    assert.equal(body.errors[0].pointer, '/agent_id')
    assert.match(body.errors[0].detail, /adds the agent: prefix/)
  })

  test('a wildcard covers all names of one namespace and nothing else', async () => {
    for (const resource of [
      '*',
      '*:*',
      '*:read',
      'calendar:ev*',
      'cal*:events',
      'calendar:**',
      ':*',
      'calendar:*x',
    ])
      assert.deepEqual(await pointers(issueWith({ resources: [resource] })), ['/resources/0'], resource)
    for (const action of ['*', 're*', '**'])
      assert.deepEqual(await pointers(issueWith({ actions: [action] })), ['/actions/0'], action)
    const vat_jti = await aToken({ resources: ['calendar:*'] })
    assert.deepEqual(
      await pointers(service.post('/v1/vat/authorize', anAction(vat_jti, { resource: 'calendar:*' }))),
      ['/resource'],
    )
    const { body } = await service.post('/v1/vat/authorize', anAction(vat_jti, { resource: 'calendar:x' }))
    assert.equal(body.authorized, true)
  })

  test('a repeated entry of a scope counts once', async () => {
    const { body } = await issueWith({ actions: ['read', 'write', 'read'] })
    assert.deepEqual(body.claims.svc_scope.actions, ['read', 'write'])
  })

  test('times that leave a token no lifetime are refused', async () => {
    assert.deepEqual(await pointers(issueWith({ constraints: { expires_at: '2020-01-01T00:00:00Z' } })), [
      '/constraints/expires_at',
    ])
    assert.deepEqual(await pointers(issueWith({ constraints: { not_before: '2099-01-01T00:00:00Z' } })), [
      '/constraints/not_before',
    ])
    assert.deepEqual(await pointers(issueWith({ constraints: { expires_at: '2027-02-30T00:00:00Z' } })), [
      '/constraints/expires_at',
    ])
  })

  test('a scope too large for the token size limit is refused', async () => {
    const resources = Array.from({ length: 256 }, (_, n) => `namespace:${n}-${'x'.repeat(100)}`)
    const { status, body } = await issueWith({ resources })
    assert.equal(status, 400)
    assert.equal(body.code, 'invalid_request')
  })

  test('an agent key that is private or weak is refused', async () => {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }
    for (const agent_jwk of [{}, { ...jwk, d: 'x' }, { ...jwk, x: 'AQ' }, { ...jwk, x: 'A'.repeat(43) }])
      assert.deepEqual(await pointers(issueWith({ agent_jwk })), ['/agent_jwk'])
  })

  test('metadata beyond 4 KiB is refused, in a batch with the position of the item', async () => {
    const vat_jti = await aToken()
    const metadata = { text: 'x'.repeat(4096) }
    assert.deepEqual(await pointers(service.post('/v1/vat/authorize', anAction(vat_jti, { metadata }))), [
      '/metadata',
    ])
    assert.deepEqual(
      await pointers(
        service.post('/v1/vat/authorize/batch', {
          items: [anAction(vat_jti), anAction(vat_jti, { metadata })],
        }),
      ),
      ['/items/1/metadata'],
    )
  })

  test('invalid query parameters are named', async () => {
    for (const [query, name] of [
      ['limit=0', 'limit'],
      [`limit=${MAX_PAGE + 1}`, 'limit'],
      ['limit=abc', 'limit'],
      ['limit=1.5', 'limit'],
      ['limit=Infinity', 'limit'],
      ['limit=-Infinity', 'limit'],
      ['limit=1e400', 'limit'],
      ['limit=1&limit=2', 'limit'],
      ['state=open', 'state'],
      ['rating=good', 'rating'],
      ['from=yesterday', 'from'],
      ['to=2027-13-01T00:00:00Z', 'to'],
      ['human_ref=sha256:xyz', 'human_ref'],
      ['resource=calendar', 'resource'],
      ['agent_id=a%20%20b', 'agent_id'],
      ['offset=10', 'offset'],
      ['agentid=bot', 'agentid'],
    ] as const)
      assert.deepEqual(await pointers(service.get(`/v1/vat/aar?${query}`)), [`?${name}`], query)
    assert.deepEqual(await pointers(service.get('/v1/vat/denials?state=pending')), ['?state'])
    assert.deepEqual(await pointers(service.get('/v1/vat/aar/aar_x?verbose=1')), ['?verbose'])
  })

  test('a cursor that did not come from a page is refused', async () => {
    for (const cursor of ['x', 'c', 'cZZ', 'c-1', 'c%00', 'c'.repeat(40), "c1';--"])
      assert.deepEqual(await pointers(service.get(`/v1/vat/aar?cursor=${cursor}`)), ['?cursor'], cursor)
  })

  test('an operation without a body refuses one', async () => {
    const aar_id = await aPendingRecord()
    assert.deepEqual(await pointers(service.post(`/v1/vat/aar/${aar_id}/cancel`, { reason: 'x' })), [
      '/reason',
    ])
    assert.equal((await service.post(`/v1/vat/aar/${aar_id}/cancel`)).status, 200)
  })
})

describe('bodies and addresses', () => {
  test('a body of a million brackets is refused without harm', async () => {
    const { status, body } = await service.post('/v1/vat/issue/l1', '['.repeat(1_000_000))
    assert.equal(status, 400)
    assert.equal(body.code, 'malformed_json')
  })

  test('a body that is not JSON in UTF-8 is refused', async () => {
    for (const body of [
      '',
      ' ',
      '{}x',
      '{} {}',
      "{'a':1}",
      '\u{feff}{}',
      Buffer.from([0x7b, 0xff, 0x7d]),
      Buffer.from('{"a":1}', 'utf16le'),
    ]) {
      const answer = await send('POST', '/v1/vat/issue/l1', JSON_TYPE, body)
      assert.equal(answer.status, 400)
      assert.equal(answer.body.code, 'malformed_json', JSON.stringify(body))
    }
  })

  test('a body whose content type is not JSON is refused, regardless of its content', async () => {
    const payload = JSON.stringify(anIssueRequest())
    for (const type of [
      'text/plain',
      'text/plain; x=application/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      'application/json-patch+json',
      'text/json',
      '*/*',
      'x',
    ]) {
      const { status, body } = await send('POST', '/v1/vat/issue/l1', { 'content-type': type }, payload)
      assert.equal(status, 415, type)
      assert.equal(body.code, 'unsupported_media_type')
    }
    assert.equal((await send('POST', '/v1/vat/issue/l1', {}, payload)).status, 415)
    const charset = { 'content-type': 'application/json; charset=utf-8' }
    assert.equal((await send('POST', '/v1/vat/issue/l1', charset, payload)).status, 200)
  })

  test('a wrong method returns 405 and the allowed methods', async () => {
    for (const [method, path, allowed] of [
      ['GET', '/v1/vat/issue/l1', 'POST'],
      ['GET', '/v1/vat/authorize', 'POST'],
      ['DELETE', '/v1/vat/aar/aar_x', 'GET'],
      ['PATCH', '/v1/vat/aar/aar_x/feedback', 'POST'],
      ['PUT', '/v1/vat/aar/aar_x/feedback', 'POST'],
      ['POST', '/v1/vat/aar', 'GET'],
      ['POST', '/v1/vat/reputation/bot', 'GET'],
      ['POST', '/healthz', 'GET'],
      ['OPTIONS', '/v1/vat/authorize', 'POST'],
    ] as const) {
      const answer = await send(method, path)
      assertProblem(answer, 'method_not_allowed')
      assert.equal(answer.headers.allow, allowed)
    }
  })

  test('an unknown path returns 404, however it is spelled', async () => {
    for (const path of [
      '/v1',
      '/v2/vat/authorize',
      '/v1/vat/authorize/',
      '/V1/vat/authorize',
      '/v1//vat/authorize',
      '/problems/unheard_of',
      '/problems/toString',
      '/problems/__proto__',
      '/%',
      '/%ff',
      '/v1/vat/aar/%',
      '/..%2f..%2fetc%2fpasswd',
      `/v1/vat/aar/${'x'.repeat(2000)}`,
    ])
      assertProblem(await service.get(path), 'not_found')
  })

  test('an unknown ID returns 404 with the code of its kind', async () => {
    for (const [path, body, code] of [
      ['/v1/vat/tokens/vat_root_x', undefined, 'token_unknown'],
      ['/v1/vat/aar/aar_x', undefined, 'record_unknown'],
      ['/v1/vat/denials/den_x', undefined, 'denial_unknown'],
      ['/v1/vat/reputation/x', undefined, 'agent_unknown'],
      ['/v1/vat/aar/provenance/prov_x', undefined, 'workflow_unknown'],
      ['/v1/vat/revoke', { vat_jti: 'vat_root_x' }, 'token_unknown'],
      ['/v1/vat/record/action', anAction('vat_root_x', { result: 'success' }), 'token_unknown'],
      ['/v1/vat/aar/aar_x/feedback', { rating: 'approved' }, 'record_unknown'],
      ['/v1/vat/aar/aar_x/complete', { result: 'success' }, 'record_unknown'],
      ['/v1/vat/delegate', { vat_jti: 'vat_root_x', agent_id: 'x' }, 'token_unknown'],
      ['/v1/vat/delegate/preview', { vat_jti: 'vat_root_x', agent_id: 'x' }, 'token_unknown'],
      ['/v1/vat/renew', { vat_jti: 'vat_root_x', expires_in: 60 }, 'token_unknown'],
      ['/v1/vat/revoke/preview', { vat_jti: 'vat_root_x' }, 'token_unknown'],
      ['/v1/vat/revoke/agent', { agent_id: 'x' }, 'agent_unknown'],
      ['/v1/vat/tokens/vat_root_x/chain', undefined, 'token_unknown'],
      ['/v1/vat/tokens/vat_root_x/descendants', undefined, 'token_unknown'],
      ['/v1/vat/tokens/vat_root_x/budget', undefined, 'token_unknown'],
      ['/v1/vat/tokens/vat_root_x/usage', undefined, 'token_unknown'],
      ['/v1/vat/agents/x', undefined, 'agent_unknown'],
      ['/v1/vat/reputation/x/history', undefined, 'agent_unknown'],
      ['/v1/vat/approvals/apr_x/approve', {}, 'approval_unknown'],
      ['/v1/vat/approvals/apr_x/deny', {}, 'approval_unknown'],
      ['/v1/vat/policies/evaluate', { policy_assertions: ['SOC2'], vat_jti: 'vat_root_x' }, 'token_unknown'],
    ] as const) {
      assertProblem(await (body === undefined ? service.get(path) : service.post(path, body)), code)
    }
    assertProblem(await service.post('/v1/vat/aar/aar_x/cancel'), 'record_unknown')
  })

  test('in a batch each item is refused as it would be alone, and the others succeed', async () => {
    const vat_jti = await aToken()
    const { status, body } = await service.post('/v1/vat/record/batch', {
      items: [
        anAction(vat_jti, { result: 'success' }),
        anAction('vat_root_x', { result: 'success' }),
        anAction(vat_jti, { result: 'success', action: 'delete' }),
        anAction(vat_jti, { result: 'success', parent_aar_id: 'aar_x' }),
      ],
    })
    assert.equal(status, 200)
    assert.deepEqual(
      body.items.map((item: { status: number; problem?: { code: string } }) => [
        item.status,
        item.problem?.code,
      ]),
      [
        [200, undefined],
        [404, 'token_unknown'],
        [403, 'not_allowed'],
        [404, 'parent_record_unknown'],
      ],
    )
  })
})

describe('Idempotency-Key', () => {
  test('a repeated request gets the same answer, marked as a replay', async () => {
    const vat_jti = await aToken()
    const headers = { 'idempotency-key': 'once' }
    const body = anAction(vat_jti, { result: 'success' })
    const first = await service.post('/v1/vat/record/action', body, headers)
    const size = await service.logSize()
    const second = await service.post('/v1/vat/record/action', body, headers)
    assert.equal(first.status, 200)
    assert.equal(second.status, 200)
    assert.deepEqual(second.body, first.body)
    assert.equal(first.headers['idempotency-replayed'], undefined)
    assert.equal(second.headers['idempotency-replayed'], 'true')
    assert.equal(await service.logSize(), size)
  })

  test('another order of members is the same request, another value is not', async () => {
    const vat_jti = await aToken()
    const headers = { 'idempotency-key': 'order' }
    const { body } = await service.post('/v1/vat/authorize', anAction(vat_jti), headers)
    const reordered = { resource: 'calendar:events', action: 'read', vat_jti }
    assert.deepEqual((await service.post('/v1/vat/authorize', reordered, headers)).body, body)
    const other = await service.post('/v1/vat/authorize', anAction(vat_jti, { action: 'write' }), headers)
    assertProblem(other, 'idempotency_mismatch')
  })

  test('one key may be used once per path', async () => {
    const vat_jti = await aToken()
    const headers = { 'idempotency-key': 'shared' }
    const authorized = await service.post('/v1/vat/authorize', anAction(vat_jti), headers)
    const recorded = await service.post(
      '/v1/vat/record/action',
      anAction(vat_jti, { result: 'success' }),
      headers,
    )
    assert.equal(authorized.status, 200)
    assert.equal(recorded.status, 200)
    const [one, two] = [await aPendingRecord(), await aPendingRecord()]
    for (const aar_id of [one, two]) {
      const rated = await service.post(`/v1/vat/aar/${aar_id}/feedback`, { rating: 'approved' }, headers)
      assert.equal(rated.body.aar_id, aar_id)
    }
  })

  test('a repeated denial stays a denial, even if the token would allow the action now', async () => {
    const vat_jti = await aToken({ constraints: { not_before: '2027-01-01T00:00:10Z' } })
    const headers = { 'idempotency-key': 'denied' }
    const body = anAction(vat_jti, { result: 'success' })
    const first = await service.post('/v1/vat/record/action', body, headers)
    assertProblem(first, 'not_allowed')
    service.clock.advance(20_000)
    const second = await service.post('/v1/vat/record/action', body, headers)
    assert.equal(second.body.denial_id, first.body.denial_id)
    assert.equal(second.headers['idempotency-replayed'], 'true')
    assert.equal((await service.post('/v1/vat/record/action', body)).status, 200)
  })

  test('a key is printable, without spaces, and at most 255 characters long', async () => {
    for (const key of ['', ' ', 'a b', 'x'.repeat(256), 'é', 'a\tb']) {
      const answer = await service.post('/v1/vat/issue/l1', anIssueRequest(), { 'idempotency-key': key })
      assertProblem(answer, 'invalid_request')
      assert.equal(answer.body.errors[0].pointer, 'Idempotency-Key')
    }
    const longest = { 'idempotency-key': '~'.repeat(255) }
    assert.equal((await service.post('/v1/vat/issue/l1', anIssueRequest(), longest)).status, 200)
  })
})
