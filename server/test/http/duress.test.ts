import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { describe, type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { canonicalJson } from '@deputize/protocol'
import { aDevice } from '@deputize/testing/a-device.ts'
import { aServer } from '@deputize/testing/a-server.ts'
import { type Answer, aTestApp, SAFETY_SECRET, TEST_URL, type TestApp } from '@deputize/testing/a-test-app.ts'
import { type Acted, actedRecording, anActedEngine } from '@deputize/testing/an-acted-engine.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { MessageDesk } from '../../src/operations/notifications/message-desk.ts'
import { deleteExpired } from '../../src/operations/verification/biometrics/delete-expired.ts'
import { isAlertSent, SafetyOutbox } from '../../src/operations/verification/duress/safety-outbox.ts'
import { outbound } from '../../src/outbound/outbound.ts'
import type { EphemeralStore } from '../../src/store/ephemeral.ts'
import { safetyChannel } from '../../src/verification/safety-channel.ts'
import {
  aCapture,
  aCaptureSession,
  answerSteps,
  enrolled,
  letTimePass,
  type Post,
  SESSIONS,
} from '../a-capture.ts'
import { aHostedSession, hostedCalls } from '../a-hosted-session.ts'
import { anEnrolment } from '../an-enrolled-person.ts'
import { shapeOfMetrics } from '../shape-of-metrics.ts'
import { aHuman, aReviewDesk, callerOf } from '../some-callers.ts'
import { aKeyedApp, aPerson } from './a-keyed-app.ts'

const DAY_MS = 86_400_000
const CAPTURE = '/v1/vat/auth/capture'
const ALICE = { face: 1 }
const CONTACTS = ['Ada Lovelace, +44 20 7946 0000']
const TOKEN = {
  agent_id: 'calendar-bot',
  resources: ['calendar:events', 'shop:orders'],
  actions: ['read', 'buy', 'delegate'],
}
const READ = { action: 'read', resource: 'calendar:events' }
const BUY = { action: 'buy', resource: 'shop:orders', spend_usd: 20 }

interface Received {
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** A receiver of alerts that accepts them after refusing the first `refusals`. */
async function aReceiver(context: TestContext, refusals = 0) {
  const received: Received[] = []
  const url = await aServer(context, async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) })
    response.statusCode = received.length > refusals ? 204 : 503
    response.end()
  })
  return { received, url }
}

interface RunOptions {
  readonly is_coerced: boolean
  readonly sample_pct?: number
}

/** Alice enrolls, sets her sign, and verifies herself. Apart from the sign, every run is the same. */
async function aRun(context: TestContext, { is_coerced, sample_pct = 0 }: RunOptions) {
  const { received, url } = await aReceiver(context)
  const lines: string[] = []
  const engine = anActedEngine()
  const service = await aTestApp(context, {
    engine,
    l3_passkey: 'optional',
    safety_url: url,
    onLog: (line) => lines.push(line),
  })
  const post: Post = (path, body) => service.post(path, body)
  const send = (method: 'PUT' | 'PATCH', path: string, payload: object) =>
    service.app.inject({ method, url: path, payload })
  const reviewed = await send('PATCH', '/v1/vat/tenants/default', { review: { sample_pct } })
  assert.equal(reviewed.statusCode, 200, reviewed.body)
  const { human_ref, verification_id } = await enrolled(post, service, ALICE)
  const set = await send('PUT', '/v1/vat/auth/duress', {
    word: 'butterfly',
    contacts: CONTACTS,
    human_ref,
    verification_id,
  })
  assert.equal(set.statusCode, 200, set.body)
  const capture = await aCapture(post, service, human_ref, { ...ALICE, is_coerced })
  const judged = await post('/v1/vat/auth/capture', { ...capture, ...TOKEN })
  assert.equal(judged.body.passed, true, JSON.stringify(judged.body))
  for (const id of [verification_id, judged.body.verification_id])
    await eventually('the verification to be dealt with', () => isAlertSent(id, service.context.ephemeral))
  const vat_jti: string = judged.body.token.jti
  return {
    service,
    engine,
    lines,
    received,
    human_ref,
    judged,
    vat_jti,
    compact_jwt: judged.body.token.compact_jwt,
  }
}

type Run = Awaited<ReturnType<typeof aRun>>

/**
 * A text whose ids, hashes, times and measured numbers are replaced by placeholders. Those of ids keep the length. The
 * measured numbers depend on the random steps of a capture.
 */
function shape(value: unknown): string {
  return (typeof value === 'string' ? value : JSON.stringify(value))
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/\breq_\w+/g, 'REQUEST')
    .replace(/"(score|flash_r|identity_stability|r|margin)":[\d.e-]+/g, '"$1":0')
    .replace(/(?<![A-Za-z0-9+])[A-Za-z0-9+/]{43}=/g, 'HASH')
    .replace(/[A-Za-z0-9_-]{16,}/g, (found) =>
      /^[a-z]+(_[a-z]+)*$/.test(found) ? found : 'x'.repeat(found.length),
    )
    .replace(
      /(time|responseTime|iat|nbf|exp|verified_at|log_index|expires_at_s|next_update|idx)(\\?"):[\d.]+/g,
      '$1$2:0',
    )
}

/** Replaces the times in messages, which are in words and differ between runs. */
function textOfTimes(text: string): string {
  return text.replaceAll(/Answer by: [^"]*/g, 'Answer by: TIME')
}

const BODY_SIZED = ['content-length', 'etag', 'date']

function shapeOfAnswer({ status, headers, body }: { status: number; headers: object; body: unknown }) {
  const names = Object.entries(headers).map(([name, value]) =>
    BODY_SIZED.includes(name) ? name : `${name}: ${shape(String(value)).replace(/\d+/g, 'N')}`,
  )
  return { status, headers: names.sort(), body: shape(body) }
}

/** Everything that can be read with the phone, the session, the token or an API key. */
async function everythingReadable({ service, human_ref, vat_jti, compact_jwt, judged }: Run) {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const { provenance_ref } = judged.body.token
  const paths = [
    `/v1/vat/tokens/${vat_jti}`,
    `/v1/vat/tokens/${vat_jti}/chain`,
    `/v1/vat/tokens/${vat_jti}/descendants`,
    `/v1/vat/tokens/${vat_jti}/budget`,
    `/v1/vat/tokens/${vat_jti}/usage`,
    `/v1/vat/tokens?human_ref=${human_ref}`,
    `/v1/vat/humans/${human_ref}`,
    `/v1/vat/humans/${human_ref}/export`,
    `/v1/vat/auth/biometrics/${human_ref}`,
    `/v1/vat/auth/biometrics/${human_ref}/export`,
    `/v1/vat/auth/verifications?human_ref=${human_ref}`,
    `/v1/vat/auth/verifications/${judged.body.verification_id}`,
    '/v1/vat/approvals',
    '/v1/vat/denials',
    '/v1/vat/aar',
    '/v1/vat/workflows',
    `/v1/vat/aar/provenance/${provenance_ref}`,
    `/v1/vat/aar/provenance/${provenance_ref}/graph`,
    `/v1/vat/aar/provenance/${provenance_ref}/export?format=ndjson`,
    '/v1/vat/status-list',
    '/v1/vat/revocations',
    '/v1/vat/tenants/default',
    '/v1/vat/auth/duress-alerts',
    '/v1/vat/log/entries?start=0&limit=100',
    '/v1/vat/events?after=-1&limit=100',
  ]
  const answers = [shapeOfAnswer(judged)]
  for (const path of paths) {
    const { statusCode: status, headers, body } = await service.app.inject(path)
    answers.push(shapeOfAnswer({ status, headers, body }))
  }
  answers.push(
    shapeOfAnswer(await service.post('/v1/vat/verify', { compact_jwt })),
    shapeOfAnswer(await service.post('/v1/vat/introspect', `token=${compact_jwt}`, form)),
    shapeOfAnswer(await service.post('/v1/vat/authorize', { vat_jti, ...READ })),
    shapeOfAnswer(await service.post('/v1/vat/delegate', { vat_jti, agent_id: 'helper-bot' })),
  )
  return answers
}

/** The sizes of all rows that a run wrote, by table and kind. */
async function rowSizes({ service }: Run) {
  const sizes = (rows: readonly Record<string, unknown>[]) =>
    rows
      .map(({ kind, sealed }) => `${kind} ${sealed === null ? 0 : (sealed as { length: number }).length}`)
      .sort()
  return [
    ...sizes(
      await service.rows(`SELECT kind, document AS sealed FROM registry WHERE kind IN ('review', 'api_key')`),
    ),
    ...sizes(await service.rows(`SELECT 'token' AS kind, inner_limits AS sealed FROM tokens`)),
    ...sizes(await service.ephemeralRows(`SELECT kind, value AS sealed FROM ephemeral WHERE kind = 'alert'`)),
  ]
}

async function leafShapes({ service }: Run): Promise<string[]> {
  return (await service.leafTexts()).map(shape)
}

describe('a sign of coercion', () => {
  test('changes no answer, header, log line, leaf, metric or size that anyone but the desk can read', async (context) => {
    const [calm, coerced] = [
      await aRun(context, { is_coerced: false }),
      await aRun(context, { is_coerced: true }),
    ]
    assert.deepEqual([calm.received.length, coerced.received.length], [0, 1])
    assert.deepEqual(await everythingReadable(coerced), await everythingReadable(calm))
    assert.deepEqual(await leafShapes(coerced), await leafShapes(calm))
    assert.deepEqual(await rowSizes(coerced), await rowSizes(calm))
    assert.equal(coerced.engine.analysed, calm.engine.analysed)
    const logged = (run: Run) => run.lines.map((line) => shape(line).replace(/\d+/g, 'N'))
    assert.deepEqual(logged(coerced), logged(calm))
    const metrics = async ({ service }: Run) => shapeOfMetrics((await service.app.inject('/metrics')).body)
    assert.deepEqual(await metrics(coerced), await metrics(calm))
  })

  test('is not in the evidence hash, which depends only on the recordings', async (context) => {
    const service = await aTestApp(context, { engine: anActedEngine(), l3_passkey: 'optional' })
    const post: Post = (path, body) => service.post(path, body)
    const { human_ref } = await enrolled(post, service, ALICE)
    const session = await aCaptureSession(post, { purpose: 'verify', human_ref })
    const answers = await answerSteps(post, service, session, { ...ALICE, is_coerced: true })
    const { session_id, nonce } = session
    const { body } = await post('/v1/vat/auth/capture', { session_id, nonce })
    const media = answers.map(({ media_digest }) => media_digest)
    const expected = createHash('sha256').update(canonicalJson({ session_id, media })).digest('hex')
    assert.equal(body.evidence_hash, `sha256:${expected}`)
  })

  test('holds what a sampled token holds, and looks the same to everyone but the desk', async (context) => {
    const [sampled, coerced] = [
      await aRun(context, { is_coerced: false, sample_pct: 100 }),
      await aRun(context, { is_coerced: true }),
    ]
    const held = async ({ service, vat_jti }: Run) => {
      const asked = await service.post('/v1/vat/authorize', { vat_jti, ...BUY })
      assert.equal(asked.body.reason, 'approval_required')
      const { approval_id } = asked.body
      return [
        asked,
        await service.get(`/v1/vat/approvals/${approval_id}`),
        await service.get('/v1/vat/approvals'),
        await service.post(`/v1/vat/approvals/${approval_id}/approve`),
        await service.post(`/v1/vat/approvals/${approval_id}/deny`),
        await service.post('/v1/vat/authorize', { vat_jti, ...BUY, dry_run: true }),
        await service.post('/v1/vat/record/action', { vat_jti, ...BUY, result: 'success' }),
        await service.post(`/v1/vat/tokens/${vat_jti}/release`),
      ].map(shapeOfAnswer)
    }
    assert.deepEqual(await held(coerced), await held(sampled))
    assert.deepEqual(await leafShapes(coerced), await leafShapes(sampled))
  })

  test('appears in no message or event: the phone gets the same as for a sampled token', async (context) => {
    const [sampled, coerced] = [
      await aRun(context, { is_coerced: false, sample_pct: 100 }),
      await aRun(context, { is_coerced: true }),
    ]
    assert.deepEqual([sampled.received.length, coerced.received.length], [0, 1], 'the chosen people are told')
    const seen = async ({ service, human_ref, vat_jti }: Run) => {
      const phone = await aReceiver(context)
      const alice = callerOf(
        { context: { ...service.context, access: 'keyed' } },
        aHuman('default', human_ref),
      )
      const { channel_id } = await alice('addChannel', { body: { kind: 'slack', url: phone.url } })
      const desk = new MessageDesk(service.context)
      context.after(() => desk.close())
      await service.post('/v1/vat/authorize', { vat_jti, ...BUY })
      await service.post('/v1/vat/agents/calendar-bot/suspend', {})
      await eventually('two messages', async () => {
        service.clock.advance(30_000)
        await desk.runOnce()
        return phone.received.length === 2
      })
      const [state] = (await alice('getNotifications')).channels
      assert.equal(state?.channel_id, channel_id)
      const { data } = await alice('listEvents', { query: { after: -1, limit: 100 } })
      assert.ok(data.some(({ type }) => type === 'approval.requested'))
      // Two messages may be in flight at the same time.
      const messages = phone.received.map(({ body }) => textOfTimes(shape(body))).sort()
      return { messages, events: shape(data) }
    }
    assert.deepEqual(await seen(coerced), await seen(sampled))
  })

  test('that the desk has resolved leaves the same traces as the release of a sample', async (context) => {
    const [sampled, coerced] = [
      await aRun(context, { is_coerced: false, sample_pct: 100 }),
      await aRun(context, { is_coerced: true }),
    ]
    const deskOf = ({ service }: Run) =>
      callerOf({ context: { ...service.context, access: 'keyed' } }, aReviewDesk('default'))
    const params = { jti: sampled.vat_jti }
    await deskOf(sampled)('releaseToken', { params, body: {} })
    await deskOf(sampled)('releaseToken', { params, body: {} })
    await deskOf(coerced)('resolveDuressAlert', {
      params: { id: coerced.judged.body.verification_id },
      body: { outcome: 'safe', note: 'We met her.' },
    })
    assert.deepEqual(await leafShapes(coerced), await leafShapes(sampled))
    assert.deepEqual(await rowSizes(coerced), await rowSizes(sampled))
    assert.deepEqual((await deskOf(sampled)('listDuressAlerts')).data, [])
  })

  test('is reported only to the desk, which resolves it', async (context) => {
    const run = await aRun(context, { is_coerced: true })
    const keyed = { context: { ...run.service.context, access: 'keyed' as const } }
    const desk = callerOf(keyed, aReviewDesk('default'))
    const { data } = await desk('listDuressAlerts')
    assert.equal(data.length, 1)
    const { alert_id, human_ref, jti, contacts, sent, state } = data[0] ?? assert.fail('no alert')
    assert.deepEqual(
      { alert_id, human_ref, jti, contacts, sent, state },
      {
        alert_id: run.judged.body.verification_id,
        human_ref: run.human_ref,
        jti: run.vat_jti,
        contacts: CONTACTS,
        sent: true,
        state: 'open',
      },
    )
    const resolved = await desk('resolveDuressAlert', {
      params: { id: alert_id },
      body: { outcome: 'safe', note: 'We met her.' },
    })
    assert.deepEqual([resolved.state, resolved.outcome, resolved.note], ['resolved', 'safe', 'We met her.'])
    const asked = await run.service.post('/v1/vat/authorize', { vat_jti: run.vat_jti, ...BUY })
    assert.equal(asked.body.authorized, true)
    const other = callerOf(keyed, aReviewDesk('acme'))
    assert.deepEqual((await other('listDuressAlerts')).data, [])
    const foreign = other('resolveDuressAlert', { params: { id: alert_id }, body: { outcome: 'revoke' } })
    await assert.rejects(foreign, { code: 'alert_unknown' })
    const again = desk('resolveDuressAlert', { params: { id: alert_id }, body: { outcome: 'revoke' } })
    await assert.rejects(again, { code: 'registry_conflict' })
  })

  test('leads to the revocation of its token if the desk decides so', async (context) => {
    const { service, vat_jti, judged } = await aRun(context, { is_coerced: true })
    const desk = callerOf({ context: { ...service.context, access: 'keyed' } }, aReviewDesk('default'))
    const id: string = judged.body.verification_id
    await desk('resolveDuressAlert', { params: { id }, body: { outcome: 'revoke' } })
    const asked = await service.post('/v1/vat/authorize', { vat_jti, ...READ })
    assert.equal(asked.body.reason, 'token_revoked')
  })

  test('counts in a recording that must be repeated, for example because the other face is in the picture', async (context) => {
    const { service, human_ref, received } = await aRun(context, { is_coerced: false })
    const post: Post = (path, body) => service.post(path, body)
    const session = await aCaptureSession(post, { purpose: 'verify', human_ref })
    const { session_id, nonce } = session
    const signed = { ...ALICE, is_coerced: true, quality: ['several_faces'] as const }
    const { reasons, step } = await answered(post, service, session, signed)
    assert.deepEqual(reasons.map(codeOf), ['several_faces'])
    await answerSteps(post, service, { ...session, step }, ALICE)
    await assertHeld(service, await post(CAPTURE, { session_id, nonce, ...TOKEN }))
    await eventually('an alert', () => received.length === 1)
  })

  test('counts in a capture that the device starts again in the same session', async (context) => {
    const { service, human_ref, received } = await aRun(context, { is_coerced: false })
    const post: Post = (path, body) => service.post(path, body)
    const prepared = await aHostedSession(post, { purpose: 'verify', human_ref, request: TOKEN })
    const { open, collect } = hostedCalls(post, prepared)
    const { body: first } = await open()
    await answered(post, service, first, { ...ALICE, is_coerced: true })
    const { body: second } = await open({ nonce: first.nonce })
    await answerSteps(post, service, second, ALICE)
    const { session_id, nonce } = second
    assert.equal((await post(CAPTURE, { session_id, nonce })).body.passed, true)
    await assertHeld(service, await collect())
    await eventually('an alert', () => received.length === 1)
  })

  test('stays unchanged if its change is proven under coercion, and the answer does not reveal it', async (context) => {
    const { service, human_ref, judged, received } = await aRun(context, { is_coerced: true })
    const { verification_id } = judged.body
    const removed = await service.delete(
      `/v1/vat/auth/duress?human_ref=${human_ref}&verification_id=${verification_id}`,
    )
    assert.deepEqual([removed.status, removed.body], [200, { saved: true }])
    const post: Post = (path, body) => service.post(path, body)
    const capture = await aCapture(post, service, human_ref, { ...ALICE, is_coerced: true })
    await post('/v1/vat/auth/capture', { ...capture, ...TOKEN })
    await eventually('a second alert', () => received.length === 2)
  })

  test('that was removed has no effect, and neither has its decoy if it is heard by chance', async (context) => {
    const { service, human_ref, judged, received } = await aRun(context, { is_coerced: false })
    const { verification_id } = judged.body
    const query = `human_ref=${human_ref}&verification_id=${verification_id}`
    assert.equal((await service.delete(`/v1/vat/auth/duress?${query}`)).status, 200)
    const post: Post = (path, body) => service.post(path, body)
    const capture = await aCapture(post, service, human_ref, { ...ALICE, is_coerced: true })
    const { body } = await post('/v1/vat/auth/capture', { ...capture, ...TOKEN })
    const asked = await service.post('/v1/vat/authorize', { vat_jti: body.token.jti, ...BUY })
    assert.equal(asked.body.authorized, true)
    assert.equal(received.length, 0)
  })

  test('can be set only with a fresh verification of that person', async (context) => {
    const { service, human_ref, judged } = await aRun(context, { is_coerced: false })
    const { verification_id } = judged.body
    const put = async (body: object) => {
      const payload = { word: 'butterfly', contacts: CONTACTS, ...body }
      const answer = await service.app.inject({ method: 'PUT', url: '/v1/vat/auth/duress', payload })
      return [answer.statusCode, answer.json().code]
    }
    assert.deepEqual(await put({}), [403, 'not_yours'])
    assert.deepEqual(await put({ human_ref: `sha256:${'f'.repeat(64)}`, verification_id }), [
      403,
      'not_yours',
    ])
    assert.deepEqual(await put({ human_ref, verification_id, word: 'seven' }), [400, 'invalid_request'])
    assert.deepEqual(await put({ human_ref, verification_id, word: undefined }), [400, 'invalid_request'])
    service.clock.advance(10 * 60_000 + 1)
    assert.deepEqual(await put({ human_ref, verification_id }), [403, 'not_yours'])
  })
})

// biome-ignore lint/suspicious/noExplicitAny: the shape of answers is what tests assert
type Json = any

/** Answers the step that is due, and returns the answer. */
async function answered(post: Post, service: TestApp, session: Json, acted: Acted): Promise<Json> {
  const { session_id, nonce, step } = session
  letTimePass(service, step)
  const { status, body } = await post(`${SESSIONS}/${session_id}/steps`, {
    nonce,
    ...actedRecording(step, acted),
  })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const codeOf = ({ code }: { readonly code: string }) => code

/** Asserts that a passed verification gave a token whose spending is held for the desk. */
async function assertHeld(service: TestApp, { body }: Answer): Promise<void> {
  assert.equal(body.passed, true, JSON.stringify(body))
  const { body: asked } = await service.post('/v1/vat/authorize', { vat_jti: body.token.jti, ...BUY })
  assert.deepEqual([asked.authorized, asked.reason], [false, 'approval_required'])
}

describe('a sign that is removed or replaced with a passkey', () => {
  const SIGN = { word: 'butterfly', contacts: CONTACTS }

  /** Alice in keyed mode, enrolled, with a passkey that confirms each of her calls. */
  async function aKeyedAlice(context: TestContext) {
    const { received, url } = await aReceiver(context)
    const app = await aKeyedApp(context, { safety_url: url })
    const person = { tenant_id: 'default', human_ref: `sha256:${'a'.repeat(64)}` }
    await anEnrolment(app.test, person)
    const { client: alice } = await aPerson(app, person.tenant_id, person.human_ref)
    const device = aDevice(TEST_URL)
    const { options } = (await alice.post('/v1/vat/auth/passkeys/register/options')).body
    await alice.post('/v1/vat/auth/passkeys/register/verify', { response: device.create(options) })
    let counter = 0
    const confirmed = async (operation: string, method: string, body?: object) => {
      const wanted = { operation, ...(body && { body }) }
      const asked = await alice.post('/v1/vat/auth/step-up/options', wanted)
      counter += 1
      const response = device.get(asked.body.options, { counter })
      const { grant } = (await alice.post('/v1/vat/auth/step-up/verify', { response })).body
      return alice.call(method, '/v1/vat/auth/duress', body, { 'deputy-step-up': grant })
    }
    return {
      app,
      person,
      received,
      alice,
      set: (sign: object) => confirmed('setDuress', 'PUT', sign),
      remove: () => confirmed('deleteDuress', 'DELETE'),
      desk: app.withKey(await app.key('default', 'safety')),
      /** What a call adds to the log and the store, without its random parts. */
      traceOf: async (call: () => Promise<Answer>) => {
        const before = await app.test.logSize()
        const { status, headers, body } = await call()
        const leaves = (await app.test.leafTexts()).slice(before)
        const sizes = await app.test.rows(
          `SELECT kind, length(document) AS size FROM registry WHERE log_index >= ${before} ORDER BY log_index`,
        )
        return { status, names: Object.keys(headers).sort(), body, leaves: leaves.map(shape), sizes }
      },
    }
  }

  test('alerts the contacts of the old sign, while answer and log do not reveal that it existed', async (context) => {
    const { set, remove, traceOf, received, desk } = await aKeyedAlice(context)
    const first = await traceOf(() => set(SIGN))
    assert.deepEqual([first.status, first.body], [200, { saved: true }])
    assert.equal(received.length, 0)
    const replaced = await traceOf(() => set({ ...SIGN, contacts: ['Mallory'] }))
    assert.deepEqual(replaced, first)
    await eventually('an alert', () => received.length === 1)
    const removed = await traceOf(remove)
    await eventually('a second alert', () => received.length === 2)
    assert.deepEqual(await traceOf(remove), removed)

    const alerts = (await desk.get('/v1/vat/auth/duress-alerts')).body.data
    assert.deepEqual(
      alerts.map(({ about, contacts, passed, jti }: Record<string, unknown>) => [
        about,
        contacts,
        passed,
        jti,
      ]),
      [
        ['sign_changed', ['Mallory'], false, undefined],
        ['sign_changed', CONTACTS, false, undefined],
      ],
    )
    const [{ type, data }] = received.map(({ body }) => JSON.parse(body))
    assert.equal(type, 'duress.sign_changed')
    assert.deepEqual([data.alert_id, data.contacts], [alerts[1].alert_id, CONTACTS])
    const resolve = `/v1/vat/auth/duress-alerts/${alerts[0].alert_id}/resolve`
    assert.equal((await desk.post(resolve, { outcome: 'safe' })).body.state, 'resolved')
  })

  test('also raises an alert when the person withdraws their consent, which deletes it', async (context) => {
    const { app, set, person, alice, received, desk } = await aKeyedAlice(context)
    await set(SIGN)
    const path = `/v1/vat/auth/biometrics/${person.human_ref}`
    assert.equal((await alice.call('DELETE', path)).body.deleted, true)
    await eventually('an alert', () => received.length === 1)
    await anEnrolment(app.test, person)
    await set(SIGN)
    assert.equal((await app.operator.call('DELETE', path)).body.deleted, true) // no person was forced to do this
    assert.equal((await desk.get('/v1/vat/auth/duress-alerts')).body.data.length, 1)
  })
})

describe('an alert about coercion', () => {
  test('is sent once, signed, and contains only what the desk needs', async (context) => {
    const { received, human_ref, judged, service } = await aRun(context, { is_coerced: true })
    for (let n = 0; n < 3; n++) service.context.verification.onSafetyNote()
    const [alert] = received
    assert.ok(alert !== undefined)
    const id = alert.headers['webhook-id']
    const signed = `${id}.${alert.headers['webhook-timestamp']}.${alert.body}`
    const signature = createHmac('sha256', SAFETY_SECRET).update(signed).digest('base64')
    assert.equal(alert.headers['webhook-signature'], `v1,${signature}`)
    assert.equal(id, `msg_${judged.body.verification_id}`)
    assert.deepEqual(JSON.parse(alert.body), {
      type: 'verification.duress',
      timestamp: judged.body.verified_at,
      data: {
        verification_id: judged.body.verification_id,
        tenant_id: 'default',
        human_ref,
        contacts: CONTACTS,
      },
    })
    await anOutbox(service, 'http://127.0.0.1:1').runOnce()
    assert.equal(received.length, 1)
  })

  test('waits until the call that raised it is answered: its note is not read before a timer ends', async (context) => {
    const { service, judged } = await aRun(context, { is_coerced: true })
    const { url, received } = await aReceiver(context)
    await marksGone(service)
    const markOf = () => service.context.ephemeral.get('alert', judged.body.verification_id)
    context.mock.timers.enable({ apis: ['setTimeout'] })
    anOutbox(service, url).runSoon()
    context.mock.timers.tick(249)
    for (let turn = 0; turn < 50; turn++) await setImmediate()
    assert.equal(await markOf(), undefined)
    context.mock.timers.tick(501)
    context.mock.timers.reset()
    await eventually('the alert', () => received.length === 1)
  })

  test('is retried with the same id by any node until it is accepted', async (context) => {
    const { service } = await aRun(context, { is_coerced: true })
    const { url, received } = await aReceiver(context, 2)
    await marksGone(service)
    for (let n = 0; n < 6; n++) {
      await Promise.all([anOutbox(service, url).runOnce(), anOutbox(service, url).runOnce()])
      service.clock.advance(30_000)
    }
    assert.equal(received.length, 3)
    assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 1)
  })

  test('outlives a short retention until sending it is given up, and so does an ordinary note', async (context) => {
    for (const is_coerced of [true, false]) {
      const { service, judged } = await aRun(context, { is_coerced })
      const { url, received } = await aReceiver(context)
      await marksGone(service)
      const verification = { ...service.context.verification, verification_retention_days: 1 }
      const expire = () => deleteExpired({ ...service.context, verification })
      service.clock.advance(6 * DAY_MS)
      await expire()
      await anOutbox(service, url).runOnce()
      assert.equal(received.length, is_coerced ? 1 : 0)
      const isKept = async (kind: 'verification' | 'review') => {
        const entry = await service.context.reader.registry.entry(kind, judged.body.verification_id)
        return entry?.document !== undefined
      }
      assert.deepEqual([await isKept('verification'), await isKept('review')], [false, true])
      service.clock.advance(DAY_MS + 1)
      await expire()
      assert.equal(await isKept('review'), false)
    }
  })

  test('is sent once by two nodes, even if one read its mark before the attempt of the other', async (context) => {
    const { service } = await aRun(context, { is_coerced: true })
    const { url, received } = await aReceiver(context, 1)
    await marksGone(service)
    await anOutbox(service, url).runOnce()
    service.clock.advance(30_000)
    const { ephemeral } = service.context
    const slow: EphemeralStore = {
      ...ephemeral,
      async get(kind, key) {
        const known = await ephemeral.get(kind, key)
        await anOutbox(service, url).runOnce()
        return known
      },
    }
    await anOutbox(service, url, slow).runOnce()
    await anOutbox(service, url).runOnce()
    assert.equal(received.length, 2) // the first one failed
  })
})

/** The outbox of another node, or of this one after a restart. */
function anOutbox(
  { context, clock }: TestApp,
  url: string,
  ephemeral: EphemeralStore = context.ephemeral,
): SafetyOutbox {
  const { reader } = context
  const channel = safetyChannel(url, SAFETY_SECRET, outbound({ allow_loopback: true }))
  return new SafetyOutbox({ registry: reader.registry, ephemeral, clock, channel })
}

/** Deletes the marks, as a crash of the machine would. */
async function marksGone({ context, ephemeralRows }: TestApp): Promise<void> {
  const marks = await ephemeralRows(`SELECT key FROM ephemeral WHERE kind = 'alert'`)
  for (const { key } of marks) await context.ephemeral.take('alert', String(key))
}
