import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Answer, aTestApp, type TestAppOptions } from '@deputize/testing/a-test-app.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { aStripeServer } from '@deputize/testing/idv/a-stripe-server.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import type { Post } from '../a-capture.ts'
import { aHostedSession, hostedCalls } from '../a-hosted-session.ts'
import { aKeyedApp } from './a-keyed-app.ts'

const ALICE = { developer_email: 'alice@example.com' }
const MALLORY = { developer_email: 'mallory@example.com' }
const REQUEST = { agent_id: 'invoice-bot', resources: ['payments:invoices'], actions: ['pay'] }
const CAPTURE = '/v1/vat/auth/capture'

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

/** A session that the provider checks, and what its device does. */
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
  return { stripe, app, post, asked: () => stripe.calls.filter(({ method }) => method === 'GET').length }
}

describe('a provider that knows nothing of the people of a tenant', () => {
  test('gives nobody the name of another: what a key has prepared needs the passkey of that person', async (t) => {
    const { stripe, options } = await aProvider(t)
    const keyed = await aKeyedApp(t, options)
    const developer = keyed.withKey(await keyed.key('default', 'developer'))
    const check = await anOpenedCheck((path, body) => developer.post(path, body), ALICE)
    assert.equal(check.opened.passkey_required, true)
    // Mallory shows her own face and her own document.
    stripe.decide(check.external_id, 'pass')
    assertRefused(await check.finish(), 403, 'passkey_required')
    assertRefused(await check.collect(), 409, 'session_not_judged')
  })

  test('is not believed when it answers a new session with the check of another person', async (t) => {
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

describe('whoever holds the link of a session', () => {
  test('cannot have the provider asked without end once it has decided', async (t) => {
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

describe('a person whose verification was taken back', () => {
  test('adds nothing to the trust in an agent any more', async (t) => {
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
    app.context.wakeCheck(
      (await app.reader.registry.list('external_check', {}, { limit: 1, before: undefined })).entries[0]
        ?.id ?? '',
    )
    await eventually('the vouch counts for nothing', async () => (await flow()) === 0)
  })
})
