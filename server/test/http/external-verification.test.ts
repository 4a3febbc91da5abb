import assert from 'node:assert/strict'
import { request } from 'node:http'
import { describe, test } from 'node:test'
import { type Answer, aTestApp, type TestApp, type TestAppOptions } from '@deputize/testing/a-test-app.ts'
import { anActedEngine } from '@deputize/testing/an-acted-engine.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { type HttpClient, httpClient } from '@deputize/testing/http-client.ts'
import { aStripeServer } from '@deputize/testing/idv/a-stripe-server.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import { ExternalDesk } from '../../src/operations/external/external-desk.ts'
import { templateOf } from '../../src/operations/identity/biometric-entries.ts'
import { sandboxSecrets, sandboxSignature } from '../../src/verification/external/sandbox.ts'
import { aCapture, enrolled, type Post } from '../a-capture.ts'
import { aHostedSession, hostedCalls } from '../a-hosted-session.ts'

const SANDBOX = { name: 'sandbox', kind: 'sandbox', level: 'L3' }
const LOW = { name: 'sandbox-low', kind: 'sandbox', level: 'L2' }
const PERSON = { developer_email: 'alice@example.com' }
const REQUEST = { agent_id: 'invoice-bot', resources: ['payments:invoices'], actions: ['pay', 'delegate'] }
const CAPTURE = '/v1/vat/auth/capture'
const CALLBACK = '/v1/vat/auth/providers/sandbox/callback'

function assertRefused({ status, body }: Answer, expected: number, code: string): void {
  assert.deepEqual({ status, code: body.code }, { status: expected, code }, JSON.stringify(body))
}

interface Served {
  readonly app: TestApp
  readonly client: HttpClient
  readonly post: Post
  readonly url: string
}

/** A service that listens on a socket, because its providers call it there. */
async function aServed(t: TestScope, options: TestAppOptions = {}): Promise<Served> {
  const app = await aTestApp(t, { l3_passkey: 'optional', idv: { providers: [SANDBOX, LOW] }, ...options })
  const url = await app.listen()
  const client = httpClient(t, url)
  return { app, client, url, post: (path, body) => client.post(path, body) }
}

/** A prepared and opened session, with the further calls of the person, the caller and the provider. */
async function anOpenedCheck({ post, client, url }: Served, body: object = {}) {
  const prepared = await aHostedSession(post, {
    purpose: 'verify',
    ...PERSON,
    provider: 'sandbox',
    request: REQUEST,
    ...body,
  })
  const calls = hostedCalls(post, prepared)
  const opened = await calls.open()
  assert.equal(opened.status, 200, JSON.stringify(opened.body))
  const { session_id, nonce, redirect_url } = opened.body
  const page = String(redirect_url).slice(url.length)
  return {
    ...calls,
    opened: opened.body,
    page,
    external_id: page.split('/').at(-1) ?? '',
    finish: (more: object = {}) => post(CAPTURE, { session_id, nonce, ...more }),
    /** What the person does on the page of the sandbox, as a browser sends it. */
    choose: (status: string) =>
      client.post(page, `status=${status}`, { 'content-type': 'application/x-www-form-urlencoded' }),
    /** Waits until the provider's callback was processed. */
    told: (status: string) =>
      eventually(`the session says ${status}`, async () => {
        const { body } = await calls.watch()
        return body.provider_status === status
      }),
  }
}

type Opened = Awaited<ReturnType<typeof anOpenedCheck>>

async function aVerifiedCheck(served: Served, body: object = {}) {
  const check = await anOpenedCheck(served, body)
  await check.choose('passed')
  await check.told('pass')
  const judged = await check.finish()
  assert.equal(judged.body.passed, true, JSON.stringify(judged.body))
  const collected = await check.collect()
  assert.equal(collected.status, 200, JSON.stringify(collected.body))
  return { ...check, judged: judged.body, token: collected.body.token }
}

async function isRevoked({ client }: Served, { compact_jwt }: { compact_jwt: string }): Promise<boolean> {
  const { body } = await client.post('/v1/vat/verify', { compact_jwt })
  return body.valid === false
}

/** Waits until the provider has withdrawn the verification, and returns it. */
function withdrawn({ client }: Served, { verification_id }: { verification_id: string }) {
  return eventually('the verification is withdrawn', async () => {
    const { body } = await client.get(`/v1/vat/auth/verifications/${verification_id}`)
    return body.withdrawn_at === undefined ? undefined : body
  })
}

describe('a person who is verified by an external provider', () => {
  test('gets a token that names the provider and has its level', async (t) => {
    const served = await aServed(t)
    const check = await anOpenedCheck(served)
    assert.equal(check.opened.provider, 'sandbox')
    assert.equal(check.opened.step, undefined)
    assertRefused(await check.finish(), 409, 'verification_pending')
    const shown = await served.client.get(check.page)
    assert.match(shown.body, /Nobody is verified here/)
    const { version } = (await check.watch()).body
    await check.choose('passed')
    const { client_token } = check.opened
    assert.equal(client_token, undefined)
    await check.told('pass')
    assert.notEqual((await check.watch()).body.version, version)
    const judged = await check.finish()
    assert.deepEqual(
      {
        passed: judged.body.passed,
        provider: judged.body.provider,
        level: judged.body.assurance_level,
        methods: judged.body.modalities.map(({ name }: { name: string }) => name),
        token: judged.body.token,
      },
      { passed: true, provider: 'sandbox', level: 'L3', methods: ['document', 'liveness'], token: undefined },
    )
    const { claims } = (await check.collect()).body.token
    assert.equal(claims.svc_assurance_level, 'L3')
    assert.deepEqual(
      { provider: claims.svc_verification.provider, methods: claims.svc_verification.methods },
      { provider: 'sandbox', methods: ['document', 'liveness'] },
    )
  })

  test('gets a lower level from a provider with a lower maximum', async (t) => {
    const served = await aServed(t)
    const { token, judged } = await aVerifiedCheck(served, { provider: 'sandbox-low' })
    assert.equal(judged.assurance_level, 'L2')
    assert.equal(token.claims.svc_assurance_level, 'L2')
    assert.equal(token.claims.svc_verification.provider, 'sandbox-low')
  })

  test('gets no token after a failure or an expired check, and may try again', async (t) => {
    const served = await aServed(t)
    const failed = await anOpenedCheck(served)
    await failed.choose('failed')
    const judged = await failed.finish()
    assert.deepEqual(
      { status: judged.status, passed: judged.body.passed, decision: judged.body.decision },
      { status: 200, passed: false, decision: 'fail' },
    )
    assert.equal((await failed.collect()).body.token, undefined)
    const again = await failed.open()
    assert.notEqual(again.body.redirect_url, failed.opened.redirect_url)
    const expired = await anOpenedCheck(served)
    await expired.choose('expired')
    assert.equal((await expired.finish()).body.decision, 'retry')
  })

  test('waits while the provider reviews manually, and continues after its decision', async (t) => {
    const served = await aServed(t)
    const check = await anOpenedCheck(served)
    await check.choose('in_review')
    await check.told('review')
    const waiting = await check.finish()
    assertRefused(waiting, 409, 'verification_pending')
    assert.equal(waiting.body.provider_status, 'review')
    await check.choose('passed')
    await check.told('pass')
    assert.equal((await check.finish()).body.passed, true)
  })

  test('changes their sign of coercion only with a verification that could carry it', async (t) => {
    const served = await aServed(t, { engine: anActedEngine() })
    const { app, post } = served
    const { human_ref, verification_id } = await enrolled(post, app, { face: 1 }, PERSON)
    const change = async (method: 'PUT' | 'DELETE', proof: string) => {
      const body = { human_ref, verification_id: proof }
      const query = method === 'DELETE' ? `?${new URLSearchParams(body)}` : ''
      const payload = method === 'DELETE' ? undefined : { ...body, word: 'butterfly', contacts: ['Ada'] }
      const answer = await fetch(`${served.url}/v1/vat/auth/duress${query}`, {
        method,
        ...(payload !== undefined && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(payload),
        }),
      })
      return answer.status
    }
    const signOf = async () =>
      (await templateOf({ tenant_id: 'default', human_ref }, app.context))?.document.duress
    assert.equal(await change('PUT', verification_id), 200)
    const sign = await signOf()
    const { judged } = await aVerifiedCheck(served)
    assert.equal(judged.human_ref, human_ref)
    assert.deepEqual(
      [await change('PUT', judged.verification_id), await change('DELETE', judged.verification_id)],
      [403, 403],
    )
    assert.equal(await signOf(), sign)
    assert.equal(await change('DELETE', verification_id), 200)
    assert.notEqual(await signOf(), sign)
  })

  test('keeps their token if they withdraw their consent to the built-in engine', async (t) => {
    const served = await aServed(t, { engine: anActedEngine() })
    const { app, post, url } = served
    const { human_ref } = await enrolled(post, app, { face: 1 }, PERSON)
    const own = await aCapture(post, app, human_ref, { face: 1 })
    const { token: ended } = (await post(CAPTURE, { ...own, ...REQUEST })).body
    const { token: kept } = await aVerifiedCheck(served)
    assert.equal(kept.claims.svc_human_ref, human_ref)
    const deleted = await fetch(`${url}/v1/vat/auth/biometrics/${human_ref}`, { method: 'DELETE' })
    assert.equal(((await deleted.json()) as { revoked_count: number }).revoked_count, 1)
    assert.deepEqual([await isRevoked(served, ended), await isRevoked(served, kept)], [true, false])
  })

  test('needs a passkey if the deployment requires one', async (t) => {
    const served = await aServed(t, { l3_passkey: 'required' })
    const check = await anOpenedCheck(served)
    assert.equal(check.opened.passkey_required, true)
    await check.choose('passed')
    assertRefused(await check.finish(), 403, 'passkey_required')
    assertRefused(await check.collect(), 409, 'session_not_judged')
  })

  test('loses the root token and everything below it when the provider withdraws its decision', async (t) => {
    const notices: string[] = []
    const served = await aServed(t, { onLog: (line) => notices.push(line) })
    const check = await aVerifiedCheck(served)
    const child = await served.client.post('/v1/vat/delegate', {
      vat_jti: check.token.jti,
      agent_id: 'helper-bot',
      resources: ['payments:invoices'],
      actions: ['pay'],
    })
    assert.equal(child.status, 201, JSON.stringify(child.body))
    await check.choose('taken_back')
    await eventually('the token is revoked', () => isRevoked(served, check.token))
    assert.equal(await isRevoked(served, child.body), true)
    assert.equal((await withdrawn(served, check.judged)).passed, true)
    const leaves = (await served.app.leafTexts()).filter((leaf) => leaf.includes('"token.revoked"'))
    assert.equal(leaves.length, 1)
    assert.match(leaves[0] ?? '', /reason_digest/)
    assert.equal((await withdrawals(served)).length, 1, 'the trust graph is told once')
    assert.ok(notices.some((line) => line.includes('withdrew a decision')))
  })

  test('gets no token if the verification is withdrawn before the token is collected', async (t) => {
    const served = await aServed(t)
    const check = await anOpenedCheck(served)
    await check.choose('passed')
    await check.told('pass')
    const { body } = await check.finish()
    assert.equal(body.passed, true)
    await check.choose('taken_back')
    await withdrawn(served, body)
    assertRefused(await check.collect(), 409, 'verification_withdrawn')
  })
})

/** The leaves that end the verification of a person in the trust graph. */
async function withdrawals({ app }: Served): Promise<string[]> {
  return (await app.leafTexts()).filter((leaf) => leaf.includes('"withdraws":"L3"'))
}

describe('a check that is withdrawn', () => {
  test('ends nothing in the trust graph if its person never confirmed it', async (t) => {
    const served = await aServed(t)
    const check = await anOpenedCheck(served)
    await check.choose('passed')
    await check.told('pass')
    await check.choose('taken_back')
    await check.told('withdrawn')
    assert.deepEqual(await withdrawals(served), [])
    const { body } = await check.finish()
    assert.equal(body.passed, false)
    assert.equal((await check.collect()).body.token, undefined)
  })
})

describe('callbacks', () => {
  const signed = (served: Served, body: string, at_ms = served.app.clock(), secret?: string) => {
    const { derivedSecret } = served.app.context.external.parts
    const { callbacks } = sandboxSecrets({ name: 'sandbox', derivedSecret })
    return { 'sandbox-signature': sandboxSignature(secret ?? callbacks, body, at_ms) }
  }
  const event = ({ external_id }: Opened, event_id = 'evt_1') =>
    JSON.stringify({ event_id, id: external_id, type: 'check.passed' })

  test('need a signature by the provider over the exact bytes, with a time within five minutes', async (t) => {
    const served = await aServed(t)
    const check = await anOpenedCheck(served)
    const body = event(check)
    const { client, app } = served
    assertRefused(await client.post(CALLBACK, body), 401, 'callback_refused')
    const wrong = signed(served, body, app.clock(), 'another secret')
    assertRefused(await client.post(CALLBACK, body, wrong), 401, 'callback_refused')
    assertRefused(await client.post(CALLBACK, `${body} `, signed(served, body)), 401, 'callback_refused')
    const old = signed(served, body, app.clock() - 301_000)
    assertRefused(await client.post(CALLBACK, body, old), 401, 'callback_refused')
    const early = signed(served, body, app.clock() + 301_000)
    assertRefused(await client.post(CALLBACK, body, early), 401, 'callback_refused')
    assert.equal((await client.post(CALLBACK, body, signed(served, body))).status, 200)
    const elsewhere = '/v1/vat/auth/providers/nobody/callback'
    assertRefused(await client.post(elsewhere, body, signed(served, body)), 404, 'provider_unknown')
  })

  test('are refused if they are signed twice or for another provider', async (t) => {
    const served = await aServed(t)
    const check = await anOpenedCheck(served)
    const body = event(check)
    const header = signed(served, body)['sandbox-signature']
    const twice = await new Promise<number>((resolve, reject) => {
      const sent = request(`${served.url}${CALLBACK}`, { method: 'POST' }, (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      })
      sent.on('error', reject)
      sent.setHeader('content-type', 'application/json')
      sent.setHeader('sandbox-signature', [header, header])
      sent.end(body)
    })
    assert.equal(twice, 401)
    const low = '/v1/vat/auth/providers/sandbox-low/callback'
    assertRefused(
      await served.client.post(low, body, { 'sandbox-signature': header }),
      401,
      'callback_refused',
    )
  })

  test('that claim a pass change nothing if the provider reports something else', async (t) => {
    const served = await aServed(t)
    const check = await anOpenedCheck(served)
    const body = event(check)
    assert.equal((await served.client.post(CALLBACK, body, signed(served, body))).status, 200)
    assertRefused(await check.finish(), 409, 'verification_pending')
    await check.choose('failed')
    const late = event(check, 'evt_2')
    await served.client.post(CALLBACK, late, signed(served, late))
    assert.equal((await check.finish()).body.decision, 'fail')
  })

  test('that are repeated, late or about unknown checks are accepted and do nothing', async (t) => {
    const served = await aServed(t)
    const check = await aVerifiedCheck(served)
    const size = await served.app.logSize()
    for (const id of ['evt_7', 'evt_7', 'evt_8']) {
      const body = event(check, id)
      assert.equal((await served.client.post(CALLBACK, body, signed(served, body))).status, 200)
    }
    const unknown = JSON.stringify({ event_id: 'evt_9', id: 'sbx_nobody' })
    assert.equal((await served.client.post(CALLBACK, unknown, signed(served, unknown))).status, 200)
    assert.equal((await check.collect()).status, 200)
    assert.equal(await served.app.logSize(), size)
  })

  test('that are larger than a provider would send are refused unread', async (t) => {
    const served = await aServed(t)
    const huge = JSON.stringify({ event_id: 'x'.repeat(300 * 1024) })
    assertRefused(await served.client.post(CALLBACK, huge, signed(served, huge)), 413, 'body_too_large')
  })

  test('for one event at two nodes revoke once', async (t) => {
    // The second node uses the stores of the first, so it closes first.
    const cleanings: (() => unknown)[] = []
    t.after(async () => {
      for (const clean of cleanings) await clean()
    })
    const scope = { after: (clean: () => unknown) => void cleanings.unshift(clean) } as TestScope // all that apps use
    const served = await aServed(scope)
    const idv = { providers: [SANDBOX, LOW] }
    const second = await aTestApp(scope, {
      node_of: served.app,
      l3_passkey: 'optional',
      idv,
      public_url: served.url,
    })
    const check = await aVerifiedCheck(served)
    const desks = [served.app.context, second.context].map((context) => new ExternalDesk(context))
    await check.choose('taken_back')
    await Promise.all(desks.map((desk) => desk.runOnce()))
    await eventually('the token is revoked', () => isRevoked(served, check.token))
    const revoked = (await served.app.leafTexts()).filter((leaf) => leaf.includes('"token.revoked"'))
    assert.equal(revoked.length, 1)
  })
})

describe('a provider that is unavailable', () => {
  async function aWorldWithStripe(t: TestScope) {
    const stripe = await aStripeServer(t)
    const entry = { ...stripe.entry, name: 'id-check', kind: 'stripe', level: 'L3' }
    const secrets = Object.fromEntries(stripe.secrets)
    const served = await aServed(t, { idv: { providers: [SANDBOX, entry], secrets } })
    return { stripe, served }
  }
  const prepared = ({ post }: Served) =>
    aHostedSession(post, { purpose: 'verify', ...PERSON, provider: 'id-check', request: REQUEST })

  test('is reported as a 503 with its name and a retry time, and nothing is lost', async (t) => {
    const { stripe, served } = await aWorldWithStripe(t)
    const session = await prepared(served)
    const calls = hostedCalls(served.post, session)
    stripe.instead = () => ({ status: 500, body: { error: { message: '<script>alert(1)</script>' } } })
    const away = await calls.open()
    assertRefused(away, 503, 'provider_unavailable')
    assert.equal(away.body.provider, 'id-check')
    assert.doesNotMatch(JSON.stringify(away.body), /script/)
    assert.ok(Number(away.headers['retry-after']) > 0)
    stripe.instead = undefined
    const { body: opened } = await calls.open()
    stripe.decide(await externalId(served), 'pass')
    stripe.instead = () => ({ status: 429, headers: { 'retry-after': '7' } })
    const { session_id, nonce } = opened
    const limited = await served.post(CAPTURE, { session_id, nonce })
    assertRefused(limited, 503, 'provider_unavailable')
    assert.equal(limited.body.reason, 'rate_limited')
    stripe.instead = undefined
    assert.equal((await served.post(CAPTURE, { session_id, nonce })).body.passed, true)
  })

  test('is polled if no callback arrives, and not again once it has decided', async (t) => {
    const { stripe, served } = await aWorldWithStripe(t)
    const calls = hostedCalls(served.post, await prepared(served))
    await calls.open()
    stripe.decide(await externalId(served), 'pass')
    const desk = new ExternalDesk(served.app.context)
    const asked = () => stripe.calls.filter(({ method }) => method === 'GET').length
    await desk.runOnce()
    assert.equal(asked(), 0)
    served.app.clock.advance(5_000)
    await desk.runOnce()
    await eventually('the decision is known', async () => {
      const { body } = await calls.watch()
      return body.provider_status === 'pass'
    })
    const before = asked()
    await desk.runOnce()
    assert.equal(asked(), before)
  })

  test('deletes an erased person once it is back, even after a restart', async (t) => {
    const { stripe, served } = await aWorldWithStripe(t)
    const { body: opened } = await hostedCalls(served.post, await prepared(served)).open()
    const external_id = await externalId(served)
    stripe.decide(external_id, 'pass')
    const { session_id, nonce, human_ref } = opened
    assert.equal((await served.post(CAPTURE, { session_id, nonce })).body.passed, true)
    stripe.instead = () => ({ status: 503 })
    assert.equal((await served.client.delete(`/v1/vat/humans/${human_ref}`)).status, 200)
    const orders = async () =>
      (await served.app.reader.registry.list('redaction', {}, { limit: 10, before: undefined })).entries
    await new ExternalDesk(served.app.context).runOnce()
    assert.equal((await orders()).length, 1)
    assert.doesNotMatch(JSON.stringify(await orders()), new RegExp(human_ref))
    stripe.instead = undefined
    await eventually('the provider has deleted it', async () => {
      served.app.clock.advance(60_000)
      await new ExternalDesk(served.app.context).runOnce()
      return stripe.isRedacted(external_id)
    })
    await eventually('the order is gone', async () => (await orders()).length === 0)
  })

  test('cannot redirect people to a hostile address', async (t) => {
    const { stripe, served } = await aWorldWithStripe(t)
    const calls = hostedCalls(served.post, await prepared(served))
    for (const url of ['javascript:alert(1)', 'http://evil.example/', 'https://user:pass@evil.example/']) {
      stripe.instead = () => ({
        status: 200,
        body: { id: 'vs_1', object: 'identity.verification_session', client_secret: 'x', url },
      })
      const { status, body } = await calls.open()
      assert.ok(status === 503 || body.redirect_url === undefined, JSON.stringify(body))
    }
  })
})

/** The provider's ID of the newest check. */
async function externalId({ app }: Served): Promise<string> {
  const page = { limit: 1, before: undefined }
  const { entries } = await app.reader.registry.list('external_check', {}, page)
  return JSON.parse(entries[0]?.document ?? '{}').external_id
}

describe('a tenant', () => {
  test('verifies people only with the providers that it allows', async (t) => {
    const served = await aServed(t)
    const { client, post } = served
    const patch = (body: object) =>
      fetch(`${served.url}/v1/vat/tenants/default`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    assert.equal((await patch({ verification: { providers: ['nobody'] } })).status, 400)
    const outside = { providers: ['sandbox'], default: 'sandbox-low' }
    assert.equal((await patch({ verification: outside })).status, 400)
    assert.equal((await patch({ verification: { providers: ['sandbox'] } })).status, 200)
    const body = { purpose: 'verify', ...PERSON }
    const refused = await post('/v1/vat/auth/sessions/hosted', { ...body, provider: 'sandbox-low' })
    assertRefused(refused, 403, 'provider_not_allowed')
    assert.deepEqual(refused.body.providers, ['sandbox'])
    assertRefused(await post('/v1/vat/auth/sessions', body), 403, 'provider_not_allowed')
    const chosen = await aHostedSession(post, body)
    assert.equal(chosen.provider, 'sandbox')
    const listed = await client.get('/v1/vat/auth/providers')
    assert.deepEqual(
      listed.body.data.map(({ name, kind }: { name: string; kind: string }) => ({ name, kind })),
      [{ name: 'sandbox', kind: 'sandbox' }],
    )
    assert.equal((await patch({ verification: null })).status, 200)
    assert.equal((await aHostedSession(post, { ...body, provider: 'sandbox-low' })).provider, 'sandbox-low')
  })

  test('can require a provider for a token and the tokens below it', async (t) => {
    const served = await aServed(t)
    const constraints = { verification_providers: ['sandbox'] }
    const l1 = await served.post('/v1/vat/issue/l1', { ...PERSON, ...REQUEST, constraints })
    assertRefused(l1, 403, 'provider_not_allowed')
    const { token } = await aVerifiedCheck(served, { request: { ...REQUEST, constraints } })
    assert.deepEqual(token.claims.svc_constraints, constraints)
    const wider = await served.post('/v1/vat/delegate', {
      vat_jti: token.jti,
      agent_id: 'helper-bot',
      resources: ['payments:invoices'],
      actions: ['pay'],
      constraints: { verification_providers: ['sandbox', 'sandbox-low'] },
    })
    assertRefused(wider, 403, 'scope_widening')
    const other = await served.post('/v1/vat/auth/sessions/hosted', {
      purpose: 'verify',
      ...PERSON,
      provider: 'sandbox-low',
      request: { ...REQUEST, constraints },
    })
    assertRefused(other, 403, 'provider_not_allowed')
  })
})

describe('the sandbox', () => {
  test('can be called only with its key, and has no page at an unknown address', async (t) => {
    const served = await aServed(t)
    const check = await anOpenedCheck(served)
    const { client } = served
    const api = `/sandbox-identity/sandbox/sessions/${check.external_id}`
    assertRefused(await client.get(api), 401, 'callback_refused')
    const wrong = { authorization: 'Bearer nobody' }
    assertRefused(await client.get(api, wrong), 401, 'callback_refused')
    assertRefused(await client.get('/sandbox-identity/sandbox/sbx_1'), 404, 'not_found')
    const odd = await client.post(check.page, 'status=approved', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    assertRefused(odd, 400, 'invalid_request')
  })

  test('exists only if it is configured, and in keyed mode only with an explicit flag', async (t) => {
    const app = await aTestApp(t)
    assert.equal((await app.get('/sandbox-identity/sandbox/sbx_1')).status, 404)
    await assert.rejects(
      aTestApp(t, { access: 'keyed', idv: { providers: [SANDBOX] }, public_url: 'http://localhost:8420' }),
      /nobody_is_verified/,
    )
  })
})
