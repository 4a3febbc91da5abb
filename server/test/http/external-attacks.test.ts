import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { describe, test } from 'node:test'
import { type Answer, aTestApp, type TestAppOptions } from '@deputize/testing/a-test-app.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { aStripeServer } from '@deputize/testing/idv/a-stripe-server.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import { ExternalDesk } from '../../src/operations/external/external-desk.ts'
import type { Post } from '../a-capture.ts'
import { aHostedSession, hostedCalls } from '../a-hosted-session.ts'
import { aKeyedApp } from './a-keyed-app.ts'

const ALICE = { developer_email: 'alice@example.com' }
const MALLORY = { developer_email: 'mallory@example.com' }
const REQUEST = { agent_id: 'invoice-bot', resources: ['payments:invoices'], actions: ['pay'] }
const CAPTURE = '/v1/vat/auth/capture'
const CALLBACK = '/v1/vat/auth/providers/id-check/callback'
const JSON_BODY = { 'content-type': 'application/json' }

function assertRefused({ status, body }: Answer, expected: number, code: string): void {
  assert.deepEqual({ status, code: body.code }, { status: expected, code }, JSON.stringify(body))
}

async function aProvider(t: TestScope) {
  const stripe = await aStripeServer(t)
  const entry = { ...stripe.entry, name: 'id-check', kind: 'stripe', level: 'L3' }
  const options: TestAppOptions = {
    l3_passkey: 'optional',
    idv: { providers: [entry], secrets: Object.fromEntries(stripe.secrets) },
  }
  return { stripe, options }
}

/** A session that a provider checks, with the calls of its device. */
async function anOpenedCheck(post: Post, person: object) {
  const session = { purpose: 'verify', ...person, provider: 'id-check', request: REQUEST }
  const calls = hostedCalls(post, await aHostedSession(post, session))
  const { status, body } = await calls.open()
  assert.equal(status, 200, JSON.stringify(body))
  const { session_id, nonce, redirect_url } = body
  return {
    ...calls,
    opened: body,
    external_id: String(redirect_url).split('/').at(-1) ?? '',
    finish: () => post(CAPTURE, { session_id, nonce }),
  }
}

async function aWorld(t: TestScope) {
  const { stripe, options } = await aProvider(t)
  const app = await aTestApp(t, options)
  const post: Post = (path, body) => app.post(path, body)
  return {
    stripe,
    options,
    app,
    post,
    asked: () => stripe.calls.filter(({ method }) => method === 'GET').length,
  }
}

describe('a provider that does not know the people of a tenant', () => {
  test('lets no person pass as another: a session that a key prepared needs the passkey of its person', async (t) => {
    const { stripe, options } = await aProvider(t)
    const keyed = await aKeyedApp(t, options)
    await keyed.operator.call('PATCH', '/v1/vat/tenants/default', { allow_bearer: true })
    const developer = keyed.withKey(await keyed.key('default', 'developer'))
    const check = await anOpenedCheck((path, body) => developer.post(path, body), ALICE)
    assert.equal(check.opened.passkey_required, true)
    // Mallory shows her own face and her own document.
    stripe.decide(check.external_id, 'pass')
    assertRefused(await check.finish(), 403, 'passkey_required')
    assertRefused(await check.collect(), 409, 'session_not_judged')
  })

  test('is refused if it answers a new session with the check of another person', async (t) => {
    const { stripe, post } = await aWorld(t)
    const alice = await anOpenedCheck(post, ALICE)
    stripe.decide(alice.external_id, 'pass')
    assert.equal((await alice.finish()).body.passed, true)
    stripe.instead = () => ({
      status: 200,
      body: {
        id: alice.external_id,
        url: `${stripe.url}/start/${alice.external_id}`,
        client_secret: `${alice.external_id}_secret_pretend`,
      },
    })
    const body = { purpose: 'verify', ...MALLORY, provider: 'id-check', request: REQUEST }
    const { open, watch } = hostedCalls(post, await aHostedSession(post, body))
    assertRefused(await open(), 503, 'provider_unavailable')
    assert.equal((await watch()).body.state, 'waiting')
  })
})

describe('the holder of the link of a session', () => {
  test('cannot cause further requests to the provider once it has decided', async (t) => {
    const { stripe, app, post, asked } = await aWorld(t)
    const check = await anOpenedCheck(post, ALICE)
    stripe.decide(check.external_id, 'fail')
    app.clock.advance(5_000)
    await eventually('the decision is known', async () => {
      const { body } = await check.watch()
      return body.provider_status === 'fail'
    })
    const before = asked()
    for (let look = 0; look < 10; look += 1) await check.watch()
    assert.equal(asked(), before)
  })
})

describe('a cancellation while the provider is being asked', () => {
  test('succeeds, and no token is issued', async (t) => {
    const { stripe, post, asked } = await aWorld(t)
    const check = await anOpenedCheck(post, ALICE)
    stripe.decide(check.external_id, 'pass')
    const held = Promise.withResolvers<void>()
    stripe.held = held.promise
    const before = asked()
    const finishing = check.finish()
    await eventually('the provider is asked', () => asked() > before)
    assert.equal((await check.cancel()).body.state, 'cancelled')
    held.resolve()
    assertRefused(await finishing, 409, 'session_closed')
    assertRefused(await check.finish(), 409, 'session_closed')
    assertRefused(await check.collect(), 409, 'session_closed')
    assert.equal((await check.watch()).body.state, 'cancelled')
  })

  test('that loses against the pass reports that the session is over, and the token stays', async (t) => {
    const { stripe, post } = await aWorld(t)
    const check = await anOpenedCheck(post, ALICE)
    stripe.decide(check.external_id, 'pass')
    const [finished, cancelled] = await Promise.all([check.finish(), check.cancel()])
    const { state } = cancelled.body
    assert.equal(finished.status === 200, state === 'judged', JSON.stringify([finished.body, state]))
    assert.equal((await check.collect()).status === 200, state === 'judged')
  })
})

describe('a person who is erased while a check is being started', () => {
  test('is deleted at the provider too', async (t) => {
    const { stripe, app, post } = await aWorld(t)
    assert.equal((await post('/v1/vat/issue/l1', { ...ALICE, ...REQUEST })).status, 200)
    const body = { purpose: 'verify', ...ALICE, provider: 'id-check', request: REQUEST }
    const session = await aHostedSession(post, body)
    const held = Promise.withResolvers<void>()
    stripe.held = held.promise
    const opening = hostedCalls(post, session).open()
    await eventually('the provider is asked', () => stripe.calls.length > 0)
    assert.equal((await app.delete(`/v1/vat/humans/${session.human_ref}`)).status, 200)
    held.resolve()
    assertRefused(await opening, 404, 'session_unknown')
    const page = { limit: 10, before: undefined }
    const [order] = (await app.reader.registry.list('redaction', {}, page)).entries
    const { external_id } = JSON.parse(order?.document ?? '{}')
    assert.equal(stripe.isRedacted(external_id), false)
    await new ExternalDesk(app.context).runOnce()
    assert.equal(stripe.isRedacted(external_id), true)
    assert.deepEqual((await app.reader.registry.list('external_check', {}, page)).entries, [])
  })
})

describe('a verification that is withdrawn', () => {
  async function aToken(t: TestScope) {
    const world = await aWorld(t)
    const check = await anOpenedCheck(world.post, ALICE)
    world.stripe.decide(check.external_id, 'pass')
    assert.equal((await check.finish()).body.passed, true)
    const { token } = (await check.collect()).body
    world.stripe.decide(check.external_id, 'withdrawn')
    const isValid = async () =>
      (await world.post('/v1/vat/verify', { compact_jwt: token.compact_jwt })).body.valid
    const revoked = async () =>
      (await world.app.leafTexts()).filter((leaf) => leaf.includes('"token.revoked"')).length
    return { ...world, check, token, isValid, revoked }
  }

  test('revokes its tokens after a restart if the process ended between the mark and the revocation', async (t) => {
    const { app, isValid, revoked } = await aToken(t)
    const { clerk } = app.context
    const submit: typeof clerk.submit = (command, lane) =>
      command.kind === 'revoke' ? Promise.reject(new Error('the process ended')) : clerk.submit(command, lane)
    app.clock.advance(60_000)
    await new ExternalDesk({ ...app.context, clerk: { ...clerk, submit } }).runOnce()
    assert.equal(await isValid(), true)
    // The mark of the interrupted look is due a minute later. If it is lost, the sweep at startup writes it again.
    app.clock.advance(60_000)
    await new ExternalDesk(app.context).runOnce()
    assert.equal(await isValid(), false)
    app.clock.advance(600_000)
    await new ExternalDesk(app.context).runOnce()
    assert.equal(await revoked(), 1)
  })

  test('revokes its token once if two nodes get the same callback at once', async (t) => {
    const cleanings: (() => unknown)[] = []
    t.after(async () => {
      for (const clean of cleanings) await clean()
    })
    // The second node uses the stores of the first, so it closes first.
    const scope = { after: (clean: () => unknown) => void cleanings.unshift(clean) } as TestScope // all that apps use
    const { app, stripe, options, check, isValid, revoked } = await aToken(scope)
    const second = await aTestApp(scope, { ...options, node_of: app })
    const { body, headers } = stripe.callback(check.external_id, { time_ms: app.clock() })
    const told = await Promise.all(
      [app, second].map((node) => node.post(CALLBACK, body.toString(), { ...JSON_BODY, ...headers })),
    )
    assert.deepEqual(
      told.map(({ status }) => status),
      [200, 200],
    )
    await eventually('the token is revoked', async () => (await isValid()) === false)
    assert.equal(await revoked(), 1)
  })

  test('is noticed even while another callback arrives slowly', async (t) => {
    const { app, stripe, check, token } = await aToken(t)
    const url = await app.listen()
    const { host } = new URL(url)
    const { body, headers } = stripe.callback(check.external_id, { time_ms: app.clock() })
    const slow = request(`${url}${CALLBACK}`, { method: 'POST', headers: { ...JSON_BODY, ...headers } })
    const answered = once(slow, 'response')
    slow.write(body.subarray(0, 10))
    const other = stripe.callback(check.external_id, { time_ms: app.clock() })
    const quick = await fetch(`${url}${CALLBACK}`, {
      method: 'POST',
      headers: { ...JSON_BODY, ...other.headers },
      body: other.body.toString(),
    })
    assert.equal(quick.status, 200)
    const { compact_jwt } = token
    await eventually('the token is revoked', async () => {
      const { body } = await app.post('/v1/vat/verify', { compact_jwt }, { host })
      return body.valid === false
    })
    slow.end(body.subarray(10))
    const [answer] = await answered
    answer.resume()
    assert.equal(answer.statusCode, 200)
  })
})

describe('a person whose verification was withdrawn', () => {
  test('no longer adds to the trust in an agent', async (t) => {
    const { stripe, app, post } = await aWorld(t)
    const check = await anOpenedCheck(post, ALICE)
    stripe.decide(check.external_id, 'pass')
    assert.equal((await check.finish()).body.passed, true)
    assert.equal((await check.collect()).status, 200)
    const issued = { ...MALLORY, agent_id: 'other-bot', resources: ['a:b'], actions: ['read'] }
    const token = await post('/v1/vat/issue/l1', issued)
    assert.equal(token.status, 200, JSON.stringify(token.body))
    const to = 'agent:other-bot'
    const vouch = await post('/v1/vat/trust/vouches', { from: check.opened.human_ref, to })
    assert.equal(vouch.status, 200, JSON.stringify(vouch.body))
    const flow = async () => (await app.get(`/v1/vat/trust/scores/${encodeURIComponent(to)}`)).body.flow
    assert.ok((await flow()) > 0)
    stripe.decide(check.external_id, 'withdrawn')
    app.context.external.wakeCheck(
      (await app.reader.registry.list('external_check', {}, { limit: 1, before: undefined })).entries[0]
        ?.id ?? '',
    )
    await eventually('the vouch counts for nothing', async () => (await flow()) === 0)
  })
})
