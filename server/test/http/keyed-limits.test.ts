import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import { MAX_CALLERS, neighbourhoodOf, rateLimiter } from '../../src/http/guard/rate-limit.ts'
import { aKeyedApp, anAgent, type KeyedApp } from './a-keyed-app.ts'

const MISSES = 60
const UNKNOWN = `/v1/vat/tokens/vat_root_${'0'.repeat(36)}`

interface Sent {
  readonly status: number
  readonly code: string | undefined
  readonly headers: Record<string, unknown>
}

async function from(
  { test: { app } }: KeyedApp,
  remoteAddress: string,
  headers: Record<string, string> = {},
  url = '/v1/vat/tokens',
): Promise<Sent> {
  const response = await app.inject({ url, headers: { host: 'localhost', ...headers }, remoteAddress })
  const isJson = String(response.headers['content-type']).includes('json')
  return {
    status: response.statusCode,
    code: isJson ? response.json().code : undefined,
    headers: response.headers,
  }
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const WRONG = bearer('dk_wrong')

async function times<T>(count: number, act: () => Promise<T>): Promise<T[]> {
  const done: T[] = []
  for (let n = 0; n < count; n++) done.push(await act())
  return done
}

describe('a request limit', () => {
  test('applies per address, per key and per tenant, and is reported in headers', async (context) => {
    const app = await aKeyedApp(context, { rate_limit: 50 })
    const key = await app.key('default', 'developer')
    app.test.clock.advance(60_000)
    const first = await from(app, '192.0.2.1', bearer(key))
    assert.equal(first.status, 200)
    assert.equal(first.headers['ratelimit-policy'], '"caller";q=50;w=60')
    assert.match(String(first.headers.ratelimit), /^"caller";r=49;t=\d+$/)
    const anonymous = await from(app, '192.0.2.1', {}, '/healthz')
    assert.equal(anonymous.headers['ratelimit-policy'], '"address";q=50;w=60')
    assert.match(String(anonymous.headers.ratelimit), /^"address";r=48;t=\d+$/)
  })

  test('of an address applies to all credentials used from it', async (context) => {
    const app = await aKeyedApp(context, { rate_limit: 20 })
    const keys = [await app.key('default', 'developer'), await app.key('default', 'auditor')]
    app.test.clock.advance(60_000)
    const sent = await times(11, async () => [
      await from(app, '192.0.2.1', bearer(String(keys[0]))),
      await from(app, '192.0.2.1', bearer(String(keys[1]))),
    ])
    const statuses = sent.flat().map(({ status }) => status)
    assert.deepEqual(statuses, [...Array(20).fill(200), 429, 429])
    const last = sent.flat().at(-1)
    assert.equal(last?.code, 'rate_limited')
    assert.match(String(last?.headers['retry-after']), /^\d+$/)
    assert.equal((await from(app, '192.0.2.2', bearer(String(keys[0])))).status, 200)
    app.test.clock.advance(60_000)
    assert.equal((await from(app, '192.0.2.1', bearer(String(keys[0])))).status, 200)
  })

  test('of a key applies from every address, and other keys are not affected', async (context) => {
    const app = await aKeyedApp(context, { rate_limit: 20 })
    const [one, two] = [await app.key('default', 'developer'), await app.key('default', 'developer')]
    app.test.clock.advance(60_000)
    let host = 0
    const sent = await times(22, () => {
      host += 1
      return from(app, `192.0.2.${host}`, bearer(one))
    })
    assert.deepEqual(
      sent.map(({ status }) => status),
      [...Array(20).fill(200), 429, 429],
    )
    assert.equal((await from(app, '192.0.2.1', bearer(two))).status, 200)
  })

  test('of a tenant applies to all its callers together, and to no other tenant', async (context) => {
    const app = await aKeyedApp(context)
    await app.operator.post('/v1/vat/tenants', { tenant_id: 'small', rate_limit: 10 })
    const developers = [await app.key('small', 'developer'), await app.key('small', 'auditor')]
    const outside = await app.key('default', 'developer')
    app.test.clock.advance(60_000)
    const sent = await times(6, async () => [
      await from(app, '192.0.2.1', bearer(String(developers[0]))),
      await from(app, '192.0.2.2', bearer(String(developers[1]))),
    ])
    const all = sent.flat()
    assert.deepEqual(
      all.map(({ status }) => status),
      [...Array(10).fill(200), 429, 429],
    )
    assert.equal(all[0]?.headers['ratelimit-policy'], '"tenant";q=10;w=60')
    assert.match(String(all[0]?.headers.ratelimit), /^"tenant";r=9;t=\d+$/)
    assert.match(String(all.at(-1)?.headers['retry-after']), /^\d+$/)
    assert.equal((await from(app, '192.0.2.1', bearer(outside))).status, 200)
  })
})

describe('guessing', () => {
  test('credentials stops after 60 attempts a minute, and valid credentials from that address still work', async (context) => {
    const app = await aKeyedApp(context)
    const key = await app.key('default', 'developer')
    const sent = await times(MISSES + 5, () => from(app, '192.0.2.1', WRONG))
    assert.deepEqual(
      sent.map(({ status }) => status),
      [...Array(MISSES).fill(401), ...Array(5).fill(429)],
    )
    const last = sent.at(-1)
    assert.deepEqual([last?.code, last?.headers['www-authenticate']], ['rate_limited', undefined])
    assert.match(String(last?.headers['retry-after']), /^([1-9]|[1-5]\d|60)$/)
    assert.equal((await from(app, '192.0.2.1', bearer(key))).status, 200)
    assert.equal((await from(app, '192.0.2.1', {}, '/healthz')).status, 200)
    assert.equal((await from(app, '192.0.2.2', WRONG)).status, 401)
    app.test.clock.advance(60_000)
    assert.equal((await from(app, '192.0.2.1', WRONG)).status, 401)
  })

  test('ids stops after 60 attempts a minute for that caller, right or wrong, and no other caller is affected', async (context) => {
    const app = await aKeyedApp(context)
    const [guesser, other] = [await app.key('default', 'developer'), await app.key('default', 'developer')]
    const agent = await anAgent(app, app.withKey(other))
    const sent = await times(MISSES + 2, () => from(app, '192.0.2.1', bearer(guesser), UNKNOWN))
    assert.deepEqual(
      sent.map(({ status }) => status),
      [...Array(MISSES).fill(404), 429, 429],
    )
    const known = `/v1/vat/tokens/${agent.jti}`
    const tired = await from(app, '192.0.2.9', bearer(guesser), known)
    assert.deepEqual([tired.status, tired.code], [429, 'rate_limited'], 'a hit tells no more than a miss')
    assert.match(String(tired.headers['retry-after']), /^([1-9]|[1-5]\d|60)$/)
    assert.equal((await from(app, '192.0.2.1', bearer(other), known)).status, 200)
    assert.equal((await agent.client.get(known)).status, 200)
    app.test.clock.advance(60_000)
    assert.equal((await from(app, '192.0.2.1', bearer(guesser), known)).status, 200)
  })

  test('the set-up secret is limited as well, and the right one still works', async (context) => {
    const { post, accessControl } = await aTestApp(context, { access: 'keyed' })
    const tries = await times(MISSES + 2, () => post('/v1/vat/setup', { setup_secret: 'dsu_guessed' }))
    assert.deepEqual(
      tries.map(({ status }) => status),
      [...Array(MISSES).fill(401), 429, 429],
    )
    const made = await post('/v1/vat/setup', { setup_secret: accessControl.setup?.secret })
    assert.equal(made.status, 201, JSON.stringify(made.body))
  })

  test('invalid tokens presented to a resource server do not count against its own limit', async (context) => {
    const app = await aKeyedApp(context)
    const audience = 'https://calendar.example'
    const key = await app.key('default', 'resource_server', { audience })
    const agent = await anAgent(app, app.withKey(await app.key('default', 'developer')), { audience })
    const ask = (shown: string) =>
      app
        .withKey(key)
        .post(
          '/v1/vat/authorize',
          { vat_jti: agent.jti, action: 'read', resource: 'calendar:events' },
          { 'deputy-token': shown },
        )
    for (const { status } of await times(MISSES + 10, () => ask('a.b.c'))) assert.equal(status, 401)
    assert.equal((await ask(agent.compact_jwt)).status, 200)
  })
})

describe('behind a proxy', () => {
  const PROXY = '10.0.0.1'
  const forwarded = (address: string) => ({ ...WRONG, 'x-forwarded-for': address })

  test('limits follow the client address that a trusted proxy reports', async (context) => {
    const app = await aKeyedApp(context, { trusted_proxies: ['10.0.0.0/30'] })
    const sent = await times(MISSES + 1, () => from(app, PROXY, forwarded('192.0.2.1')))
    assert.equal(sent.at(-1)?.status, 429)
    assert.equal((await from(app, PROXY, forwarded('192.0.2.2'))).status, 401)
    assert.equal((await from(app, '10.0.0.2', forwarded('192.0.2.1'))).status, 429)
  })

  test('a client counts as one, even if the proxy adds the port of each connection to its address', async (context) => {
    const app = await aKeyedApp(context, { trusted_proxies: [PROXY] })
    for (const host of ['192.0.2.1', '[2001:db8::1]']) {
      let port = 1024
      const sent = await times(MISSES + 1, () => {
        port += 1
        return from(app, PROXY, forwarded(`${host}:${port}`))
      })
      assert.deepEqual([sent.at(-2)?.status, sent.at(-1)?.status], [401, 429], host)
    }
    assert.equal((await from(app, PROXY, forwarded('192.0.2.1'))).status, 429)
  })

  test('an address that the caller added to the header is ignored', async (context) => {
    const app = await aKeyedApp(context, { trusted_proxies: [PROXY] })
    let n = 0
    const sent = await times(MISSES + 1, () => {
      n += 1
      return from(app, PROXY, forwarded(`198.51.100.${n}, 192.0.2.1`))
    })
    assert.equal(sent.at(-1)?.status, 429)
  })

  test('an untrusted sender of the header is counted by its own address', async (context) => {
    const app = await aKeyedApp(context, { trusted_proxies: [PROXY] })
    let n = 0
    const sent = await times(MISSES + 1, () => {
      n += 1
      return from(app, '192.0.2.7', { ...forwarded(`198.51.100.${n}`), 'x-real-ip': `198.51.100.${n}` })
    })
    assert.equal(sent.at(-1)?.status, 429)
    assert.equal(
      (await from(app, PROXY, forwarded('198.51.100.1'))).status,
      401,
      'the named one is untouched',
    )
  })

  test('the header is ignored when no proxy is trusted', async (context) => {
    const app = await aKeyedApp(context)
    let n = 0
    const sent = await times(MISSES + 1, () => {
      n += 1
      return from(app, '127.0.0.1', { ...forwarded(`198.51.100.${n}`), forwarded: `for=198.51.100.${n}` })
    })
    assert.equal(sent.at(-1)?.status, 429)
  })
})

describe('the request counter', () => {
  test('remembers a limited number of callers and forgets the least recent first', () => {
    const limiter = rateLimiter(10, manualClock())
    for (let n = 0; n < 10; n++) limiter.count('busy')
    limiter.count('once')
    for (let n = 0; n < MAX_CALLERS * 3; n++) {
      limiter.count(`passer-by ${n}`)
      if (n % 1000 === 0) limiter.count('busy')
    }
    assert.equal(limiter.count('busy').isAllowed, false)
    assert.equal(limiter.count('once').remaining, 9, 'it was forgotten, so that memory is bounded')
  })

  test('counts all addresses of one IPv6 network as one caller', () => {
    assert.equal(neighbourhoodOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64')
    assert.equal(neighbourhoodOf('2001:DB8:1:2::9'), '2001:db8:1:2::/64')
    assert.equal(neighbourhoodOf('2001:db8::1'), '2001:db8:0:0::/64')
    assert.equal(neighbourhoodOf('fe80::1%eth0'), 'fe80:0:0:0::/64')
    assert.equal(neighbourhoodOf('::1'), '0:0:0:0::/64')
    assert.equal(neighbourhoodOf('::ffff:192.0.2.1'), '::ffff:192.0.2.1')
    assert.equal(neighbourhoodOf('192.0.2.1'), '192.0.2.1')
  })

  test('does not allow more guesses from another address of the same IPv6 network', async (context) => {
    const app = await aKeyedApp(context)
    let n = 0
    const sent = await times(MISSES + 1, () => {
      n += 1
      return from(app, `2001:db8:1:2::${n.toString(16)}`, WRONG)
    })
    assert.equal(sent.at(-1)?.status, 429)
    assert.equal((await from(app, '2001:db8:1:3::1', WRONG)).status, 401)
  })
})
