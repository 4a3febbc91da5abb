import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { RegistrationResponse } from '@deputize/protocol'
import { aDevice } from '@deputize/testing/a-device.ts'
import type { Answer } from '@deputize/testing/a-test-app.ts'
import { actedRecording, anActedEngine } from '@deputize/testing/an-acted-engine.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import {
  captureChallenge,
  provesPasskey,
} from '../../src/operations/verification/biometric-sessions/capture-passkey.ts'
import { provenForDuress } from '../../src/operations/verification/duress/duress-proof.ts'
import {
  aCapture,
  aCaptureSession,
  answerSteps,
  enrolled,
  letTimePass,
  type Post,
  SESSIONS,
} from '../a-capture.ts'
import { proveAddress } from '../a-proven-address.ts'
import { anEnrolment, anL3Token } from '../an-enrolled-person.ts'
import { aHuman } from '../some-callers.ts'
import { aKeyedApp, anAgent, anAgentKey, aPerson, type Client } from './a-keyed-app.ts'

const ALICE = { face: 1 }
const CAPTURE = '/v1/vat/auth/capture'
const CONSENT = { consent: { version: '1' } }

/** Alice of acme has an agent; acme and another tenant have developers. */
async function aWorld(t: TestScope) {
  const app = await aKeyedApp(t, { engine: anActedEngine(), l3_passkey: 'optional' })
  for (const tenant_id of ['acme', 'other']) await app.operator.post('/v1/vat/tenants', { tenant_id })
  const keyOf = async (tenant: string, role: 'operator' | 'developer' | 'auditor') =>
    app.withKey(await app.key(tenant, role))
  const developer = await keyOf('acme', 'developer')
  const agent = await anAgent(app, developer, { developer_email: 'alice@example.com' })
  const alice = await aPerson(app, 'acme', agent.human_ref)
  const postAs =
    (client: Client): Post =>
    (path, body) =>
      client.post(path, body)
  return { app, test: app.test, keyOf, developer, agent, alice, postAs, anonymous: postAs(app.anonymous) }
}

function assertRefused({ status, body }: Answer, expected: number, code: string): void {
  assert.deepEqual({ status, code: body.code }, { status: expected, code }, JSON.stringify(body))
}

/** Opens sessions with a credential, and makes all other calls from a device that has none. */
function opener(client: Client, anonymous: Post): Post {
  return (path, body) => (path === SESSIONS ? client.post(path, body) : anonymous(path, body))
}

describe('in keyed mode', () => {
  test('the nonce of a session acts for its opener, so a device without a credential can answer', async (t) => {
    const { test: service, developer, anonymous, agent } = await aWorld(t)
    const post = opener(developer, anonymous)
    const { human_ref } = await enrolled(post, service, ALICE, { developer_email: 'alice@example.com' })
    assert.equal(human_ref, agent.human_ref)
    const capture = await aCapture(post, service, human_ref, ALICE)
    const token = { agent_id: 'pay-bot', resources: ['payments:invoices'], actions: ['pay'] }
    const judged = await anonymous(CAPTURE, { ...capture, ...token, agent_jwk: anAgentKey().jwk })
    assert.equal(judged.body.token?.claims.svc_trust_score, 0.95, JSON.stringify(judged.body))
    assert.equal(judged.body.token.claims.svc_tenant, 'acme')
    const again = await developer.post('/v1/vat/agents', { agent_id: 'pay-bot' })
    assert.equal(again.status < 300, true, 'the developer who opened the session owns the agent')
  })

  test('opening a session needs a credential, and not one of an agent, a resource server or an auditor', async (t) => {
    const { app, agent, keyOf, anonymous } = await aWorld(t)
    const body = { purpose: 'enroll', ...CONSENT }
    assertRefused(await anonymous(SESSIONS, body), 401, 'credential_required')
    assertRefused(await agent.client.post(SESSIONS, body), 403, 'role_not_allowed')
    assertRefused(await (await keyOf('acme', 'auditor')).post(SESSIONS, body), 403, 'role_not_allowed')
    const server = app.withKey(await app.key('acme', 'resource_server', { audience: 'https://a.example' }))
    assertRefused(await server.post(SESSIONS, body), 403, 'role_not_allowed')
  })

  test('a session, its result and its person are unknown to another tenant', async (t) => {
    const { test: service, developer, keyOf, anonymous } = await aWorld(t)
    const post = opener(developer, anonymous)
    const { human_ref, verification_id } = await enrolled(post, service, ALICE)
    const stranger = await keyOf('other', 'developer')
    const { session_id } = await aCaptureSession(post, { purpose: 'verify', human_ref })
    assertRefused(await stranger.get(`${SESSIONS}/${session_id}`), 404, 'session_unknown')
    assertRefused(
      await stranger.get(`/v1/vat/auth/verifications/${verification_id}`),
      404,
      'verification_unknown',
    )
    assert.deepEqual((await stranger.get('/v1/vat/auth/verifications')).body.data, [])
    assert.equal((await developer.get(`${SESSIONS}/${session_id}`)).body.state, 'open')
  })

  test('no tenant can enroll, verify or erase a person of another tenant', async (t) => {
    const { agent, keyOf, postAs, test: service } = await aWorld(t)
    const operator = await keyOf('other', 'operator')
    const developer = await keyOf('other', 'developer')
    const refs = [agent.human_ref, `sha256:${'0'.repeat(64)}`]
    for (const human_ref of refs)
      for (const path of [SESSIONS, `${SESSIONS}/hosted`])
        for (const purpose of ['enroll', 'verify'])
          for (const client of [operator, developer]) {
            const consent = path === SESSIONS ? CONSENT : {}
            assertRefused(await client.post(path, { purpose, human_ref, ...consent }), 404, 'human_unknown')
          }
    const person = `/v1/vat/humans/${agent.human_ref}`
    assertRefused(await operator.call('DELETE', person), 404, 'human_unknown')
    assertRefused(await operator.post(`${person}/refuse`), 404, 'human_unknown')
    // There, the same address is a different person.
    const namesake = await enrolled(postAs(developer), service, ALICE, {
      developer_email: 'alice@example.com',
    })
    assert.notEqual(namesake.human_ref, agent.human_ref)
    assert.equal((await operator.call('DELETE', `/v1/vat/humans/${namesake.human_ref}`)).status, 200)
    const ask = { vat_jti: agent.jti, action: 'read', resource: 'calendar:events' }
    assert.equal((await agent.client.post('/v1/vat/authorize', ask)).body.authorized, true)
  })

  test('data that a tenant stored under a ref of another tenant gives it no control over the person', async (t) => {
    const { agent, keyOf, test: service } = await aWorld(t)
    const foreign = { tenant_id: 'other', human_ref: agent.human_ref }
    await anEnrolment(service, foreign)
    await anL3Token(service, foreign, { agent_jwk: anAgentKey().jwk })
    const stranger = await keyOf('other', 'operator')
    const person = `/v1/vat/humans/${agent.human_ref}`
    assertRefused(await stranger.get(person), 404, 'human_unknown')
    assertRefused(await stranger.call('DELETE', person), 404, 'human_unknown')
    const revoke = { human_ref: agent.human_ref }
    assertRefused(await stranger.post('/v1/vat/revoke/human', revoke), 404, 'human_unknown')
    const own = await keyOf('acme', 'operator')
    assert.equal((await own.get(person)).status, 200)
    assert.equal((await own.post('/v1/vat/revoke/human', revoke)).status, 200)
  })

  test('data that a tenant stored under a ref of another tenant hides no revocation from that tenant', async (t) => {
    const { agent, keyOf, test: service } = await aWorld(t)
    const foreign = { tenant_id: 'other', human_ref: agent.human_ref }
    await anEnrolment(service, foreign)
    await anL3Token(service, foreign, { agent_jwk: anAgentKey().jwk })
    const operators = { acme: await keyOf('acme', 'operator'), other: await keyOf('other', 'operator') }
    const { human_ref } = agent
    assert.equal((await operators.acme.post('/v1/vat/revoke/human', { human_ref })).status, 200)
    const toldIn = async (tenant_id: keyof typeof operators) => {
      const { body } = await operators[tenant_id].get('/v1/vat/revocations')
      const [, claims = ''] = body.jwt.split('.')
      const { entries } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8'))
      const events = (await operators[tenant_id].get('/v1/vat/events?type=human.revoked')).body.data
      return [entries.some((entry: { human_ref?: string }) => entry.human_ref === human_ref), events.length]
    }
    assert.deepEqual(await toldIn('acme'), [true, 1])
    assert.deepEqual(await toldIn('other'), [false, 0])
  })

  test('a person who withdrew is still known to the tenant, so they can enroll again and be erased', async (t) => {
    const { test: service, developer, keyOf, anonymous } = await aWorld(t)
    const operator = await keyOf('acme', 'operator')
    const post = opener(developer, anonymous)
    const { human_ref } = await enrolled(post, service, ALICE)
    assert.equal((await operator.call('DELETE', `/v1/vat/auth/biometrics/${human_ref}`)).status, 200)
    assert.equal((await enrolled(post, service, ALICE, { human_ref })).human_ref, human_ref)
    assert.equal((await operator.call('DELETE', `/v1/vat/auth/biometrics/${human_ref}`)).status, 200)
    assert.equal((await operator.call('DELETE', `/v1/vat/humans/${human_ref}`)).status, 200)
  })

  test('a signed-in person can verify only themselves, and can enroll only after a recent sign-in', async (t) => {
    const { app, test: service, alice, postAs } = await aWorld(t)
    const post = postAs(alice.client)
    const other = await post(SESSIONS, { purpose: 'enroll', developer_email: 'bob@example.com', ...CONSENT })
    assertRefused(other, 403, 'not_yours')
    assertRefused(await post(SESSIONS, { purpose: 'verify' }), 409, 'not_enrolled')
    const { human_ref, verification_id } = await enrolled(post, service, ALICE)
    assert.equal(human_ref, alice.human_ref)
    assert.equal((await alice.client.get(`/v1/vat/auth/verifications/${verification_id}`)).status, 200)
    const bob = await aPerson(app, 'acme', `sha256:${'b'.repeat(64)}`)
    assertRefused(
      await bob.client.get(`/v1/vat/auth/verifications/${verification_id}`),
      404,
      'verification_unknown',
    )
    const { session_id } = await aCaptureSession(post, { purpose: 'verify' })
    assertRefused(await bob.client.get(`${SESSIONS}/${session_id}`), 404, 'session_unknown')
    service.clock.advance(301_000)
    assertRefused(await post(SESSIONS, { purpose: 'enroll', ...CONSENT }), 403, 'sign_on_too_old')
  })

  test('a developer cannot find out whether a person is enrolled', async (t) => {
    const { test: service, developer, anonymous, agent } = await aWorld(t)
    const post = opener(developer, anonymous)
    const known = await enrolled(post, service, { face: 2 })
    const answers = []
    for (const human_ref of [known.human_ref, agent.human_ref]) {
      const opened = await aCaptureSession(post, { purpose: 'verify', human_ref })
      await answerSteps(post, service, opened, ALICE)
      const { session_id, nonce } = opened
      const { status, body } = await anonymous(CAPTURE, { session_id, nonce })
      const { passed, decision, reasons, attempts_left } = body
      answers.push({ status, passed, decision, reasons, attempts_left, members: Object.keys(body).sort() })
    }
    assert.deepEqual(answers[0], answers[1])
  })

  test('scores and measures are shown only to operators and auditors', async (t) => {
    const { test: service, developer, anonymous, keyOf } = await aWorld(t)
    const post = opener(developer, anonymous)
    const { verification_id, modalities, score } = await enrolled(post, service, ALICE)
    assert.equal(score, undefined)
    assert.equal('measures' in modalities[0] || 'score' in modalities[0], false)
    const path = `/v1/vat/auth/verifications/${verification_id}`
    for (const [role, isShown] of [
      ['developer', false],
      ['operator', true],
      ['auditor', true],
    ] as const) {
      const { body } = await (await keyOf('acme', role)).get(path)
      assert.equal('score' in body, isShown, role)
      assert.equal('measures' in body.modalities[0], isShown, role)
    }
  })

  test('an enrolment with a passkey that may not be created compares no face and uses no attempt', async (t) => {
    const { test: service, developer, postAs } = await aWorld(t)
    const post = postAs(developer)
    const { human_ref } = await enrolled(post, service, ALICE, { developer_email: 'alice@example.com' })
    for (const face of [1, 2]) {
      const session = await aCaptureSession(post, { purpose: 'enroll', human_ref })
      await answerSteps(post, service, session, { face })
      const { session_id, nonce } = session
      const device = aDevice(service.context.public_url())
      const passkey_registration = device.create({ challenge: 'AAAA' })
      const answer = await post('/v1/vat/auth/enroll', { session_id, nonce, passkey_registration })
      assertRefused(answer, 403, 'passkey_required')
    }
    assert.equal((await aCaptureSession(post, { purpose: 'verify', human_ref })).attempts_left, 5)
  })

  test('enrolling a person who has a passkey requires the passkey', async (t) => {
    const { test: service, developer, agent, postAs } = await aWorld(t)
    const person = { tenant_id: 'acme', human_ref: agent.human_ref }
    const binding = { session_id: 'vs_1', nonce: 'n', media: [], request: '' }
    const challenge = captureChallenge(binding).toString('base64url')
    const device = aDevice(service.context.public_url())
    const created = device.create({ challenge }) as unknown as RegistrationResponse // the device builds the whole response
    const caller = { ...aHuman('acme', agent.human_ref), auth_time_ms: service.clock() }
    await provesPasskey(created, binding, { person, caller, is_needed: true }, service.context)
    const post = postAs(developer)
    const session = await aCaptureSession(post, { purpose: 'enroll', human_ref: agent.human_ref })
    assert.equal(session.passkey_required, true)
    await answerSteps(post, service, session, { face: 2 })
    const { session_id, nonce } = session
    assertRefused(await post('/v1/vat/auth/enroll', { session_id, nonce }), 403, 'passkey_required')
    const other = await aCaptureSession(post, { purpose: 'enroll', developer_email: 'bob@example.com' })
    assert.equal(other.passkey_required, false)
  })

  test('enrolling by an address that the person proved requires their passkey, too', async (t) => {
    const { app, test: service, developer, agent, postAs } = await aWorld(t)
    const address = agent.human_ref
    const account = `sha256:${'c'.repeat(64)}`
    const post = postAs(developer)
    const by_address = { purpose: 'enroll', developer_email: 'alice@example.com' }
    const begun = await aCaptureSession(post, by_address)
    assert.deepEqual([begun.human_ref, begun.passkey_required], [address, false])
    await answerSteps(post, service, begun, { face: 2 })
    await proveAddress(service, { tenant_id: 'acme', address, account })
    const { client } = await aPerson(app, 'acme', account, [address])
    const device = aDevice(service.context.public_url())
    const { options } = (await client.post('/v1/vat/auth/passkeys/register/options')).body
    const made = await client.post('/v1/vat/auth/passkeys/register/verify', {
      response: device.create(options),
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const finish = ({ session_id, nonce }: typeof begun) => post('/v1/vat/auth/enroll', { session_id, nonce })
    assertRefused(await finish(begun), 403, 'passkey_required')
    for (const who of [by_address, { purpose: 'enroll', human_ref: address }]) {
      const session = await aCaptureSession(post, who)
      assert.deepEqual([session.human_ref, session.passkey_required], [account, true])
      await answerSteps(post, service, session, { face: 2 })
      assertRefused(await finish(session), 403, 'passkey_required')
    }
    const listed = await client.get(`/v1/vat/auth/passkeys?human_ref=${encodeURIComponent(address)}`)
    assert.equal(listed.body.data.length, 1)
    const other = await client.get(`/v1/vat/auth/passkeys?human_ref=sha256:${'0'.repeat(64)}`)
    assertRefused(other, 404, 'human_unknown')
  })

  test('a person who enrolled before they signed in has one template under all their refs', async (t) => {
    const { app, test: service, developer, agent, postAs, keyOf } = await aWorld(t)
    const address = agent.human_ref
    const account = `sha256:${'c'.repeat(64)}`
    const post = postAs(developer)
    const { verification_id } = await enrolled(post, service, ALICE, {
      developer_email: 'alice@example.com',
    })
    await proveAddress(service, { tenant_id: 'acme', address, account })
    const { client } = await aPerson(app, 'acme', account, [address])
    const own = postAs(client)
    const sessions = [
      await aCaptureSession(post, { purpose: 'verify', human_ref: account }),
      await aCaptureSession(post, { purpose: 'verify', developer_email: 'alice@example.com' }),
      await aCaptureSession(own, { purpose: 'verify' }),
    ]
    for (const { human_ref } of sessions) assert.equal(human_ref, address)
    await answerSteps(own, service, sessions[2], ALICE)
    const { session_id, nonce } = sessions[2]
    assert.equal((await own(CAPTURE, { session_id, nonce })).body.passed, true)
    const operator = await keyOf('acme', 'operator')
    for (const reader of [client, operator])
      for (const ref of [account, address]) {
        const { body } = await reader.get(`/v1/vat/auth/verifications?human_ref=${ref}`)
        assert.equal(body.data.length, 2)
        assert.equal(body.data[1].verification_id, verification_id)
        const first = await reader.get(`/v1/vat/auth/verifications?human_ref=${ref}&limit=1`)
        const next = await reader.get(
          `/v1/vat/auth/verifications?human_ref=${ref}&limit=1&cursor=${first.body.next_cursor}`,
        )
        assert.deepEqual([...first.body.data, ...next.body.data], body.data)
      }
    const signed = await provenForDuress(
      {
        caller: { ...aHuman('acme', account), human_refs: [account, address] },
        stepped_up: true,
        operation_id: 'setDuress',
      },
      { human_ref: address },
      service.context,
    )
    assert.equal(signed.human_ref, address)
  })

  test('a session ends with the credential that opened it', async (t) => {
    const { app, test: service, anonymous } = await aWorld(t)
    const key = await app.key('acme', 'developer')
    const session = await aCaptureSession((path, body) => app.withKey(key).post(path, body), {
      purpose: 'enroll',
    })
    await app.operator.call('DELETE', `/v1/vat/keys/${key.split('_')[1]}`)
    const { session_id, nonce, step } = session
    letTimePass(service, step)
    const answer = await anonymous(`${SESSIONS}/${session_id}/steps`, {
      nonce,
      ...actedRecording(step, ALICE),
    })
    assertRefused(answer, 403, 'not_yours')
  })

  test('only an operator of the deployment can install the engine', async (t) => {
    const { app, developer, keyOf } = await aWorld(t)
    const path = '/v1/vat/auth/engine/install'
    assertRefused(await developer.post(path), 403, 'role_not_allowed')
    assertRefused(await (await keyOf('acme', 'operator')).post(path), 403, 'role_not_allowed')
    assert.equal((await app.operator.post(path)).body.state, 'ready')
  })
})
