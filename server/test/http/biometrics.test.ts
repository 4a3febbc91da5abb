import assert from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import { newId } from '@deputize/protocol'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { filesBelow } from '@deputize/testing/files-below.ts'
import { isOnPostgres } from '@deputize/testing/test-stores.ts'
import { LOCAL_CALLER } from '../../src/access/caller.ts'
import { type EnrolledPerson, templateOf } from '../../src/operations/identity/biometric-entries.ts'
import {
  addSession,
  type CaptureSession,
  findSession,
  hashOfNonce,
} from '../../src/operations/verification/biometric-sessions/capture-sessions.ts'
import { assertOpenerInForce } from '../../src/operations/verification/biometric-sessions/session-opener.ts'
import {
  addVerification,
  attemptsOf,
} from '../../src/operations/verification/biometric-sessions/verification-entries.ts'
import { deleteExpired } from '../../src/operations/verification/biometrics/delete-expired.ts'
import { type VerificationDocument, verificationIdOf } from '../../src/operations/views/verification-view.ts'
import { bytes } from '../../src/store/values.ts'
import { EMPTY_DURESS_SLOT } from '../../src/verification/duress-slot.ts'
import { proveAddress } from '../a-proven-address.ts'
import { anEnrolment, anL3Token } from '../an-enrolled-person.ts'
import { callerOf } from '../some-callers.ts'
import { aKeyedApp, aPerson } from './a-keyed-app.ts'

const DAY_MS = 86_400_000
const UNKNOWN_REF = `sha256:${'0'.repeat(64)}`
const AGENT_JWK = { kty: 'OKP', crv: 'Ed25519', x: 'ebVWLo_mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ' }

/** A person with a token, and a template. */
async function enrolled(scope: TestContext, email = 'dev@example.com') {
  const service = await aTestApp(scope)
  const { body } = await service.post('/v1/vat/issue/l1', anIssueRequest({ developer_email: email }))
  const person = { tenant_id: 'default', human_ref: String(body.claims.svc_human_ref) }
  const stored = await anEnrolment(service, person)
  return { service, person, stored, l1: body, path: `/v1/vat/auth/biometrics/${person.human_ref}` }
}

/** The sealed template as the store holds it. */
async function sealedTemplate(service: TestApp): Promise<Buffer> {
  const [row] = await service.rows(`SELECT document FROM registry WHERE kind = 'biometric'`)
  const sealed = Buffer.from(bytes(row?.document))
  assert.ok(sealed.length > 1000)
  return sealed
}

/** Whether a file of the data directory or a row of the database contains one of these. */
async function holds(service: TestApp, wanted: readonly Buffer[]): Promise<boolean> {
  const files = filesBelow(service.directory).map((file) => file.bytes)
  const rows = isOnPostgres ? [Buffer.from((await everyRow(service)).join('\n'), 'latin1')] : []
  return wanted.some((one) => [...files, ...rows].some((content) => content.includes(one)))
}

async function everyRow({ rows }: TestApp): Promise<string[]> {
  const tables = await rows(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
  )
  const contents = await Promise.all(tables.map(({ name }) => rows(`SELECT * FROM ${String(name)}`)))
  return contents
    .flat()
    .flatMap((row) => Object.values(row))
    .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)))
}

/** The start of a base64 text in each form in which it could be stored. */
function formsOf(base64: string): Buffer[] {
  const start = base64.slice(0, 64)
  return [
    Buffer.from(start),
    Buffer.from(start, 'base64'),
    Buffer.from(Buffer.from(start).toString('base64')),
  ]
}

describe('the template of a person', () => {
  test('is described to its person with its enrolment, its retention and the consent', async (context) => {
    const { service, path, stored, person } = await enrolled(context)
    const { status, body } = await service.get(path)
    assert.equal(status, 200)
    assert.deepEqual(body, {
      human_ref: person.human_ref,
      enrolled: true,
      enrolled_at: stored.enrolled_at,
      retention_until: stored.retention_until,
      consent: { ...stored.consent, is_current: true },
      engine_version: 'test',
      has_voice: true,
    })
  })

  test('is in its own export and in the full export of the person', async (context) => {
    const { service, path, stored, person } = await enrolled(context)
    const { body } = await service.get(`${path}/export`)
    assert.deepEqual(body.template, stored.template)
    assert.deepEqual(body.verifications, [])
    assert.ok(!('duress' in body))
    const whole = await service.app.inject(`/v1/vat/humans/${person.human_ref}/export`)
    const lines = whole.body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const [line] = lines.flatMap(({ biometric }) => (biometric === undefined ? [] : [biometric]))
    assert.deepEqual(line.template, stored.template)
    assert.ok(!('duress' in line))
  })

  test('is absent for a person who never enrolled, and unknown for an unknown person', async (context) => {
    const { service } = await enrolled(context)
    const { body } = await service.post(
      '/v1/vat/issue/l1',
      anIssueRequest({ developer_email: 'b@example.com' }),
    )
    const path = `/v1/vat/auth/biometrics/${body.claims.svc_human_ref}`
    assert.deepEqual((await service.get(path)).body, {
      human_ref: body.claims.svc_human_ref,
      enrolled: false,
    })
    const unknown = `/v1/vat/auth/biometrics/${UNKNOWN_REF}`
    for (const answer of [
      await service.get(unknown),
      await service.get(`${unknown}/export`),
      await service.delete(unknown),
    ])
      assert.deepEqual([answer.status, answer.body.code], [404, 'human_unknown'])
  })

  test('that is deleted leaves no copy in the store', async (context) => {
    const { service, path, stored } = await enrolled(context)
    const sealed = (await sealedTemplate(service)).subarray(40, 104)
    assert.equal(await holds(service, [sealed]), true)
    const { body } = await service.delete(path)
    assert.deepEqual([body.deleted, body.already_deleted], [true, false])
    assert.deepEqual(await service.get(path).then(({ body }) => body.enrolled), false)
    const { face, voice } = stored.template
    const words = [face, ...Object.values(voice)].flatMap(formsOf)
    assert.equal(await holds(service, [sealed, ...words]), false)
    const again = await service.delete(path)
    assert.deepEqual([again.status, again.body.already_deleted], [200, true])
  })

  test('is deleted when its person is erased, who can then enrol again', async (context) => {
    const { service, path, person, stored } = await enrolled(context)
    await service.delete(`/v1/vat/humans/${person.human_ref}`)
    assert.equal(await templateOf(person, service.context), undefined)
    assert.equal((await service.get(path)).body.enrolled, false)
    assert.equal((await service.get(`${path}/export`)).body.template, undefined)
    const { face, voice } = stored.template
    assert.equal(await holds(service, [face, ...Object.values(voice)].flatMap(formsOf)), false)
    const again = await anEnrolment(service, person)
    assert.deepEqual((await service.get(`${path}/export`)).body.template, again.template)
  })

  test('is deleted at the end of its retention, with a leaf', async (context) => {
    const { service, path, person } = await enrolled(context)
    const sealed = (await sealedTemplate(service)).subarray(40, 104)
    service.clock.advance(365 * DAY_MS - 1)
    assert.equal(await deleteExpired(service.context), 0)
    assert.equal((await service.get(path)).body.enrolled, true)
    service.clock.advance(1)
    assert.equal((await service.get(path)).body.enrolled, false)
    assert.equal(await deleteExpired(service.context), 1)
    assert.equal(await holds(service, [sealed]), false)
    const last = JSON.parse((await service.leafTexts()).at(-1) ?? '')
    assert.deepEqual([last.kind, last.removed, last.human_ref], ['biometric', true, person.human_ref])
  })
})

/** Stores the result of a capture, as judging one does. */
async function aVerification(
  { context }: Pick<TestApp, 'context'>,
  person: EnrolledPerson,
  changes: Partial<VerificationDocument> = {},
): Promise<string> {
  const session_id = newId('verification_session', context.clock())
  const document = {
    session_id,
    nonce_hash: '',
    fingerprint: '',
    purpose: 'verify',
    human_ref: person.human_ref,
    decision: 'pass',
    modalities: [],
    score: 0.75,
    evidence_hash: '',
    engine_version: 'test',
    attempts_left: 5,
    verified_at: new Date(context.clock()).toISOString(),
    duress: 0,
    ...changes,
  } as const
  await addVerification(person, document, EMPTY_DURESS_SLOT, context)
  return verificationIdOf(session_id)
}

function aSessionOf({ context }: TestApp, person: EnrolledPerson): CaptureSession {
  const now_ms = context.clock()
  return {
    session_id: newId('verification_session', now_ms),
    nonce_hash: hashOfNonce('nonce'),
    purpose: 'verify',
    ...person,
    opened_by: LOCAL_CALLER,
    accommodations: [],
    locale: 'en',
    expires_at_ms: now_ms + 60_000,
    state: 'open',
    progress: { steps: [{ kind: 'neutral' }], steps_done: 0, repeats: 0, reveals: 1, revealed_at_ms: now_ms },
    duress: 0,
  }
}

describe('the verifications of a person', () => {
  test('are exported without scores, and look the same under coercion', async (context) => {
    const { service, person, path } = await enrolled(context)
    const free = await aVerification(service, person)
    const forced = await aVerification(service, person, { duress: 1 })
    const { body } = await service.get(`${path}/export`)
    const [second, first] = body.verifications
    assert.deepEqual([first.verification_id, second.verification_id], [free, forced])
    assert.ok(!('score' in first))
    const { verification_id: _a, session_id: _b, ...one } = first
    const { verification_id: _c, session_id: _d, ...other } = second
    assert.deepEqual(one, other)
    assert.equal(JSON.stringify(first).length, JSON.stringify(second).length)
  })

  test('that failed still count behind many newer ones with the decision retry', async (context) => {
    const { service, person } = await enrolled(context)
    for (const decision of ['fail', 'review'] as const) await aVerification(service, person, { decision })
    for (let i = 0; i < 40; i++) await aVerification(service, person, { decision: 'retry' })
    assert.equal((await attemptsOf(person, service.context)).attempts_left, 3)
    service.clock.advance(DAY_MS)
    assert.equal((await attemptsOf(person, service.context)).attempts_left, 5)
  })

  test('are deleted at the end of their retention, and younger ones are kept', async (context) => {
    const { service, person, path } = await enrolled(context)
    await aVerification(service, person)
    service.clock.advance(DAY_MS)
    const younger = await aVerification(service, person)
    service.clock.advance(364 * DAY_MS)
    // Three, because the template was enrolled before both verifications.
    assert.equal(await deleteExpired(service.context), 3)
    const { body } = await service.get(`${path}/export`)
    assert.deepEqual(
      body.verifications.map(({ verification_id }: { verification_id: string }) => verification_id),
      [younger],
    )
    assert.equal(await deleteExpired(service.context), 0)
  })
})

describe('a person who withdraws their consent', () => {
  test('ends their open verification sessions', async (context) => {
    const { service, path, person } = await enrolled(context)
    const session = aSessionOf(service, person)
    await addSession(session, service.context)
    const { body } = await service.delete(path)
    assert.equal(body.cancelled_sessions, 1)
    assert.equal((await findSession(session.session_id, service.context))?.state, 'cancelled')
  })

  test('revokes every L3 token that is based on it, with its descendants, and no other token', async (context) => {
    const { service, path, person, l1 } = await enrolled(context)
    const { jti } = await anL3Token(service, person)
    const child = await service.post('/v1/vat/delegate', { vat_jti: jti, agent_id: 'helper-bot' })
    const renewed = await service.post('/v1/vat/renew', { vat_jti: jti, expires_in: 60 })
    assert.deepEqual([child.status, renewed.status], [201, 201])
    const { body } = await service.delete(path)
    assert.equal(body.revoked_count, 3)
    const action = { action: 'read', resource: 'calendar:events' }
    for (const vat_jti of [jti, child.body.jti, renewed.body.jti])
      assert.equal(
        (await service.post('/v1/vat/authorize', { vat_jti, ...action })).body.reason,
        'token_revoked',
      )
    assert.equal(
      (await service.post('/v1/vat/authorize', { vat_jti: l1.jti, ...action })).body.authorized,
      true,
    )
  })

  test('withdraws it under all their refs, whichever one they name', async (context) => {
    for (const named of ['account', 'address'] as const) {
      const { service, person, stored } = await enrolled(context)
      const refs = { address: person.human_ref, account: `sha256:${'c'.repeat(64)}` }
      const { jti } = await anL3Token(service, person)
      const session = aSessionOf(service, person)
      await addSession(session, service.context)
      const verification_id = await aVerification(service, person)
      await proveAddress(service, { ...refs, tenant_id: person.tenant_id })
      const path = `/v1/vat/auth/biometrics/${refs[named]}`
      const state = (await service.get(path)).body
      assert.deepEqual([state.enrolled, state.enrolled_at], [true, stored.enrolled_at], named)
      const exported = (await service.get(`${path}/export`)).body
      assert.deepEqual(exported.template, stored.template, named)
      assert.deepEqual(
        exported.verifications.map((one: { verification_id: string }) => one.verification_id),
        [verification_id],
        named,
      )
      const { body } = await service.delete(path)
      assert.deepEqual(
        [body.already_deleted, body.revoked_count, body.cancelled_sessions],
        [false, 1, 1],
        named,
      )
      assert.equal(await templateOf(person, service.context), undefined, named)
      const ask = { vat_jti: jti, action: 'read', resource: 'calendar:events' }
      assert.equal((await service.post('/v1/vat/authorize', ask)).body.reason, 'token_revoked', named)
      assert.equal((await service.get(path)).body.enrolled, false, named)
      assert.equal((await service.delete(path)).body.already_deleted, true, named)
    }
  })

  test('gets no token from a capture that was in progress', async (context) => {
    const { service, path, person } = await enrolled(context)
    await service.delete(path)
    await assert.rejects(anL3Token(service, person), { code: 'not_enrolled' })
  })

  test('gets no token from an earlier capture after enrolling again', async (context) => {
    const { service, path, person } = await enrolled(context)
    const verified_at_ms = service.clock()
    await service.delete(path)
    service.clock.advance(60_000)
    await anEnrolment(service, person)
    await assert.rejects(anL3Token(service, person, {}, verified_at_ms), { code: 'not_enrolled' })
    assert.ok((await anL3Token(service, person)).jti)
  })
})

describe('an L3 token', () => {
  const READ = { action: 'read', resource: 'calendar:events' }

  test('expires an hour after the verification by default, and at most eight hours after it', async (context) => {
    const { service, person } = await enrolled(context)
    const verified_at_ms = service.clock()
    service.clock.advance(60_000)
    const verified_at_s = Math.floor(verified_at_ms / 1000)
    const { claims } = await anL3Token(service, person, {}, verified_at_ms)
    assert.equal(claims.exp, verified_at_s + 3600)
    const short = await anL3Token(service, person, { expires_in: 60 }, verified_at_ms)
    assert.equal(short.claims.exp, verified_at_s + 120)
    for (const expires_in of [28_739, 28_740, 28_800]) {
      const most = await anL3Token(service, person, { expires_in }, verified_at_ms)
      assert.equal(most.claims.exp, Math.min(verified_at_s + 60 + expires_in, verified_at_s + 28_800))
    }
  })

  test('that asserts a policy for recent verifications ends when its verification is too old', async (context) => {
    const { service, person } = await enrolled(context)
    const verified_at_ms = service.clock()
    service.clock.advance(60_000)
    const asked = { policy_assertions: ['NIST_ZTA_L3'], agent_jwk: AGENT_JWK, expires_in: 3600 }
    const { claims } = await anL3Token(service, person, asked, verified_at_ms)
    assert.equal(claims.exp, Math.floor(verified_at_ms / 1000) + 3600)
  })

  test('cannot be renewed beyond the time that its verification allows', async (context) => {
    const { service, person } = await enrolled(context)
    const { jti } = await anL3Token(service, person, { expires_in: 28_800 })
    service.clock.advance(4 * 3_600_000)
    const renew = (expires_in: number) => service.post('/v1/vat/renew', { vat_jti: jti, expires_in })
    const refused = await renew(4 * 3600 + 1)
    assert.deepEqual([refused.status, refused.body.code], [403, 'scope_widening'])
    assert.equal((await renew(4 * 3600)).status, 201)
  })

  test('passes its verification to the tokens below it', async (context) => {
    const { service, person } = await enrolled(context)
    const { jti, claims } = await anL3Token(service, person)
    const child = await service.post('/v1/vat/delegate', { vat_jti: jti, agent_id: 'helper-bot' })
    assert.deepEqual(child.body.claims.svc_verification, claims.svc_verification)
  })

  test('meets a policy for recent L3 verifications, as does its child, and an L1 token does not', async (context) => {
    const { service, person } = await enrolled(context)
    const policy_assertions = ['HIPAA_L3']
    const { jti, claims } = await anL3Token(service, person, { policy_assertions })
    assert.equal(claims.svc_policy_assertions?.[0]?.framework, 'HIPAA_L3')
    const child = await service.post('/v1/vat/delegate', { vat_jti: jti, agent_id: 'helper-bot' })
    assert.equal(child.body.claims.svc_policy_assertions[0].framework, 'HIPAA_L3')
    assert.equal((await service.post('/v1/vat/authorize', { vat_jti: jti, ...READ })).body.authorized, true)
    const l1 = await service.post('/v1/vat/issue/l1', anIssueRequest({ policy_assertions, expires_in: 60 }))
    assert.deepEqual([l1.status, l1.body.code], [403, 'policy_unmet'])
    assert.deepEqual(
      l1.body.unmet.map(({ id }: { id: string }) => id),
      ['person_authentication', 'recent_authentication'],
    )
  })

  test('is refused by a policy if its verification would be too old when it expires', async (context) => {
    const { service, person } = await enrolled(context)
    const verified_at_ms = service.clock()
    service.clock.advance(7 * 3_600_000)
    const policy_assertions = ['HIPAA_L3']
    await anL3Token(service, person, { policy_assertions, expires_in: 3600 }, verified_at_ms)
    const evaluated = await service.post('/v1/vat/policies/evaluate', {
      policy_assertions: ['NIST_ZTA_L3'],
      resources: ['calendar:events'],
      actions: ['read'],
      assurance_level: 'L3',
      key_bound: true,
    })
    assert.equal(evaluated.body.met, true)
    const old = anL3Token(
      service,
      person,
      { policy_assertions: ['NIST_ZTA_L3'], expires_in: 60 },
      verified_at_ms,
    )
    await assert.rejects(old, { code: 'policy_unmet' })
  })
})

describe('the consent text', () => {
  test('has a version, a digest and two languages, and names the retention', async (context) => {
    const service = await aTestApp(context)
    const { body } = await service.get('/v1/vat/auth/consent')
    assert.match(body.text_hash, /^sha256:[0-9a-f]{64}$/)
    assert.equal(body.retention_days, 365)
    for (const text of [body.texts.en, body.texts.de]) assert.match(text, /365/)
  })
})

describe('in keyed mode, a template', () => {
  test('can be read and deleted by its person or an operator, and exported only by its person', async (context) => {
    const app = await aKeyedApp(context)
    await app.operator.post('/v1/vat/tenants', { tenant_id: 'acme', name: 'Acme' })
    const human_ref = `sha256:${'a'.repeat(64)}`
    const person = { tenant_id: 'acme', human_ref }
    const owner = await aPerson(app, 'acme', human_ref)
    const other = await aPerson(app, 'acme', `sha256:${'b'.repeat(64)}`)
    const operator = app.withKey(await app.key('acme', 'operator'))
    const auditor = app.withKey(await app.key('acme', 'auditor'))
    const developer = app.withKey(await app.key('acme', 'developer'))
    const { template } = await anEnrolment(app.test, person)
    const path = `/v1/vat/auth/biometrics/${human_ref}`
    const statuses = async (method: string, to: string) =>
      Promise.all(
        [owner.client, operator, auditor, developer, other.client, app.anonymous].map(
          async (client) => (await client.call(method, to)).status,
        ),
      )
    assert.deepEqual(await statuses('GET', path), [200, 200, 200, 403, 404, 401])
    assert.deepEqual(await statuses('GET', `${path}/export`), [200, 403, 403, 403, 404, 401])
    const whole = await operator.get(`/v1/vat/humans/${human_ref}/export`)
    assert.match(String(whole.body), /"biometric"/)
    assert.ok(!String(whole.body).includes(template.face))
    assert.deepEqual(await statuses('DELETE', path), [200, 200, 403, 403, 404, 401])
  })

  test('that was enrolled in open mode does not count', async (context) => {
    const { service, person } = await enrolled(context)
    assert.ok((await templateOf(person, service.context)) !== undefined)
    assert.equal(await templateOf(person, { ...service.context, access: 'keyed' }), undefined)
  })

  test('cannot be enrolled in a session that was opened in open mode', async (context) => {
    const { service, person } = await enrolled(context)
    const session = aSessionOf(service, person)
    await assertOpenerInForce(session, service.context)
    const keyed = { ...service.context, access: 'keyed' } as const
    await assert.rejects(assertOpenerInForce(session, keyed), { code: 'not_yours' })
  })
})

describe('an approval for which the tenant requires a face', async () => {
  const app = await aKeyedApp({ after })
  const { operator } = app
  await operator.post('/v1/vat/tenants', {
    tenant_id: 'acme',
    name: 'Acme',
    allow_bearer: true,
    face_approvals: { above_usd: 100, actions: ['wire'], max_age_s: 300 },
  })
  const person = { tenant_id: 'acme', human_ref: `sha256:${'a'.repeat(64)}` }
  const other = { tenant_id: 'acme', human_ref: `sha256:${'b'.repeat(64)}` }
  const { client } = await aPerson(app, 'acme', person.human_ref)
  await anEnrolment(app.test, person)
  await anEnrolment(app.test, other)
  const scope = { actions: ['wire', 'pay'], constraints: { require_approval: { actions: ['wire', 'pay'] } } }
  const { jti } = await anL3Token(app.test, person, scope)

  /** A request of the agent that waits for the person. */
  async function asked(action: string, spend_usd: number): Promise<string> {
    const { body } = await callerOf(app.test, { ...LOCAL_CALLER, tenant_id: 'acme' })('authorize', {
      body: { vat_jti: jti, action, resource: 'calendar:events', spend_usd },
    }).then((body) => ({ body }))
    assert.ok(body.approval_id !== undefined)
    return body.approval_id
  }
  const approve = (id: string, body: object = {}) => client.post(`/v1/vat/approvals/${id}/approve`, body)
  const reasonOf = async (id: string, verification_id?: string) => {
    const { status, body } = await approve(id, verification_id === undefined ? {} : { verification_id })
    assert.deepEqual([status, body.code], [403, 'face_required'])
    assert.equal(body.max_age_s, 300)
    return body.reason
  }

  test('is refused without a recent passed verification of this person for this approval', async () => {
    const approval_id = await asked('wire', 1)
    assert.equal(await reasonOf(approval_id), 'no_verification')
    assert.equal(await reasonOf(approval_id, 'vrf_unknown'), 'no_verification')
    const theirs = await aVerification(app.test, other, { approval_id })
    assert.equal(await reasonOf(approval_id, theirs), 'no_verification')
    const failed = await aVerification(app.test, person, { approval_id, decision: 'fail' })
    assert.equal(await reasonOf(approval_id, failed), 'not_passed')
    const general = await aVerification(app.test, person)
    assert.equal(await reasonOf(approval_id, general), 'other_approval')
    const passed = await aVerification(app.test, person, { approval_id })
    app.test.clock.advance(301_000)
    assert.equal(await reasonOf(approval_id, passed), 'too_old')
  })

  test('is given once with a matching verification, and cannot include a grant', async () => {
    const approval_id = await asked('wire', 2)
    const verification_id = await aVerification(app.test, person, { approval_id })
    const granted = await approve(approval_id, { verification_id, grant: { minutes: 30 } })
    assert.equal(granted.status, 400)
    const { status, body } = await approve(approval_id, { verification_id })
    assert.deepEqual([status, body.state], [200, 'approved'])
    assert.equal(await reasonOf(await asked('wire', 3), verification_id), 'other_approval')
  })

  test('does not change the level of the session', async () => {
    const approval_id = await asked('wire', 4)
    const verification_id = await aVerification(app.test, person, { approval_id })
    assert.equal((await approve(approval_id, { verification_id })).status, 200)
    assert.equal((await client.get('/v1/vat/auth/me')).body.assurance_level, 'L2')
  })

  test('cannot be skipped with a grant from a cheaper one', async () => {
    const approval_id = await asked('pay', 50)
    const wide = await approve(approval_id, { grant: { minutes: 30, max_spend_usd: 101 } })
    assert.equal(wide.body.errors?.[0]?.pointer, '/grant/max_spend_usd', JSON.stringify(wide.body))
    const granted = await approve(approval_id, { grant: { minutes: 30, max_spend_usd: 100 } })
    assert.deepEqual([granted.status, granted.body.state], [200, 'approved'])
  })

  test('is refused in a batch, while a denial and an action below the limits need no face', async () => {
    const dear = await asked('pay', 101)
    const batch = await client.post('/v1/vat/approvals/batch', {
      items: [{ approval_id: dear, decision: 'approved' }],
    })
    assert.equal(batch.body.code, 'face_required')
    assert.equal((await client.post(`/v1/vat/approvals/${dear}/deny`, {})).status, 200)
    assert.equal((await approve(await asked('pay', 100))).status, 200)
  })

  test('is shown on the page with what it needs and without a button to approve', async () => {
    await asked('wire', 5)
    const page = String((await client.get('/me')).body)
    assert.match(page, /verify yourself with your face/)
    assert.ok(!page.includes('&quot;operation&quot;:&quot;approve&quot;'))
  })

  test('accepts a verification under any ref of the person in open mode', async () => {
    const address = `sha256:${'d'.repeat(64)}`
    await anEnrolment(app.test, { tenant_id: 'acme', human_ref: address })
    const { jti: vat_jti } = await anL3Token(app.test, { tenant_id: 'acme', human_ref: address }, scope)
    await proveAddress(app.test, { tenant_id: 'acme', account: person.human_ref, address })
    const call = callerOf(app.test, { ...LOCAL_CALLER, tenant_id: 'acme' })
    const { approval_id } = await call('authorize', {
      body: { vat_jti, action: 'wire', resource: 'calendar:events', spend_usd: 1 },
    })
    assert.ok(approval_id !== undefined)
    const verification_id = await aVerification(app.test, person, { approval_id })
    const { state } = await call('approve', { params: { id: approval_id }, body: { verification_id } })
    assert.equal(state, 'approved')
  })

  test("is the tenant's choice: without the setting, approving needs no face", async () => {
    const changed = await operator.call('PATCH', '/v1/vat/tenants/acme', { face_approvals: null })
    assert.equal(changed.status, 200)
    assert.ok(!('face_approvals' in changed.body))
    assert.equal((await approve(await asked('wire', 4))).status, 200)
  })

  test("changes nothing on the person's page, which shows what is stored and how to delete it", async () => {
    const page = String((await client.get('/me')).body)
    assert.match(page, /Face and voice/)
    assert.match(page, /Enrolled since/)
    assert.match(page, /Delete your template/)
    const stranger = await aPerson(app, 'acme', `sha256:${'c'.repeat(64)}`)
    assert.match(String((await stranger.client.get('/me')).body), /You are not enrolled/)
  })
})
