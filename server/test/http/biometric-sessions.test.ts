import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EngineError } from '@deputize/biometrics'
import { aDevice } from '@deputize/testing/a-device.ts'
import {
  type Answer,
  aTestApp,
  TEST_URL,
  type TestApp,
  type TestAppOptions,
} from '@deputize/testing/a-test-app.ts'
import { actedRecording, anActedEngine } from '@deputize/testing/an-acted-engine.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import { LOCAL_CALLER } from '../../src/access/caller.ts'
import type { EphemeralKind } from '../../src/store/ephemeral.ts'
import {
  aCapture,
  aCaptureSession,
  answerSteps,
  enrolled,
  letTimePass,
  type Post,
  SESSIONS,
} from '../a-capture.ts'
import { aLateWriter, writingAfter } from '../a-late-writer.ts'
import { callerOf } from '../some-callers.ts'

const ALICE = { face: 1 }
const MALLORY = { face: 2 }
const CAPTURE = '/v1/vat/auth/capture'
const TOKEN = { agent_id: 'calendar-bot', resources: ['calendar:events'], actions: ['read', 'delegate'] }

async function anApp(t: TestScope, options: TestAppOptions = {}) {
  const engine = anActedEngine()
  const app = await aTestApp(t, { engine, l3_passkey: 'optional', ...options })
  const post: Post = (path, body) => app.post(path, body)
  return { app, engine, post }
}

function assertRefused({ status, body }: Answer, expected: number, code: string): void {
  assert.deepEqual({ status, code: body.code }, { status: expected, code }, JSON.stringify(body))
}

/** The first step of a new enrolment. */
async function aFirstStep(t: TestScope) {
  const world = await anApp(t)
  const session = await aCaptureSession(world.post, { purpose: 'enroll' })
  const path = `${SESSIONS}/${session.session_id}/steps`
  const { nonce, step } = session
  const answer = (changes: object = {}, acted: object = ALICE) =>
    world.post(path, { nonce, ...actedRecording(step, { ...ALICE, ...acted }), ...changes })
  return { ...world, session, path, nonce, step, answer }
}

describe('a capture', () => {
  test('verifies an enrolled person and issues a token of trust 0.95', async (t) => {
    const { app, post } = await anApp(t)
    const { human_ref, enrolled: isEnrolled } = await enrolled(post, app, ALICE)
    assert.equal(isEnrolled, true)
    const judged = await post(CAPTURE, { ...(await aCapture(post, app, human_ref, ALICE)), ...TOKEN })
    const { passed, decision, trust_score, assurance_level, token, verification_id } = judged.body
    assert.deepEqual(
      { passed, decision, trust_score, assurance_level },
      { passed: true, decision: 'pass', trust_score: 0.95, assurance_level: 'L3' },
    )
    const { claims } = token
    assert.equal(claims.svc_trust_score, 0.95)
    assert.equal(claims.exp - claims.iat, 3600)
    assert.equal(claims.svc_human_ref, human_ref)
    assert.equal(claims.svc_verification.id, verification_id)
    assert.equal(claims.svc_verification.provider, 'builtin')
    assert.ok(claims.svc_verification.methods.includes('face_liveness'))
    const child = await post('/v1/vat/delegate', { vat_jti: token.jti, agent_id: 'helper-bot' })
    assert.equal(child.status, 201)
    const acted = await post('/v1/vat/authorize', {
      vat_jti: child.body.jti,
      action: 'read',
      resource: 'calendar:events',
    })
    assert.equal(acted.body.trust_score, 0.855)
  })

  test('has the same ref as an L1 token for the same address', async (t) => {
    const { app, post } = await anApp(t)
    const developer_email = 'dev@example.com'
    const { human_ref } = await enrolled(post, app, ALICE, { developer_email })
    const l1 = await post('/v1/vat/issue/l1', { developer_email, ...TOKEN })
    assert.equal(l1.body.claims.svc_human_ref, human_ref)
  })

  test('of another face does not pass, counts as an attempt and issues no token', async (t) => {
    const { app, post } = await anApp(t)
    const { human_ref } = await enrolled(post, app, ALICE)
    const judged = await post(CAPTURE, { ...(await aCapture(post, app, human_ref, MALLORY)), ...TOKEN })
    assert.equal(judged.status, 200)
    const { passed, decision, token, attempts_left, assurance_level } = judged.body
    assert.deepEqual(
      { passed, decision, token, attempts_left, assurance_level },
      { passed: false, decision: 'fail', token: undefined, attempts_left: 4, assurance_level: undefined },
    )
  })

  test('answers a repeated call with the same decision and token, and a different call with 409', async (t) => {
    const { app, post } = await anApp(t)
    const { human_ref } = await enrolled(post, app, ALICE)
    const body = { ...(await aCapture(post, app, human_ref, ALICE)), ...TOKEN }
    const first = await post(CAPTURE, body)
    assert.deepEqual((await post(CAPTURE, body)).body, first.body)
    const other = await post(CAPTURE, { ...body, actions: ['write'] })
    assertRefused(other, 409, 'session_closed')
    app.clock.advance(3600_000)
    const later = await post(CAPTURE, body)
    assert.equal(later.body.decision, 'pass')
    assert.equal(later.body.token, undefined)
    assertRefused(await post(CAPTURE, { ...body, nonce: 'x' }), 404, 'session_unknown')
  })

  test('issues a token that asserts a policy for recent verifications', async (t) => {
    const { app, post } = await anApp(t)
    const { human_ref } = await enrolled(post, app, ALICE)
    const body = { ...(await aCapture(post, app, human_ref, ALICE)), ...TOKEN }
    const { body: answer } = await post(CAPTURE, { ...body, policy_assertions: ['HIPAA_L3'] })
    assert.equal(answer.token?.claims.svc_policy_assertions[0].framework, 'HIPAA_L3', JSON.stringify(answer))
  })

  test('accepts the recording of the last step in the same call', async (t) => {
    const { app, post } = await anApp(t)
    const session = await aCaptureSession(post, { purpose: 'enroll' })
    const { session_id, nonce } = session
    let { step } = session
    while (step.index + 1 < session.steps_total) {
      letTimePass(app, step)
      const answer = await post(`${SESSIONS}/${session_id}/steps`, { nonce, ...actedRecording(step, ALICE) })
      step = answer.body.step
    }
    letTimePass(app, step)
    const last = actedRecording(step, ALICE)
    const body = { session_id, nonce, ...last }
    const judged = await post('/v1/vat/auth/enroll', body)
    assert.equal(judged.body.enrolled, true, JSON.stringify(judged.body))
    assert.deepEqual((await post('/v1/vat/auth/enroll', body)).body, judged.body)
  })

  test('is refused before all steps are answered, and stays open', async (t) => {
    const { post, session } = await aFirstStep(t)
    const { session_id, nonce } = session
    const early = await post('/v1/vat/auth/enroll', { session_id, nonce })
    assertRefused(early, 409, 'step_mismatch')
    assert.equal(early.body.step_id, session.step.step_id)
  })

  test('for verify does not finish an enrolment', async (t) => {
    const { app, post } = await anApp(t)
    const session = await aCaptureSession(post, { purpose: 'enroll' })
    await answerSteps(post, app, session, ALICE)
    const { session_id, nonce } = session
    assertRefused(await post(CAPTURE, { session_id, nonce }), 400, 'invalid_request')
  })

  test('is refused before it is judged if its token cannot be issued', async (t) => {
    const { app, post } = await anApp(t)
    const { human_ref } = await enrolled(post, app, ALICE)
    const capture = await aCapture(post, app, human_ref, ALICE)
    const constraints = { expires_at: '2020-01-01T00:00:00.000Z' }
    assertRefused(await post(CAPTURE, { ...capture, ...TOKEN, constraints }), 400, 'invalid_request')
    assertRefused(await post(CAPTURE, { ...capture, agent_id: 'calendar-bot' }), 400, 'invalid_request')
    await post('/v1/vat/issue/l1', anIssueRequest({ agent_id: TOKEN.agent_id }))
    await post(`/v1/vat/agents/${TOKEN.agent_id}/suspend`, {})
    assertRefused(await post(CAPTURE, { ...capture, ...TOKEN }), 403, 'token_not_live')
    await post(`/v1/vat/agents/${TOKEN.agent_id}/resume`, {})
    assert.equal((await post(CAPTURE, { ...capture, ...TOKEN })).body.passed, true)
  })
})

describe('an enrolment', () => {
  test('of an enrolled person must match the first one', async (t) => {
    const { app, post } = await anApp(t)
    const { human_ref } = await enrolled(post, app, ALICE)
    const stolen = await enrolled(post, app, MALLORY, { human_ref })
    assert.deepEqual(
      { enrolled: stolen.enrolled, decision: stolen.decision },
      { enrolled: false, decision: 'fail' },
    )
    assert.equal((await enrolled(post, app, ALICE, { human_ref })).enrolled, true)
    const judged = await post(CAPTURE, await aCapture(post, app, human_ref, ALICE))
    assert.equal(judged.body.passed, true)
  })

  test('needs consent to the current text', async (t) => {
    const { post } = await anApp(t)
    assertRefused(await post(SESSIONS, { purpose: 'enroll' }), 403, 'consent_required')
    const old = await post(SESSIONS, { purpose: 'enroll', consent: { version: '0' } })
    assertRefused(old, 403, 'consent_required')
  })

  test('succeeds once if two are finished at once for one person', async (t) => {
    const { app, post } = await anApp(t)
    const developer_email = 'dev@example.com'
    const sessions = []
    for (const acted of [ALICE, MALLORY]) {
      const session = await aCaptureSession(post, { purpose: 'enroll', developer_email })
      await answerSteps(post, app, session, acted)
      sessions.push(session)
    }
    const [first, second] = await Promise.all(
      sessions.map(({ session_id, nonce }) => post('/v1/vat/auth/enroll', { session_id, nonce })),
    )
    const won = [first, second].filter((answer) => answer?.body.enrolled === true)
    assert.equal(won.length, 1, JSON.stringify([first?.body, second?.body]))
  })

  test('leaves no template if the person withdraws while it is judged', async (t) => {
    const { app, post } = await anApp(t)
    const developer_email = 'dev@example.com'
    await post('/v1/vat/issue/l1', { developer_email, ...TOKEN })
    const session = await aCaptureSession(post, { purpose: 'enroll', developer_email })
    await answerSteps(post, app, session, ALICE)
    const path = `/v1/vat/auth/biometrics/${session.human_ref}`
    const { clerk } = app.context
    const submit: typeof clerk.submit = async (command, lane) => {
      if (command.kind === 'register' && command.entry_kind === 'biometric' && lane === undefined)
        assert.equal((await app.delete(path)).body.cancelled_sessions, 1)
      return clerk.submit(command, lane)
    }
    const call = callerOf({ context: { ...app.context, clerk: { ...clerk, submit } } }, LOCAL_CALLER)
    const { session_id, nonce } = session
    await assert.rejects(call('enroll', { body: { session_id, nonce } }), { code: 'session_closed' })
    assert.equal((await app.get(path)).body.enrolled, false)
  })
})

/** Runs operations, and erases the person the first time that an entry of this kind is written. */
function erasing(app: TestApp, human_ref: string, kind: EphemeralKind) {
  let isErased = false
  return writingAfter(app, async (written) => {
    if (written !== kind || isErased) return
    isErased = true
    assert.equal((await app.delete(`/v1/vat/humans/${human_ref}`)).status, 200)
  })
}

describe('a person who is erased during a call', () => {
  test('leaves no evidence of a step that is being answered', async (t) => {
    const { app, post } = await anApp(t)
    const { human_ref } = await enrolled(post, app, ALICE)
    const { session_id, nonce, step } = await aCaptureSession(post, { purpose: 'verify', human_ref })
    letTimePass(app, step)
    const body = { nonce, ...actedRecording(step, ALICE) }
    const call = erasing(app, human_ref, 'capture_evidence')
    await assert.rejects(call('answerStep', { params: { id: session_id }, body }), { code: 'session_closed' })
    assert.equal(await app.context.ephemeral.get('capture_evidence', session_id), undefined)
  })

  test('gets no token for a capture that is being judged', async (t) => {
    const { app, post } = await anApp(t)
    const { human_ref } = await enrolled(post, app, ALICE)
    const body = { ...(await aCapture(post, app, human_ref, ALICE)), ...TOKEN }
    const call = erasing(app, human_ref, 'capture_session')
    await assert.rejects(call('capture', { body }), { code: 'session_closed' })
    assert.equal(
      (await app.get(`/v1/vat/tokens?human_ref=${encodeURIComponent(human_ref)}`)).body.data.length,
      0,
    )
  })
})

describe('a step', () => {
  test('is answered once; the same recording again gets the same answer', async (t) => {
    const { app, step, answer, engine } = await aFirstStep(t)
    letTimePass(app, step)
    const first = await answer()
    assert.equal(first.body.accepted, true)
    assert.deepEqual((await answer()).body, first.body)
    assert.equal(engine.analysed, 1)
    const other = await answer({ frames: [{ t_ms: 0, jpeg: 'AAAA' }] })
    assertRefused(other, 409, 'step_mismatch')
    assert.equal(other.body.step_id, first.body.step.step_id)
  })

  test('of an earlier session is not accepted in another', async (t) => {
    const { app, post, step, answer, nonce } = await aFirstStep(t)
    letTimePass(app, step)
    await answer()
    const other = await aCaptureSession(post, { purpose: 'enroll' })
    const replayed = await post(`${SESSIONS}/${other.session_id}/steps`, {
      nonce,
      ...actedRecording(step, ALICE),
    })
    assertRefused(replayed, 409, 'nonce_mismatch')
  })

  test('with the wrong nonce or an unknown session is refused', async (t) => {
    const { app, post, step, answer } = await aFirstStep(t)
    letTimePass(app, step)
    assertRefused(await answer({ nonce: 'wrong' }), 409, 'nonce_mismatch')
    const unknown = await post(`${SESSIONS}/vs_${'0'.repeat(36)}/steps`, {
      nonce: 'x',
      ...actedRecording(step, ALICE),
    })
    assertRefused(unknown, 404, 'session_unknown')
  })

  test('out of order is refused and names the one that is due', async (t) => {
    const { app, step, answer } = await aFirstStep(t)
    letTimePass(app, step)
    const ahead = await answer({ step_id: 'st_2' })
    assertRefused(ahead, 409, 'step_mismatch')
    assert.equal(ahead.body.step_id, 'st_1')
  })

  test('that arrives before its recording can have been made is refused and stays due', async (t) => {
    const { app, step, answer } = await aFirstStep(t)
    assertRefused(await answer(), 409, 'answer_early')
    app.clock.advance(step.duration_ms)
    assertRefused(await answer(), 409, 'answer_early')
    app.clock.advance(250)
    assert.equal((await answer()).body.accepted, true)
  })

  test('that arrives after answer_by is refused', async (t) => {
    const { app, step, answer } = await aFirstStep(t)
    app.clock.advance(Date.parse(step.answer_by) - app.clock() + 1)
    assertRefused(await answer(), 409, 'answer_late')
  })

  test('uploaded twice at once is judged once', async (t) => {
    const { app, step, answer, engine } = await aFirstStep(t)
    letTimePass(app, step)
    const { promise, resolve } = Promise.withResolvers<void>()
    engine.hold(promise)
    const { frames } = actedRecording(step, ALICE)
    const uploads = [answer(), answer({ frames: frames.slice(1) }), answer({ device: {} })]
    await Promise.race(uploads) // one that lost: the winner waits for the engine
    resolve()
    const answers = await Promise.all(uploads)
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    for (const loser of answers.filter(({ status }) => status !== 200))
      assertRefused(loser, 409, 'step_mismatch')
    assert.equal(engine.analysed, 1)
  })

  test('of poor quality is repeated twice with a new task, then accepted', async (t) => {
    const { app, post, session, path, nonce } = await aFirstStep(t)
    const dark = { ...ALICE, quality: ['too_dark'] as const }
    let { step } = session
    for (const accepted of [false, false, true]) {
      letTimePass(app, step)
      const answer = await post(path, { nonce, ...actedRecording(step, dark) })
      assert.equal(answer.body.accepted, accepted)
      assert.deepEqual(
        answer.body.reasons.map(({ code }: { code: string }) => code),
        accepted ? [] : ['too_dark'],
      )
      assert.notEqual(answer.body.step.step_id, step.step_id)
      if (!accepted) assert.equal(answer.body.step.kind, step.kind)
      step = answer.body.step
    }
    await answerSteps(post, app, { ...session, step }, ALICE)
    const judged = await post('/v1/vat/auth/enroll', { session_id: session.session_id, nonce })
    assert.equal(judged.body.decision, 'retry')
    assert.equal(judged.body.attempts_left, 5)
  })

  test('that arrived in time while the engine was busy can be sent again later, unlike a different one', async (t) => {
    const { app, step, answer, engine } = await aFirstStep(t)
    letTimePass(app, step)
    engine.failNext(new EngineError('busy', 'The engine is busy.', { retry_after_s: 7 }))
    const busy = await answer()
    assertRefused(busy, 503, 'engine_busy')
    assert.equal(busy.headers['retry-after'], '7')
    app.clock.advance(30_000)
    assertRefused(await answer({ device: {} }), 409, 'answer_late')
    assert.equal((await answer()).body.accepted, true)
  })

  for (const [code, detail, retry_after_s] of [
    ['unavailable', 'The verification engine fails repeatedly. See the log.', 30],
    ['crashed', 'The step could not be judged. Take it again.', undefined],
  ] as const)
    test(`that an installed engine cannot judge (${code}) is refused with its reason, and can be sent again`, async (t) => {
      const { app, step, answer, engine } = await aFirstStep(t)
      letTimePass(app, step)
      engine.failNext(new EngineError(code, detail, { retry_after_s }))
      const refused = await answer()
      assertRefused(refused, 503, 'engine_unavailable')
      assert.equal(refused.body.detail, detail)
      assert.deepEqual(refused.body.engine, { state: 'ready', engine_version: 'acted-1' })
      assert.equal(refused.headers['retry-after'], String(retry_after_s ?? 1))
      assert.equal((await answer()).body.accepted, true)
    })

  test('that is judged for longer than its claim overwrites nothing that another call has stored', async (t) => {
    const { app, post, session, step, answer, engine } = await aFirstStep(t)
    const { session_id, nonce } = session
    letTimePass(app, step)
    const second = (await answer()).body.step
    letTimePass(app, second)
    engine.failNext(new EngineError('busy', 'The engine is busy.', { retry_after_s: 7 }))
    const body = { nonce, ...actedRecording(second, ALICE) }
    assertRefused(await post(`${SESSIONS}/${session_id}/steps`, body), 503, 'engine_busy')
    const { call, isWriting, goOn } = aLateWriter(app, 'capture_evidence')
    const late = call('answerStep', { params: { id: session_id }, body })
    await Promise.race([isWriting, late])
    app.clock.advance(61_000)
    const { body: taken } = await post(`${SESSIONS}/${session_id}/steps`, body)
    assert.equal(taken.accepted, true, JSON.stringify(taken))
    await answerSteps(post, app, { ...session, step: taken.step }, ALICE)
    goOn()
    await assert.rejects(late, { code: 'step_mismatch' })
    const judged = await post('/v1/vat/auth/enroll', { session_id, nonce })
    assert.equal(judged.body.enrolled, true, JSON.stringify(judged.body))
  })

  test('that cannot be read is refused with the frame, and stays due', async (t) => {
    const { app, step, answer, engine } = await aFirstStep(t)
    letTimePass(app, step)
    engine.failNext(new EngineError('bad_media', 'This is not a JPEG.', { pointer: '/frames/3/jpeg' }))
    const refused = await answer()
    assertRefused(refused, 422, 'media_invalid')
    assert.equal(refused.body.errors[0].pointer, '/frames/3/jpeg')
    assert.equal((await answer()).body.accepted, true)
  })

  test('may be larger than other bodies', async (t) => {
    const { app, post, step, path, nonce, engine } = await aFirstStep(t)
    letTimePass(app, step)
    engine.failNext(new EngineError('bad_media', 'This is not a JPEG.'))
    const jpeg = 'A'.repeat(3 * 1024 * 1024)
    const large = { nonce, step_id: step.step_id, frames: [{ t_ms: 0, jpeg }] }
    assertRefused(await post(path, large), 422, 'media_invalid')
    assertRefused(await post('/v1/vat/issue/l1', { purpose: jpeg }), 413, 'body_too_large')
    const huge = { ...large, frames: [{ t_ms: 0, jpeg: 'A'.repeat(9 * 1024 * 1024) }] }
    assertRefused(await post(path, huge), 413, 'body_too_large')
  })
})

describe('a verification session', () => {
  test('shows its state and never its nonce or its steps', async (t) => {
    const { app, post } = await anApp(t)
    const { session_id, nonce } = await aCaptureSession(post, { purpose: 'enroll' })
    const open = await app.get(`${SESSIONS}/${session_id}`)
    assert.equal(open.body.state, 'open')
    assert.equal(JSON.stringify(open.body).includes(nonce), false)
    assert.equal('step' in open.body, false)
    app.clock.advance(180_000)
    assert.equal((await app.get(`${SESSIONS}/${session_id}`)).body.state, 'expired')
    app.clock.advance(600_000)
    assertRefused(await app.get(`${SESSIONS}/${session_id}`), 404, 'session_unknown')
  })

  test('that is cancelled stores nothing of a step that is being judged', async (t) => {
    const { app, post, session, step, answer, engine } = await aFirstStep(t)
    letTimePass(app, step)
    const { promise, resolve } = Promise.withResolvers<void>()
    engine.hold(promise)
    const upload = answer()
    const { session_id, nonce } = session
    const cancelled = await post(`${SESSIONS}/${session_id}/cancel`, { nonce })
    assert.equal(cancelled.body.state, 'cancelled')
    resolve()
    assertRefused(await upload, 409, 'session_closed')
    assert.equal((await app.get(`${SESSIONS}/${session_id}`)).body.state, 'cancelled')
    const rows = await app.ephemeralRows("SELECT * FROM ephemeral WHERE kind = 'capture_evidence'")
    assert.equal(rows.length, 0)
  })

  test('uses the requested language', async (t) => {
    const { post } = await anApp(t)
    const { step } = await aCaptureSession(post, { purpose: 'enroll', locale: 'de' })
    assert.equal(step.prompt, 'Schauen Sie gerade in die Kamera.')
  })

  test('is refused with a hint while the engine is off', async (t) => {
    const app = await aTestApp(t)
    const refused = await app.post(SESSIONS, { purpose: 'enroll', consent: { version: '1' } })
    assertRefused(refused, 503, 'engine_unavailable')
    assert.deepEqual(refused.body.engine, { state: 'off' })
    assertRefused(await app.post('/v1/vat/auth/engine/install', {}), 503, 'engine_unavailable')
    assert.equal((await app.get('/v1/vat/auth/engine')).body.state, 'off')
  })

  test('can be started on one node and finished on another', async (t) => {
    const cleanings: (() => unknown)[] = []
    t.after(async () => {
      for (const clean of cleanings) await clean()
    })
    const scope = { after: (clean: () => unknown) => void cleanings.unshift(clean) } as TestScope
    const { app, post } = await anApp(scope)
    const other = await aTestApp(scope, { node_of: app, engine: anActedEngine(), l3_passkey: 'optional' })
    let turn = 0
    const balanced: Post = (path, body) => (turn++ % 2 === 0 ? post(path, body) : other.post(path, body))
    const { human_ref } = await enrolled(balanced, app, ALICE)
    const body = { ...(await aCapture(balanced, app, human_ref, ALICE)), ...TOKEN }
    const judged = await Promise.all([post(CAPTURE, body), other.post(CAPTURE, body)])
    const passed = judged.filter(({ status }) => status === 200)
    assert.ok(passed.length >= 1)
    const again = await other.post(CAPTURE, body)
    assert.equal(again.body.passed, true)
    for (const answer of passed) assert.deepEqual(answer.body, again.body)
  })
})

describe('failed attempts', () => {
  test('lock only verification, for longer each time', async (t) => {
    const { app, post } = await anApp(t)
    const { human_ref } = await enrolled(post, app, ALICE)
    for (let left = 4; left >= 0; left--) {
      const judged = await post(CAPTURE, await aCapture(post, app, human_ref, MALLORY))
      assert.equal(judged.body.attempts_left, left)
    }
    const locked = await post(SESSIONS, { purpose: 'verify', human_ref })
    assertRefused(locked, 429, 'verification_locked')
    assert.equal(locked.headers['retry-after'], '60')
    assert.equal((await post('/v1/vat/revoke/human', { human_ref })).status, 200)
    app.clock.advance(60_000)
    await post(CAPTURE, await aCapture(post, app, human_ref, MALLORY))
    const longer = await post(SESSIONS, { purpose: 'verify', human_ref })
    assert.equal(longer.headers['retry-after'], '120')
    app.clock.advance(120_000)
    assert.equal((await post(CAPTURE, await aCapture(post, app, human_ref, ALICE))).body.passed, true)
    assert.equal((await aCaptureSession(post, { purpose: 'verify', human_ref })).attempts_left, 5)
  })

  test('also count in sessions that were opened before the lock', async (t) => {
    const { app, post } = await anApp(t)
    const { human_ref } = await enrolled(post, app, ALICE)
    const captures = []
    for (let i = 0; i < 3; i++) captures.push(await aCapture(post, app, human_ref, MALLORY))
    for (let i = 0; i < 3; i++) await post(CAPTURE, await aCapture(post, app, human_ref, MALLORY))
    const [fourth, fifth, sixth] = captures
    assert.ok(fourth !== undefined && fifth !== undefined && sixth !== undefined)
    assert.equal((await post(CAPTURE, fourth)).status, 200)
    assert.equal((await post(CAPTURE, fifth)).status, 200)
    assertRefused(await post(CAPTURE, sixth), 429, 'verification_locked')
  })

  test('are counted one by one in captures that are judged at once', async (t) => {
    const { app, post } = await anApp(t)
    const { human_ref } = await enrolled(post, app, ALICE)
    for (let i = 0; i < 3; i++) await post(CAPTURE, await aCapture(post, app, human_ref, MALLORY))
    const captures: object[] = []
    for (let i = 0; i < 4; i++) captures.push(await aCapture(post, app, human_ref, MALLORY))
    const answered: number[] = []
    while (captures.length > 0) {
      const round = captures.splice(0)
      const answers = await Promise.all(round.map((body) => post(CAPTURE, body)))
      // A capture that had to wait is sent again.
      captures.push(...round.filter((_, index) => answers[index]?.status === 503))
      answered.push(...answers.map(({ status }) => status).filter((status) => status !== 503))
    }
    assert.deepEqual(answered.sort(), [200, 200, 429, 429])
  })
})

describe('the passkey of a capture', () => {
  test('signs the recordings and the requested token', async (t) => {
    const { app, post } = await anApp(t, { l3_passkey: 'required' })
    const device = aDevice(TEST_URL)
    const session = await aCaptureSession(post, { purpose: 'enroll' })
    assert.equal(session.passkey_required, true)
    await answerSteps(post, app, session, ALICE)
    const { session_id, nonce, human_ref } = session
    assertRefused(await post('/v1/vat/auth/enroll', { session_id, nonce }), 403, 'passkey_required')
    const created = await post(`${SESSIONS}/${session_id}/passkey`, { nonce })
    assert.equal(created.body.ceremony, 'create')
    const passkey_registration = device.create(created.body.options)
    const enrolment = await post('/v1/vat/auth/enroll', { session_id, nonce, passkey_registration })
    assert.equal(enrolment.body.enrolled, true, JSON.stringify(enrolment.body))

    const capture = await aCapture(post, app, human_ref, ALICE)
    assertRefused(await post(CAPTURE, { ...capture, ...TOKEN }), 403, 'passkey_required')
    const named = { nonce: capture.nonce, ...TOKEN }
    const challenge = await post(`${SESSIONS}/${capture.session_id}/passkey`, named)
    assert.equal(challenge.body.ceremony, 'get')
    const passkey = device.get(challenge.body.options)
    const wider = { ...TOKEN, resources: ['payments:all'] }
    assertRefused(await post(CAPTURE, { ...capture, ...wider, passkey }), 403, 'passkey_refused')
    const judged = await post(CAPTURE, { ...capture, ...TOKEN, passkey })
    assert.equal(judged.body.passed, true, JSON.stringify(judged.body))
  })

  test('of a kind that the tenant does not accept is refused before a face is compared, and can be replaced', async (t) => {
    const { app, post } = await anApp(t)
    const { human_ref } = await enrolled(post, app, ALICE)
    const accept = (passkey_aaguids: readonly string[]) =>
      app.app.inject({ method: 'PATCH', url: '/v1/vat/tenants/default', payload: { passkey_aaguids } })
    assert.equal((await accept(['11111111-1111-1111-1111-111111111111'])).statusCode, 200)
    for (const acted of [MALLORY, ALICE]) {
      const session = await aCaptureSession(post, { purpose: 'enroll', human_ref })
      await answerSteps(post, app, session, acted)
      const { session_id, nonce } = session
      const { body } = await post(`${SESSIONS}/${session_id}/passkey`, { nonce })
      const passkey_registration = aDevice(TEST_URL).create(body.options)
      const finish = () => post('/v1/vat/auth/enroll', { session_id, nonce, passkey_registration })
      const refused = await finish()
      assertRefused(refused, 403, 'passkey_refused')
      assert.equal(refused.body.reason, 'authenticator')
      if (acted === MALLORY) continue
      assert.equal((await accept([])).statusCode, 200)
      const { body: judged } = await finish()
      assert.deepEqual([judged.enrolled, judged.attempts_left], [true, 5], JSON.stringify(judged))
    }
  })

  test('replaces a step that the person cannot do', async (t) => {
    const { app, post } = await anApp(t)
    const { human_ref } = await enrolled(post, app, ALICE)
    const session = await aCaptureSession(post, {
      purpose: 'verify',
      human_ref,
      accommodations: ['no_voice'],
    })
    assert.equal(session.passkey_required, true)
    const answers = await answerSteps(post, app, session, ALICE)
    assert.equal(answers.length, 6)
    const { session_id, nonce } = session
    assertRefused(await post(CAPTURE, { session_id, nonce }), 403, 'passkey_required')
  })
})
