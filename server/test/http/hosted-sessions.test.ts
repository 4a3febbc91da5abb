import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aDevice } from '@deputize/testing/a-device.ts'
import {
  type Answer,
  aTestApp,
  TEST_URL,
  type TestApp,
  type TestAppOptions,
} from '@deputize/testing/a-test-app.ts'
import { anActedEngine } from '@deputize/testing/an-acted-engine.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import { answerSteps, enrolled, type Post, SESSIONS } from '../a-capture.ts'
import { aHostedSession, hostedCalls } from '../a-hosted-session.ts'
import { aLateWriter, writingAfter } from '../a-late-writer.ts'
import { aKeyedApp, anAgent, type Client } from './a-keyed-app.ts'

const ALICE = { face: 1 }
const MALLORY = { face: 2 }
const CAPTURE = '/v1/vat/auth/capture'
const REQUEST = {
  agent_id: 'invoice-bot',
  resources: ['payments:invoices'],
  actions: ['pay'],
  constraints: { max_spend_usd: 20 },
}
const AGENT_JWK = { kty: 'OKP', crv: 'Ed25519', x: 'ebVWLo_mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ' }

function assertRefused({ status, body }: Answer, expected: number, code: string): void {
  assert.deepEqual({ status, code: body.code }, { status: expected, code }, JSON.stringify(body))
}

/** An enrolled person and a session prepared to verify them. */
async function aWorld(t: TestScope, body: object = { request: REQUEST }, options: TestAppOptions = {}) {
  const app = await aTestApp(t, { engine: anActedEngine(), l3_passkey: 'optional', ...options })
  const post: Post = (path, sent) => app.post(path, sent)
  const { human_ref } = await enrolled(post, app, ALICE)
  const prepared = await aHostedSession(post, { purpose: 'verify', human_ref, ...body })
  /** Answers the steps of an opened session and finishes it. */
  const captured = async (opened: Answer, acted: object = ALICE) => {
    assert.equal(opened.status, 200, JSON.stringify(opened.body))
    await answerSteps(post, app, opened.body, { ...ALICE, ...acted })
    const { session_id, nonce } = opened.body
    return post(CAPTURE, { session_id, nonce })
  }
  return { app, post, human_ref, prepared, captured, ...hostedCalls(post, prepared) }
}

describe('a prepared session', () => {
  test('reveals nothing before a device opens it, and has a link whose secret stays in the browser', async (t) => {
    const { prepared, app } = await aWorld(t)
    assert.deepEqual(Object.keys(prepared).sort(), [
      'client_token',
      'expires_at',
      'human_ref',
      'provider',
      'purpose',
      'session_id',
      'state',
      'url',
    ])
    const { pathname, search, hash, origin } = new URL(prepared.url)
    assert.equal(origin, app.context.public_url())
    assert.equal(pathname, `/verify-me/${prepared.session_id}`)
    assert.equal(search, '')
    assert.match(hash, /^#[\w-]{43}$/)
    assert.notEqual(hash, `#${prepared.client_token}`)
    const seen = await app.get(`${SESSIONS}/${prepared.session_id}`)
    assert.deepEqual(
      { state: seen.body.state, steps_total: seen.body.steps_total },
      { state: 'waiting', steps_total: 0 },
    )
  })

  test('gives the token to its caller once, and never to the device', async (t) => {
    const { open, captured, collect, watch, app, human_ref } = await aWorld(t)
    assertRefused(await collect(), 409, 'session_not_judged')
    const opened = await open()
    assertRefused(await collect(), 409, 'session_not_judged')
    const judged = await captured(opened)
    assert.equal(judged.body.passed, true)
    assert.equal(judged.body.token, undefined)
    const watched = await watch()
    assert.equal(watched.body.decision, 'pass')
    assert.equal(watched.body.can_open, false)
    const first = await collect()
    const { token, passed, verification_id } = first.body
    assert.equal(passed, true)
    assert.equal(token.claims.svc_human_ref, human_ref)
    assert.equal(token.claims.svc_assurance_level, 'L3')
    assert.equal(token.claims.svc_verification.id, verification_id)
    assert.deepEqual(token.claims.svc_constraints, { max_spend_usd: 20 })
    app.clock.advance(59_000)
    assert.deepEqual((await collect()).body, first.body)
    app.clock.advance(1_000)
    assertRefused(await collect(), 409, 'session_closed')
  })

  test('gives a token that asserts policies for recent verifications', async (t) => {
    const policy_assertions = ['HIPAA_L3', 'NIST_ZTA_L3']
    const request = { ...REQUEST, policy_assertions, agent_jwk: AGENT_JWK, expires_in: 3600 }
    const { open, captured, collect, app } = await aWorld(t, { request })
    await captured(await open())
    app.clock.advance(60_000)
    const { status, body } = await collect()
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(
      body.token.claims.svc_policy_assertions.map(({ framework }: { framework: string }) => framework),
      policy_assertions,
    )
  })

  test('gives a token that ends with its verification, however late it is collected', async (t) => {
    const { open, captured, collect, app } = await aWorld(t, { request: { ...REQUEST, expires_in: 28_800 } })
    await captured(await open())
    app.clock.advance(9 * 60_000)
    const { status, body } = await collect()
    assert.equal(status, 200, JSON.stringify(body))
    const { exp, svc_verification } = body.token.claims
    assert.equal(exp, svc_verification.verified_at + 28_800)
  })

  test('keeps its token for only ten minutes', async (t) => {
    const { open, captured, collect, app } = await aWorld(t)
    await captured(await open())
    app.clock.advance(10 * 60_000 + 1)
    assertRefused(await collect(), 409, 'session_closed')
  })

  test('accepts no token request from the device', async (t) => {
    const { open, post, app } = await aWorld(t)
    const { body } = await open()
    await answerSteps(post, app, body, ALICE)
    const { session_id, nonce } = body
    const asked = await post(CAPTURE, { session_id, nonce, ...REQUEST, actions: ['refund'] })
    assertRefused(asked, 400, 'invalid_request')
    assert.equal(asked.body.errors[0].pointer, '/agent_id')
    const approval = await post(`${SESSIONS}/${session_id}/passkey`, { nonce, approval_id: 'apr_1' })
    assertRefused(approval, 400, 'invalid_request')
  })

  test('without a token request is collected as a result', async (t) => {
    const { open, captured, collect } = await aWorld(t, {})
    await captured(await open())
    const { status, body } = await collect()
    assert.deepEqual(
      { status, passed: body.passed, token: body.token },
      { status: 200, passed: true, token: undefined },
    )
  })

  test('enrolls a person', async (t) => {
    const { post, app } = await aWorld(t)
    const prepared = await aHostedSession(post, { purpose: 'enroll', developer_email: 'bob@example.com' })
    const bob = hostedCalls(post, prepared)
    const preview = await bob.preview()
    assert.deepEqual(preview.body.consent, { version: '1', is_required: true })
    assertRefused(
      await bob.open({ client_token: prepared.client_token, consent: undefined }),
      403,
      'consent_required',
    )
    const opened = await bob.open()
    await answerSteps(post, app, opened.body, { face: 7 })
    const { session_id, nonce } = opened.body
    const judged = await post('/v1/vat/auth/enroll', { session_id, nonce })
    assert.equal(judged.body.enrolled, true, JSON.stringify(judged.body))
    assert.equal((await bob.watch()).body.decision, 'pass')
  })

  test('shows before it is opened who asks, for which agent, and what the agent may do', async (t) => {
    const { preview, transfer } = await aWorld(t, {
      request: { ...REQUEST, purpose: 'Pay \u202ethe invoices' },
      return_url: 'https://app.example.com/done?from=deputy',
      locale: 'de',
      accommodations: ['no_voice'],
    })
    const { body } = await preview()
    assert.equal(body.state, 'waiting')
    assert.equal(body.locale, 'de')
    assert.deepEqual(body.accommodations, ['no_voice'])
    assert.deepEqual(body.asked_by, { tenant_name: 'Default', is_person: false })
    assert.equal(body.return_url, 'https://app.example.com/done?from=deputy')
    assert.equal(body.request.agent_id, 'invoice-bot')
    assert.ok(
      body.sentences.some((one: string) => one.includes('“invoice-bot” may pay on payments:invoices')),
    )
    assert.ok(body.sentences.includes('Spends at most $20.00 in total.'))
    assert.ok(body.sentences.every((one: string) => !one.includes('\u202e')))
    const { transfer_code } = (await transfer()).body
    assert.deepEqual((await preview({ transfer_code })).body, body)
  })

  test('binds the passkey to the request that it was prepared with', async (t) => {
    const app = await aTestApp(t, { engine: anActedEngine() })
    const post: Post = (path, sent) => app.post(path, sent)
    const device = aDevice(TEST_URL)
    const enrolment = hostedCalls(
      post,
      await aHostedSession(post, { purpose: 'enroll', developer_email: 'dev@example.com' }),
    )
    const opened = (await enrolment.open()).body
    await answerSteps(post, app, opened, ALICE)
    const passkey = (body: object) => post(`${SESSIONS}/${opened.session_id}/passkey`, body)
    const { options } = (await passkey({ nonce: opened.nonce })).body
    const made = {
      session_id: opened.session_id,
      nonce: opened.nonce,
      passkey_registration: device.create(options),
    }
    const { human_ref } = (await post('/v1/vat/auth/enroll', made)).body
    const signed = async (request: object) => {
      const one = hostedCalls(post, await aHostedSession(post, { purpose: 'verify', human_ref, request }))
      const { session_id, nonce, step } = (await one.open()).body
      await answerSteps(post, app, { session_id, nonce, step }, ALICE)
      const challenge = await post(`${SESSIONS}/${session_id}/passkey`, { nonce })
      const bound = JSON.parse(challenge.body.bound_text)
      const judged = await post(CAPTURE, { session_id, nonce, passkey: device.get(challenge.body.options) })
      assert.equal(judged.body.passed, true, JSON.stringify(judged.body))
      return bound.request
    }
    const pay = await signed(REQUEST)
    assert.notEqual(await signed({ ...REQUEST, actions: ['refund'] }), pay)
    assert.equal(await signed(REQUEST), pay)
  })
})

/** The call with which a device opens a session. */
function callOf({ session_id }: { session_id: string }, body: object) {
  return { params: { id: session_id }, body: { consent: { version: '1' }, ...body } }
}

/** Calls that open a session while another call does. Once each has tried to claim the opening, they wait. */
function waitingOpenings(app: TestApp, sent: ReturnType<typeof callOf>, count: number) {
  const { promise: allWait, resolve } = Promise.withResolvers<void>()
  const waiting = new Set<number>()
  const opened = Array.from({ length: count }, (_, number) => {
    const call = writingAfter(app, (kind, way) => {
      if (kind === 'capture_claim' && way === 'add') waiting.add(number)
      if (waiting.size === count) resolve()
    })
    return call('openHostedSession', sent)
  })
  return { opened, areWaiting: Promise.race([allWait, Promise.all(opened)]) }
}

describe('the device of a prepared session', () => {
  test('is the first one that opens it', async (t) => {
    const { open, transfer } = await aWorld(t)
    const [one, other] = await Promise.all([open(), open()])
    assert.deepEqual([one.status, other.status].sort(), [200, 409])
    assert.equal([one, other].find(({ status }) => status === 409)?.body.code, 'session_taken')
    assertRefused(await open(), 409, 'session_taken')
    assert.equal((await transfer()).status, 201)
  })

  test('can start again with its nonce, and gets other steps', async (t) => {
    const { open, captured } = await aWorld(t)
    const first = (await open()).body
    assertRefused(await open({ nonce: 'x' }), 409, 'nonce_mismatch')
    const again = await open({ nonce: first.nonce })
    assert.equal(again.status, 200)
    assert.notEqual(again.body.nonce, first.nonce)
    assert.notEqual(again.body.step.step_id, first.step.step_id)
    assertRefused(await open({ nonce: first.nonce }), 409, 'nonce_mismatch')
    assert.equal((await captured(again)).body.passed, true)
  })

  test('can open it again with its key if the answer was lost, and no other device can', async (t) => {
    const { open, captured, preview, watch, prepared, app, post } = await aWorld(t)
    const { client_token, session_id } = prepared
    const device_key = 'k'.repeat(43)
    const lost = (await open({ client_token, device_key })).body
    assertRefused(await open(), 409, 'session_taken')
    assertRefused(await open({ client_token, device_key: 'x'.repeat(43) }), 409, 'session_taken')
    assertRefused(await open({ nonce: 'x'.repeat(43) }), 409, 'nonce_mismatch')
    // A reloaded page can read it, too.
    assert.equal((await preview({ nonce: device_key })).body.state, 'open')
    assert.equal((await watch({ nonce: device_key })).body.state, 'open')
    const again = await open({ client_token, device_key })
    assert.equal(again.status, 200)
    assert.notEqual(again.body.nonce, lost.nonce)
    // The key opens the session, but can't answer steps.
    const passkey = await post(`${SESSIONS}/${session_id}/passkey`, { nonce: device_key })
    assertRefused(passkey, 409, 'nonce_mismatch')
    app.clock.advance(180_000)
    const late = await open({ client_token, device_key })
    assert.equal((await captured(late)).body.passed, true)
    assertRefused(await open({ client_token, device_key }), 409, 'session_closed')
    assert.equal((await watch()).body.openings_left, 2)
  })

  test('gets the same capture if it repeats its call while the first is under way', async (t) => {
    const { open, app, captured, watch, transfer, prepared } = await aWorld(t)
    const { client_token } = prepared
    const repeated = async (body: object) => {
      const first = aLateWriter(app, 'capture_session')
      const opened = first.call('openHostedSession', callOf(prepared, body))
      await Promise.race([first.isWriting, opened])
      const others = waitingOpenings(app, callOf(prepared, body), 2)
      await others.areWaiting
      first.goOn()
      for (const other of await Promise.all(others.opened)) assert.deepEqual(other, await opened)
      return { status: 200, body: await opened } as Answer
    }
    const computer = await repeated({ client_token, device_key: 'k'.repeat(43) })
    assertRefused(await open({ client_token, device_key: 'x'.repeat(43) }), 409, 'session_taken')
    // The same when a capture is replaced, with a single-use code and with the nonce.
    const { transfer_code } = (await transfer()).body
    const phone = await repeated({ transfer_code, device_key: 'p'.repeat(43) })
    assert.notEqual(phone.body.nonce, computer.body.nonce)
    const again = await repeated({ nonce: phone.body.nonce, device_key: 'p'.repeat(43) })
    assert.equal((await captured(again)).body.passed, true)
    assert.equal((await watch()).body.openings_left, 2)
  })

  test('gets the stored capture if it repeats its call before the first has ended', async (t) => {
    const { open, app, prepared } = await aWorld(t)
    const body = { client_token: prepared.client_token, device_key: 'k'.repeat(43) }
    // Only the release of the claim is left then.
    const first = aLateWriter(app, 'capture_claim', ['replace'])
    const opened = first.call('openHostedSession', callOf(prepared, body))
    await Promise.race([first.isWriting, opened])
    const { body: repeated } = await open(body)
    first.goOn()
    assert.deepEqual(repeated, await opened)
  })

  test('can open it at most five times', async (t) => {
    const { open, watch, app } = await aWorld(t)
    let opened = await open()
    for (let opening = 2; opening <= 5; opening += 1) opened = await open({ nonce: opened.body.nonce })
    assert.equal(opened.status, 200)
    assertRefused(await open({ nonce: opened.body.nonce }), 409, 'session_closed')
    assert.equal((await watch()).body.openings_left, 0)
    app.clock.advance(180_000)
    assert.equal((await watch()).body.state, 'expired')
  })

  test('can try again after another face, and each capture is a separate verification', async (t) => {
    const { open, captured, watch, collect, app, prepared } = await aWorld(t)
    const { client_token } = prepared
    const failed = await captured(await open({ client_token, locale: 'de' }), MALLORY)
    assert.equal(failed.body.decision, 'fail')
    // The person sees the reasons in their language, the caller in English.
    assert.ok(failed.body.reasons.includes('Das Gesicht passt nicht zum registrierten.'))
    const { state, can_open, decision, reasons } = (await watch()).body
    assert.deepEqual({ state, can_open, decision }, { state: 'judged', can_open: true, decision: 'fail' })
    assert.ok(reasons.includes('The face does not match the enrolled one.'))
    assert.equal((await collect()).body.passed, false)
    const again = await open()
    assert.equal((await watch()).body.state, 'open')
    assert.equal((await watch()).body.verification_id, undefined)
    const passed = await captured(again)
    assert.equal(passed.body.decision, 'pass')
    assert.notEqual(passed.body.verification_id, failed.body.verification_id)
    for (const { body } of [failed, passed]) {
      const stored = await app.get(`/v1/vat/auth/verifications/${body.verification_id}`)
      assert.equal(stored.body.decision, body.decision)
      assert.equal(stored.body.session_id, prepared.session_id)
    }
    assert.equal((await collect()).body.verification_id, passed.body.verification_id)
    assertRefused(await open(), 409, 'session_closed')
  })

  test('has three minutes, after which the client token can open the session again', async (t) => {
    const { open, watch, captured, app, prepared } = await aWorld(t)
    const first = await open()
    app.clock.advance(180_000)
    const { state, can_open } = (await watch()).body
    assert.deepEqual({ state, can_open }, { state: 'waiting', can_open: true })
    const second = await open()
    assert.equal((await captured(second)).body.passed, true)
    assertRefused(await open({ nonce: first.body.nonce }), 409, 'nonce_mismatch')
    assert.equal((await app.get(`${SESSIONS}/${prepared.session_id}`)).body.state, 'judged')
  })
})

describe('a session that moves to a phone', () => {
  test('is opened there with a single-use code, and can be watched from the first device', async (t) => {
    const { transfer, open, preview, watch, captured, collect, prepared } = await aWorld(t)
    const code = await transfer()
    const { transfer_code, url } = code.body
    assert.equal(url, `${prepared.url.split('#')[0]}#t=${transfer_code}`)
    const phones = await Promise.all([open({ transfer_code }), open({ transfer_code })])
    assert.deepEqual(phones.map(({ status }) => status).sort(), [200, 409])
    assertRefused(await open({ transfer_code }), 409, 'session_taken')
    assertRefused(await preview({ transfer_code }), 409, 'session_taken')
    assertRefused(await open(), 409, 'session_taken')
    assertRefused(await transfer(), 409, 'session_taken')
    assert.equal((await watch()).body.is_moved, true)
    const phone = phones.find(({ status }) => status === 200)
    assert.ok(phone !== undefined)
    assert.equal((await captured(phone)).body.token, undefined)
    assert.equal((await collect()).body.token.claims.svc_assurance_level, 'L3')
  })

  test('can be opened there again with the key of the phone, although the code is used up', async (t) => {
    const { transfer, open, watch, captured, app, prepared } = await aWorld(t)
    const computer = { device_key: 'c'.repeat(43) }
    await open({ ...computer, client_token: prepared.client_token })
    const { transfer_code } = (await transfer()).body
    const device_key = 'k'.repeat(43)
    assert.equal((await open({ transfer_code, device_key })).status, 200)
    assertRefused(await open({ transfer_code, ...computer }), 409, 'session_taken')
    // The code has expired by then.
    app.clock.advance(120_000)
    const again = await open({ transfer_code, device_key })
    assert.equal(again.status, 200)
    assert.equal((await watch()).body.is_moved, true)
    assert.equal((await captured(again)).body.passed, true)
  })

  test('no longer accepts calls of the device that had opened it', async (t) => {
    const { transfer, open, captured, post } = await aWorld(t)
    const desktop = (await open()).body
    const { transfer_code } = (await transfer()).body
    const phone = await open({ transfer_code })
    const late = await post(`${SESSIONS}/${desktop.session_id}/passkey`, { nonce: desktop.nonce })
    assertRefused(late, 409, 'nonce_mismatch')
    assert.equal((await captured(phone)).body.passed, true)
  })

  test('needs the newest code of this session, which is valid for two minutes', async (t) => {
    const { transfer, open, preview, app, post, human_ref } = await aWorld(t)
    const old = (await transfer()).body.transfer_code
    const { transfer_code } = (await transfer()).body
    assertRefused(await open({ transfer_code: old }), 404, 'session_unknown')
    const other = hostedCalls(post, await aHostedSession(post, { purpose: 'verify', human_ref }))
    assertRefused(await other.open({ transfer_code }), 404, 'session_unknown')
    assertRefused(await other.preview({ transfer_code }), 404, 'session_unknown')
    assert.equal((await preview({ transfer_code })).status, 200)
    app.clock.advance(120_000)
    assertRefused(await open({ transfer_code }), 404, 'session_unknown')
  })

  test('can be watched and previewed with the nonce of its device until another device opens it', async (t) => {
    const { open, watch, preview, transfer, prepared } = await aWorld(t)
    const { client_token } = prepared
    const { nonce } = (await open()).body
    assert.equal((await watch({ nonce })).body.state, 'open')
    assertRefused(await watch({ nonce, client_token }), 400, 'invalid_request')
    assertRefused(await watch({}), 400, 'invalid_request')
    const { transfer_code } = (await transfer()).body
    const waiting = watch({ nonce, after: (await watch({ nonce })).body.version })
    const phone = (await open({ transfer_code })).body
    assertRefused(await waiting, 409, 'nonce_mismatch')
    assert.equal((await watch({ nonce: phone.nonce })).body.is_moved, true)
    assert.equal((await preview({ nonce: phone.nonce })).body.state, 'open')
    assertRefused(await preview({ nonce }), 409, 'nonce_mismatch')
  })

  test('cannot be collected or watched with the secrets of the phone as client token', async (t) => {
    const { transfer, open, captured, collect, watch } = await aWorld(t)
    const { transfer_code } = (await transfer()).body
    const phone = await open({ transfer_code })
    await captured(phone)
    for (const client_token of [transfer_code, phone.body.nonce]) {
      assertRefused(await collect({ client_token }), 404, 'session_unknown')
      assertRefused(await watch({ client_token }), 404, 'session_unknown')
    }
  })
})

describe('the link of a session', () => {
  test('can move, watch and cancel it, but not collect its result', async (t) => {
    const { transfer, open, preview, captured, collect, watch, cancel, prepared } = await aWorld(t)
    const link = { client_token: new URL(prepared.url).hash.slice(1) }
    assert.equal((await preview(link)).status, 200)
    const { transfer_code } = (await transfer(link)).body
    await captured(await open({ transfer_code }))
    assert.equal((await watch(link)).body.decision, 'pass')
    assertRefused(await collect(link), 404, 'session_unknown')
    assert.equal((await cancel(link)).body.state, 'judged')
    assert.equal((await collect()).body.token.claims.svc_assurance_level, 'L3')
  })
})

describe('watching', () => {
  test('answers at once without a version, and otherwise when the session has changed', async (t) => {
    const { watch, open, prepared } = await aWorld(t)
    const { client_token } = prepared
    const { version, state } = (await watch()).body
    assert.equal(state, 'waiting')
    const waiting = watch({ client_token, after: version })
    const opened = await open()
    assert.equal(opened.status, 200)
    const changed = (await waiting).body
    assert.equal(changed.state, 'open')
    assert.notEqual(changed.version, version)
    assert.equal((await watch({ client_token, after: version })).body.version, changed.version)
  })
})

describe('a session that ends', () => {
  test('can be cancelled by its caller after it is opened', async (t) => {
    const { cancel, open, watch, transfer, collect, prepared, app } = await aWorld(t)
    const { transfer_code } = (await transfer()).body
    const opened = (await open()).body
    assertRefused(await cancel({ client_token: 'x' }), 404, 'session_unknown')
    assert.deepEqual((await cancel()).body, { session_id: prepared.session_id, state: 'cancelled' })
    assert.equal((await cancel()).body.state, 'cancelled')
    for (const body of [{ client_token: prepared.client_token }, { transfer_code }, { nonce: opened.nonce }])
      assertRefused(await open(body), 409, 'session_closed')
    assertRefused(await transfer(), 409, 'session_closed')
    assertRefused(await collect(), 409, 'session_closed')
    app.clock.advance(14 * 60_000)
    assert.equal((await watch()).body.state, 'cancelled')
  })

  test('can be cancelled by the person on the device, permanently', async (t) => {
    const { cancel, open, watch } = await aWorld(t)
    const { nonce } = (await open()).body
    assert.equal((await cancel({ nonce })).body.state, 'cancelled')
    assert.equal((await watch()).body.state, 'cancelled')
    assertRefused(await open(), 409, 'session_closed')
  })

  test('is cancelled when the person withdraws their consent', async (t) => {
    const { app, human_ref, watch, post } = await aWorld(t)
    await aHostedSession(post, { purpose: 'verify', human_ref })
    const { body } = await app.delete(`/v1/vat/auth/biometrics/${human_ref}`)
    assert.equal(body.cancelled_sessions, 2)
    assert.equal((await watch()).body.state, 'cancelled')
  })

  test('gives no token when the person withdrew their consent before it was collected', async (t) => {
    const { app, human_ref, open, captured, collect } = await aWorld(t)
    await captured(await open())
    await app.delete(`/v1/vat/auth/biometrics/${human_ref}`)
    const { status, body } = await collect()
    assert.ok(status >= 400, JSON.stringify(body))
  })

  test('expires after the requested time, and is forgotten later', async (t) => {
    const { app, open, watch, collect } = await aWorld(t, { request: REQUEST, expires_in: 60 })
    app.clock.advance(60_000)
    assert.equal((await watch()).body.state, 'expired')
    assertRefused(await open(), 409, 'session_closed')
    assertRefused(await collect(), 409, 'session_closed')
    app.clock.advance(14 * 60_000)
    assertRefused(await watch(), 404, 'session_unknown')
  })

  test('stays judged until it is forgotten, however long it could have waited', async (t) => {
    const { app, open, captured, watch } = await aWorld(t, { expires_in: 3600 })
    await captured(await open())
    app.clock.advance(50 * 60_000)
    const { state, decision, can_open } = (await watch()).body
    assert.deepEqual({ state, decision, can_open }, { state: 'judged', decision: 'pass', can_open: false })
    assertRefused(await open(), 409, 'session_closed')
  })
})

describe('preparing a session', () => {
  test('refuses a request that could never be issued, and members that conflict', async (t) => {
    const { post, human_ref } = await aWorld(t)
    const refused = async (body: object, pointer: string) => {
      const answer = await post(`${SESSIONS}/hosted`, { purpose: 'verify', human_ref, ...body })
      assertRefused(answer, 400, 'invalid_request')
      assert.equal(answer.body.errors[0].pointer, pointer, JSON.stringify(answer.body))
    }
    await refused(
      { request: { ...REQUEST, audience: 'a', constraints: { allowed_audiences: ['b'] } } },
      '/audience',
    )
    await refused({ request: { agent_id: 'x' } }, '/request/resources')
    await refused({ purpose: 'enroll', request: REQUEST }, '/request')
    await refused({ purpose: 'enroll', approval_id: 'apr_1' }, '/approval_id')
    await refused({ expires_in: 59 }, '/expires_in')
    await refused({ expires_in: 3601 }, '/expires_in')
    const unknown = await post(`${SESSIONS}/hosted`, { purpose: 'verify', human_ref, provider: 'nobody' })
    assertRefused(unknown, 403, 'provider_not_allowed')
  })

  test('and opening it are refused if the token could not be issued now', async (t) => {
    const { app, post, human_ref, open } = await aWorld(t)
    const refused = async (request: object, status: number, code: string) => {
      const answer = await post(`${SESSIONS}/hosted`, { purpose: 'verify', human_ref, request })
      assertRefused(answer, status, code)
    }
    const resources = Array.from({ length: 60 }, (_, index) => `long:${index}${'x'.repeat(150)}`)
    await refused({ ...REQUEST, resources }, 400, 'invalid_request')
    const elsewhere = { verification_providers: ['acme-idv'] }
    await refused({ ...REQUEST, constraints: elsewhere }, 403, 'provider_not_allowed')
    await refused({ ...REQUEST, policy_assertions: ['NIST_ZTA'] }, 403, 'policy_unmet')
    await post('/v1/vat/issue/l1', anIssueRequest({ agent_id: REQUEST.agent_id }))
    const agent = `/v1/vat/agents/${REQUEST.agent_id}`
    await post(`${agent}/suspend`, {})
    await refused(REQUEST, 403, 'token_not_live')
    assertRefused(await open(), 403, 'token_not_live')
    await post(`${agent}/resume`, {})
    await post(`/v1/vat/humans/${human_ref}/refuse`, {})
    await refused(REQUEST, 403, 'human_refuses')
    await post(`/v1/vat/humans/${human_ref}/accept`, {})
    const { status, body } = await open()
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal((await app.get(`${SESSIONS}/${body.session_id}`)).body.state, 'open')
  })

  test('for an approval requires one that the person decides, and shows what they approve', async (t) => {
    const app = await aTestApp(t, { engine: anActedEngine(), l3_passkey: 'optional' })
    const post: Post = (path, sent) => app.post(path, sent)
    const asked = async (developer_email: string) => {
      const { constraints: _, ...scope } = REQUEST
      const issued = await post('/v1/vat/issue/l1', {
        ...scope,
        developer_email,
        constraints: { require_approval: { actions: ['pay'] } },
      })
      const request = { action: 'pay', resource: 'payments:invoices', spend_usd: 20 }
      const { body } = await post('/v1/vat/authorize', { vat_jti: issued.body.jti, ...request })
      assert.match(body.approval_id, /^apr_/)
      return body.approval_id
    }
    const alice = { developer_email: 'alice@example.com' }
    await enrolled(post, app, ALICE, alice)
    const others = await asked('bob@example.com')
    for (const approval_id of [others, 'apr_unknown']) {
      const answer = await post(`${SESSIONS}/hosted`, { purpose: 'verify', ...alice, approval_id })
      assertRefused(answer, 404, 'approval_unknown')
    }
    const approval_id = await asked('alice@example.com')
    const prepared = await aHostedSession(post, { purpose: 'verify', ...alice, approval_id })
    const { body } = await hostedCalls(post, prepared).preview()
    assert.deepEqual(body.sentences, ['Approve: “invoice-bot” may pay payments:invoices for $20.00.'])
    const both = await aHostedSession(post, { purpose: 'verify', ...alice, approval_id, request: REQUEST })
    const { sentences } = (await hostedCalls(post, both).preview()).body
    assert.match(sentences[0], /^Issue a token:/)
    assert.equal(sentences.at(-1), body.sentences[0])
  })

  test('returns people only to https sites that the operator names, and in open mode to this machine', async (t) => {
    const { post, human_ref } = await aWorld(t, {}, { widget_origins: ['https://app.example.com'] })
    const returned = (return_url: string) =>
      post(`${SESSIONS}/hosted`, { purpose: 'verify', human_ref, return_url })
    for (const url of ['https://app.example.com/done', 'http://localhost:3000/', 'http://127.0.0.1/'])
      assert.equal((await returned(url)).status, 201, url)
    for (const url of [
      'https://evil.example.com/',
      'http://app.example.com/',
      'javascript:alert(1)',
      `blob:${TEST_URL}/7f1e`,
      'https://user:pass@app.example.com/',
      '//app.example.com/',
      'app.example.com',
    ])
      assertRefused(await returned(url), 400, 'invalid_request')
  })
})

describe('several nodes', () => {
  test('share a session: it is prepared, opened, judged and collected on different nodes', async (t) => {
    // The other nodes use the stores of the first, so it closes last.
    const cleanings: (() => unknown)[] = []
    t.after(async () => {
      for (const clean of cleanings) await clean()
    })
    const scope = { after: (clean: () => unknown) => void cleanings.unshift(clean) } as TestScope // all that apps use
    const { app, post, prepared, human_ref } = await aWorld(scope)
    const nodes = []
    for (let node = 0; node < 2; node += 1)
      nodes.push(await aTestApp(scope, { node_of: app, engine: anActedEngine(), l3_passkey: 'optional' }))
    const [second, third] = nodes
    assert.ok(second !== undefined && third !== undefined)
    const there: Post = (path, body) => second.post(path, body)
    const elsewhere: Post = (path, body) => third.post(path, body)
    const { transfer_code } = (await hostedCalls(post, prepared).transfer()).body
    const both = await Promise.all([
      hostedCalls(there, prepared).open({ transfer_code }),
      hostedCalls(elsewhere, prepared).open({ transfer_code }),
    ])
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409])
    const opened = both.find(({ status }) => status === 200)?.body
    await answerSteps(there, app, opened, ALICE)
    const { session_id, nonce } = opened
    assert.equal((await elsewhere(CAPTURE, { session_id, nonce })).body.passed, true)
    const { token } = (await hostedCalls(post, prepared).collect()).body
    assert.equal(token.claims.svc_human_ref, human_ref)
    assert.equal((await hostedCalls(there, prepared).collect()).body.token.jti, token.jti)
  })
})

describe('a prepared session in keyed mode', () => {
  test('shows the name of the calling key, and limits guesses of its secret', async (t) => {
    const keyed = await aKeyedApp(t, { engine: anActedEngine(), l3_passkey: 'optional' })
    const developer = keyed.withKey(await keyed.key('default', 'developer', { name: 'Invoice service' }))
    const { body } = await developer.post(`${SESSIONS}/hosted`, { purpose: 'enroll' })
    const at = `${SESSIONS}/${body.session_id}`
    const seen = await keyed.anonymous.post(`${at}/preview`, { client_token: body.client_token })
    assert.deepEqual(seen.body.asked_by, {
      tenant_name: 'Default',
      name: 'Invoice service',
      is_person: false,
    })
    const guesses: number[] = []
    for (let guess = 0; guess <= 60; guess += 1) {
      const call = guess % 2 === 0 ? { client_token: `x${guess}` } : { transfer_code: `x${guess}` }
      guesses.push((await keyed.anonymous.post(`${at}/open`, call)).status)
    }
    assert.equal(guesses[0], 404)
    assert.equal(guesses.at(-1), 429)
  })

  test('is refused for an agent of someone else, and without a key where tokens need one', async (t) => {
    const keyed = await aKeyedApp(t, { engine: anActedEngine(), l3_passkey: 'optional' })
    const developerOf = async () => keyed.withKey(await keyed.key('default', 'developer'))
    const [owner, other] = [await developerOf(), await developerOf()]
    const alice = { developer_email: 'alice@example.com' }
    const agent_id = 'owned-bot'
    await anAgent(keyed, owner, { ...alice, agent_id })
    await enrolled((path, body) => other.post(path, body), keyed.test, ALICE, alice)
    const prepare = (caller: Client, request: object) =>
      caller.post(`${SESSIONS}/hosted`, { purpose: 'verify', ...alice, request })
    const bound = { ...REQUEST, agent_jwk: AGENT_JWK }
    assertRefused(await prepare(other, { ...bound, agent_id }), 409, 'agent_taken')
    assertRefused(await prepare(other, REQUEST), 403, 'key_required')
    assert.equal((await prepare(other, bound)).status, 201)
    assert.equal((await prepare(owner, { ...bound, agent_id })).status, 201)
  })

  test("accepts an approval only of its caller's tenant", async (t) => {
    const keyed = await aKeyedApp(t, { engine: anActedEngine(), l3_passkey: 'optional' })
    await keyed.operator.post('/v1/vat/tenants', { tenant_id: 'acme' })
    const developerOf = async (tenant_id: string) => keyed.withKey(await keyed.key(tenant_id, 'developer'))
    const [own, other] = [await developerOf('default'), await developerOf('acme')]
    const alice = { developer_email: 'alice@example.com' }
    const agent = await anAgent(keyed, own, { ...alice, constraints: { require_approval: {} } })
    const { body } = await agent.client.post('/v1/vat/authorize', {
      vat_jti: agent.jti,
      action: 'read',
      resource: 'calendar:events',
    })
    const asked = { purpose: 'verify', ...alice, approval_id: body.approval_id }
    assertRefused(await other.post(`${SESSIONS}/hosted`, asked), 404, 'approval_unknown')
    await aHostedSession((path, sent) => own.post(path, sent), asked)
  })

  test('counts failures for a person who is not enrolled, and does not reveal that to the developer', async (t) => {
    const keyed = await aKeyedApp(t, { engine: anActedEngine(), l3_passkey: 'optional' })
    const developer = keyed.withKey(await keyed.key('default', 'developer'))
    const post: Post = (path, body) => developer.post(path, body)
    const stranger = { purpose: 'verify', developer_email: 'stranger@example.com' }
    const prepared = await aHostedSession(post, stranger)
    const { open } = hostedCalls(post, prepared)
    const left: number[] = []
    for (let opening = 1; opening <= 3; opening += 1) {
      const opened = (await open()).body
      left.push(opened.attempts_left)
      await answerSteps(post, keyed.test, opened, ALICE)
      const { session_id, nonce } = opened
      assert.equal((await post(CAPTURE, { session_id, nonce })).body.decision, 'fail')
    }
    assert.deepEqual(left, [5, 4, 3])
  })
})
