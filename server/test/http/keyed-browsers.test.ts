import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { OPERATIONS, type Operation } from '@deputize/protocol'
import { TEST_URL } from '@deputize/testing/a-test-app.ts'
import type { InjectOptions } from 'fastify'
import { cookieName, readCookie, SESSION_COOKIE, setCookie } from '../../src/http/guard/cookies.ts'
import { aKeyedApp, anAgent, aSession } from './a-keyed-app.ts'

const app = await aKeyedApp({ after })
const key = await app.key('default', 'developer')
const agent = await anAgent(app, app.withKey(key))
const { secret, csrf_token } = await aSession(app.test, 'default', agent.human_ref)
const COOKIE = { cookie: `${SESSION_COOKIE}=${secret}` }
const OURS = { ...COOKIE, origin: TEST_URL, 'deputy-csrf': csrf_token, 'sec-fetch-site': 'same-origin' }

async function inject(options: InjectOptions) {
  const { statusCode, body, headers } = await app.test.app.inject(options)
  return { status: statusCode, body: body.startsWith('{') ? JSON.parse(body) : body, headers }
}

/** A change that Alice may make, as her browser sends it. */
function change(headers: Record<string, string | undefined>, more: Partial<InjectOptions> = {}) {
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
  return inject({
    method: 'POST',
    url: '/v1/vat/revoke',
    headers: { 'content-type': 'application/json', ...(given as Record<string, string>) },
    payload: JSON.stringify({ vat_jti: agent.jti }),
    ...more,
  })
}

describe("a page of another site in a signed-in person's browser", () => {
  for (const [name, headers] of Object.entries<Record<string, string | undefined>>({
    'from a foreign origin': { ...OURS, origin: 'https://attacker.example' },
    'from an origin that only begins like ours': { ...OURS, origin: `${TEST_URL}.attacker.example` },
    'from our host on another port': { ...OURS, origin: `${TEST_URL}:8080` },
    'from our host under another scheme': { ...OURS, origin: 'https://localhost' },
    'from no origin': { ...OURS, origin: undefined },
    'from the origin null': { ...OURS, origin: 'null' },
    'with an empty origin': { ...OURS, origin: '' },
    'cross-site': { ...OURS, 'sec-fetch-site': 'cross-site' },
    'from a sister site': { ...OURS, 'sec-fetch-site': 'same-site' },
    'as if typed by the person': { ...OURS, 'sec-fetch-site': 'none' },
    'without the token of our pages': { ...OURS, 'deputy-csrf': undefined },
    'with an empty token': { ...OURS, 'deputy-csrf': '' },
    'with the token of another session': { ...OURS, 'deputy-csrf': `${csrf_token.slice(0, -1)}!` },
    'with the cookie as token': { ...OURS, 'deputy-csrf': secret },
    'with the cookie alone': COOKIE,
  }))
    test(`changes nothing ${name}`, async () => {
      const size = await app.test.logSize()
      const { status, body } = await change(headers)
      assert.deepEqual([status, body.code], [403, 'cross_site_request'], JSON.stringify(body))
      assert.equal(await app.test.logSize(), size)
    })

  test('cannot use a content type that a form can send', async () => {
    const size = await app.test.logSize()
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      const sent = await change({ ...OURS, 'content-type': type })
      assert.deepEqual([sent.status, sent.body.code], [415, 'unsupported_media_type'], type)
      const bare = await change({ ...COOKIE, 'content-type': type })
      assert.deepEqual([bare.status, bare.body.code], [403, 'cross_site_request'], type)
    }
    assert.equal(await app.test.logSize(), size)
  })

  test('cannot make a change by overriding the method', async () => {
    const size = await app.test.logSize()
    for (const override of ['x-http-method-override', 'x-method-override', 'x-http-method']) {
      const { status } = await inject({
        method: 'GET',
        url: '/v1/vat/revoke',
        headers: { ...OURS, [override]: 'POST' },
      })
      assert.equal(status, 405)
    }
    assert.equal(await app.test.logSize(), size)
  })

  test('cannot read any answer', async () => {
    for (const options of [
      { method: 'GET', url: '/v1/vat/tokens', headers: { ...OURS, origin: 'https://attacker.example' } },
      { method: 'OPTIONS', url: '/v1/vat/revoke', headers: { origin: 'https://attacker.example' } },
    ] as const) {
      const { headers } = await inject(options)
      const granted = Object.keys(headers).filter((name) => name.startsWith('access-control-'))
      assert.deepEqual(granted, [])
      assert.equal(headers['x-content-type-options'], 'nosniff')
    }
  })
})

describe('reading with a session', () => {
  test('needs no CSRF token, because it changes nothing', async () => {
    const size = await app.test.logSize()
    const gets = Object.values<Operation>(OPERATIONS).filter(({ method }) => method === 'GET')
    assert.ok(gets.length > 30)
    for (const { path } of gets) {
      const url = path.replaceAll(/\{(\w+)\}/g, (_, name) => (name === 'jti' ? agent.jti : 'x'))
      const { status } = await inject({ method: 'GET', url, headers: COOKIE })
      assert.notEqual(status, 500, url)
    }
    assert.equal(await app.test.logSize(), size)
    assert.equal((await inject({ url: '/v1/vat/tokens', headers: COOKIE })).status, 200)
    assert.equal((await inject({ method: 'HEAD', url: '/v1/vat/tokens', headers: COOKIE })).status, 200)
    app.test.clock.advance(60_000)
  })

  test('uses a cookie that scripts cannot read and other sites cannot send', () => {
    const cookie = { name: SESSION_COOKIE, value: secret, max_age_s: 60, same_site: 'Strict' } as const
    assert.match(
      setCookie(cookie, true),
      /^__Host-deputy_session=\S+; Path=\/; Max-Age=60; HttpOnly; SameSite=Strict; Secure$/,
    )
    // Under TLS, a cookie without the prefix may have been planted by a sibling domain or a network attacker.
    assert.equal(readCookie(`${SESSION_COOKIE}=planted`, SESSION_COOKIE, true), undefined)
    const both = `${SESSION_COOKIE}=planted; ${cookieName(SESSION_COOKIE, true)}=ours`
    assert.equal(readCookie(both, SESSION_COOKIE, true), 'ours')
  })

  test('works from pages of the service, and an API key needs no browser headers', async () => {
    assert.equal((await change(OURS, { url: '/v1/vat/revoke/preview' })).status, 200)
    const headers = { authorization: `Bearer ${key}`, origin: 'https://attacker.example' }
    assert.equal((await change(headers, { url: '/v1/vat/revoke/preview' })).status, 200)
  })
})

describe('a host name that is not ours', () => {
  const get = (headers: Record<string, string>, remoteAddress = '127.0.0.1') =>
    inject({ url: '/v1/vat/tokens', headers: { authorization: `Bearer ${key}`, ...headers }, remoteAddress })

  for (const host of [
    'attacker.example',
    'localhost:8080',
    'localhost.attacker.example',
    'localhost.',
    'user@localhost',
    'localhost,attacker.example',
    '127.0.0.1.nip.io',
    '0.0.0.0',
  ])
    test(`Host "${host}" is refused, as is everything else under it`, async () => {
      for (const remote of ['127.0.0.1', '192.0.2.1']) {
        const { status, body } = await get({ host }, remote)
        assert.deepEqual([status, body.code], [403, 'host_not_allowed'])
      }
      const page = await inject({ url: '/docs', headers: { host } })
      assert.equal(page.status, 403)
    })

  test('local host names are accepted only from this machine', async () => {
    assert.equal((await get({ host: '127.0.0.1' })).status, 200)
    const { status, body } = await get({ host: '127.0.0.1' }, '192.0.2.1')
    assert.deepEqual([status, body.code], [403, 'host_not_allowed'])
    assert.equal((await get({ host: 'LocalHost' }, '192.0.2.1')).status, 200)
  })

  test('is not read from a proxy header', async () => {
    for (const header of ['x-forwarded-host', 'x-host', 'x-original-host']) {
      assert.equal((await get({ host: 'attacker.example', [header]: 'localhost' })).status, 403)
      assert.equal((await get({ host: 'localhost', [header]: 'attacker.example' })).status, 200)
    }
    const home = await inject({ url: '/', headers: { 'x-forwarded-host': 'attacker.example' } })
    assert.ok(!home.body.includes('attacker.example'))
    const deployment = await inject({
      url: '/.well-known/oauth-authorization-server',
      headers: { 'x-forwarded-host': 'attacker.example', 'x-forwarded-proto': 'https' },
    })
    assert.equal(deployment.status, 200)
    assert.ok(!JSON.stringify(deployment.body).includes('attacker.example'))
  })

  test('is not read from a trusted proxy either, because the service has one name', async (context) => {
    const proxied = await aKeyedApp(context, { trusted_proxies: ['10.0.0.1'] })
    const { statusCode, body } = await proxied.test.app.inject({
      url: '/.well-known/oauth-authorization-server',
      headers: { host: 'localhost', 'x-forwarded-host': 'attacker.example', 'x-forwarded-proto': 'https' },
      remoteAddress: '10.0.0.1',
    })
    assert.equal(statusCode, 200)
    assert.ok(!body.includes('attacker.example'))
    assert.ok(body.includes(TEST_URL))
  })
})
