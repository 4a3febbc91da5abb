import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import {
  ANOTHER_KEY,
  aProvider,
  type Mischief,
  signedWithSecret,
  type TestProvider,
  unsigned,
} from '@deputize/testing/a-provider.ts'
import { type Answer, aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import { callback, confirm, l2Request, startLogin } from './sign-in.ts'

const scope = { after }

/** A service with a sign-in provider that a test can make misbehave. */
async function aPair(): Promise<{ service: TestApp; provider: TestProvider; other: TestProvider }> {
  const clock = manualClock()
  const provider = await aProvider(scope, clock)
  const other = await aProvider(scope, clock)
  const providers = [
    { name: 'company', issuer: provider.issuer, client_id: 'deputy-client' },
    { name: 'partner', issuer: other.issuer, client_id: 'deputy-client' },
  ]
  const service = await aTestApp(scope, { providers, clock })
  return { service, provider, other }
}

const { service, provider, other } = await aPair()

async function signIn(mischief: Mischief): Promise<Answer> {
  provider.mischief = mischief
  try {
    const { login_id, authorization_url } = await startLogin(service, { provider: 'company' })
    const page = await callback(service, provider.signIn(authorization_url))
    if (page.status === 200) await confirm(service, page)
    else assert.match(String(page.headers['content-type']), /^text\/html/)
    return await service.post('/v1/vat/issue/l2', l2Request({ login_id }))
  } finally {
    provider.mischief = {}
  }
}

async function bring(mischief: Mischief, changes: object = {}): Promise<Answer> {
  provider.mischief = mischief
  try {
    return await service.post('/v1/vat/issue/l2', l2Request({ id_token: provider.idToken({}), ...changes }))
  } finally {
    provider.mischief = {}
  }
}

function assertRefused({ status, body }: Answer, reason: string): void {
  assert.deepEqual([status, body.code, body.reason], [403, 'sign_on_failed', reason], JSON.stringify(body))
}

const now_s = () => Math.floor(service.clock() / 1000)

/** Answers that are wrong in one way, each with the expected reason. */
const WRONG_TOKENS: Readonly<Record<string, readonly [string, Mischief]>> = {
  'another issuer': ['issuer', { claims: (claims) => ({ ...claims, iss: 'https://issuer.example.com' }) }],
  'another audience': ['audience', { claims: (claims) => ({ ...claims, aud: 'somebody-else' }) }],
  'a list of other audiences': ['audience', { claims: (claims) => ({ ...claims, aud: ['a', 'b'] }) }],
  'another party': ['azp', { claims: (claims) => ({ ...claims, azp: 'somebody-else' }) }],
  'several audiences and no party': [
    'azp',
    { claims: (claims) => ({ ...claims, aud: ['deputy-client', 'somebody-else'] }) },
  ],
  'no signature': ['algorithm', { header: (header) => ({ ...header, alg: 'none' }), token: unsigned }],
  'no signature, oddly spelled': [
    'algorithm',
    { header: (header) => ({ ...header, alg: 'nOnE' }), token: unsigned },
  ],
  'the public key as a shared secret': [
    'algorithm',
    {
      token: (header, claims) =>
        signedWithSecret(String(provider.public_key.export({ type: 'spki', format: 'pem' })), header, claims),
    },
  ],
  'an algorithm out of every object': [
    'algorithm',
    { header: (header) => ({ ...header, alg: 'constructor' }) },
  ],
  'a header that must be understood': ['algorithm', { header: (header) => ({ ...header, crit: ['b64'] }) }],
  'an end that has passed': ['expired', { claims: (claims) => ({ ...claims, exp: now_s() - 61 }) }],
  'an issue of yesterday': [
    'expired',
    { claims: (claims) => ({ ...claims, iat: now_s() - 90_000, exp: now_s() + 999_999 }) },
  ],
  'an issue in the future': ['issued_in_future', { claims: (claims) => ({ ...claims, iat: now_s() + 61 }) }],
  'a beginning in the future': ['not_yet_valid', { claims: (claims) => ({ ...claims, nbf: now_s() + 61 }) }],
  'an unpublished key': ['key_unknown', { header: (header) => ({ ...header, kid: 'unheard-of' }) }],
  'a key of its own in the header': [
    'signature',
    {
      header: (header) => ({ ...header, jwk: ANOTHER_KEY.export({ format: 'jwk' }) }),
      token: (header, claims) => provider.signed(header, claims, ANOTHER_KEY),
    },
  ],
  'the signature of another key': [
    'signature',
    { token: (header, claims) => provider.signed(header, claims, ANOTHER_KEY) },
  ],
  'claims that were changed after signing': [
    'signature',
    {
      token(header, claims) {
        const [head, , tail] = provider.signed(header, claims).split('.')
        const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'grace' })).toString('base64url')
        return `${head}.${changed}.${tail}`
      },
    },
  ],
  'no person': ['token_malformed', { claims: ({ sub: _, ...claims }) => claims }],
  'a time in words': ['token_malformed', { claims: (claims) => ({ ...claims, exp: 'tomorrow' }) }],
  'no token at all': ['token_malformed', { token: () => 'hello.world' }],
}

describe('an ID token with', () => {
  for (const [what, [reason, mischief]] of Object.entries(WRONG_TOKENS)) {
    test(`${what} fails the sign-in`, async () => {
      assertRefused(await signIn(mischief), reason)
    })
    test(`${what} is refused if a client brings it`, async () => {
      assertRefused(await bring(mischief), reason)
    })
  }

  test('no nonce or a different one fails the sign-in', async () => {
    assertRefused(await signIn({ claims: ({ nonce: _, ...claims }) => claims }), 'nonce_missing')
    assertRefused(await signIn({ claims: (claims) => ({ ...claims, nonce: 'another' }) }), 'nonce')
  })

  test('no nonce, or a different one than the client names, is refused', async () => {
    assertRefused(await bring({}, { nonce: 'mine' }), 'nonce_missing')
    assertRefused(
      await bring({ claims: (claims) => ({ ...claims, nonce: 'x' }) }, { nonce: 'mine' }),
      'nonce',
    )
    const { status } = await bring({ claims: (claims) => ({ ...claims, nonce: 'mine' }) }, { nonce: 'mine' })
    assert.equal(status, 200)
  })

  test('the hash of another access token fails the sign-in', async () => {
    assertRefused(
      await signIn({ claims: (claims) => ({ ...claims, at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' }) }),
      'at_hash',
    )
    assertRefused(
      await signIn({ answer: (body) => ({ status: 200, body: { ...body, access_token: 'swapped' } }) }),
      'at_hash',
    )
  })
})

describe('a provider that', () => {
  test('refuses the code, or answers with an error or with garbage, fails the sign-in', async () => {
    const answering = (status: number, body: unknown) => signIn({ answer: () => ({ status, body }) })
    assertRefused(await answering(400, { error: 'invalid_grant' }), 'code_refused')
    assertRefused(await answering(401, { error: 'invalid_client' }), 'provider_error')
    assertRefused(await answering(200, { access_token: 'x', token_type: 'Bearer' }), 'answer_malformed')
    assertRefused(await answering(200, []), 'answer_malformed')
    assertRefused(await answering(500, 'oops'), 'answer_malformed')
  })

  test('returns an error fails the sign-in, and a declined consent has its own reason', async () => {
    const back = (error: string) =>
      signIn({
        back(query) {
          query.delete('code')
          query.set('error', error)
        },
      })
    assertRefused(await back('access_denied'), 'declined')
    assertRefused(await back('server_error'), 'provider_error')
  })

  test('omits its issuer, or names another, fails the sign-in', async () => {
    assertRefused(await signIn({ back: (query) => query.delete('iss') }), 'issuer_parameter')
    assertRefused(await signIn({ back: (query) => query.set('iss', other.issuer) }), 'issuer_parameter')
    assertRefused(await signIn({ back: (query) => query.append('iss', other.issuer) }), 'issuer_parameter')
  })

  test('hands out the code of another provider gains nothing: a code is only sent to its own provider', async () => {
    const mine = await startLogin(service, { provider: 'company' })
    const theirs = await startLogin(service, { provider: 'partner' })
    const query = other.signIn(theirs.authorization_url)
    query.set('state', new URL(mine.authorization_url).searchParams.get('state') ?? '')
    await callback(service, query)
    assertRefused(
      await service.post('/v1/vat/issue/l2', l2Request({ login_id: mine.login_id })),
      'issuer_parameter',
    )
    const again = await startLogin(service, { provider: 'company' })
    query.set('state', new URL(again.authorization_url).searchParams.get('state') ?? '')
    query.set('iss', provider.issuer)
    await callback(service, query)
    assertRefused(
      await service.post('/v1/vat/issue/l2', l2Request({ login_id: again.login_id })),
      'code_refused',
    )
  })

  test('issues a code twice gets only one sign-in', async () => {
    const first = await startLogin(service, { provider: 'company' })
    const query = provider.signIn(first.authorization_url)
    assert.equal((await callback(service, query)).status, 200)
    const second = await startLogin(service, { provider: 'company' })
    query.set('state', new URL(second.authorization_url).searchParams.get('state') ?? '')
    assert.equal((await callback(service, query)).status, 403)
    assertRefused(
      await service.post('/v1/vat/issue/l2', l2Request({ login_id: second.login_id })),
      'code_refused',
    )
  })
})

describe('the callback from a provider', () => {
  test('works only once: a replayed callback is refused', async () => {
    const { authorization_url } = await startLogin(service, { provider: 'company' })
    const query = provider.signIn(authorization_url)
    assert.equal((await callback(service, query)).status, 200)
    const replayed = await callback(service, query)
    assert.deepEqual([replayed.status, /login_unknown/.test(replayed.body)], [404, true])
  })

  test('without a state, with a different one or with two is refused', async () => {
    const { authorization_url } = await startLogin(service, { provider: 'company' })
    const query = provider.signIn(authorization_url)
    for (const change of [
      (changed: URLSearchParams) => changed.delete('state'),
      (changed: URLSearchParams) => changed.set('state', 'another'),
      (changed: URLSearchParams) => changed.append('state', 'another'),
    ]) {
      const changed = new URLSearchParams(query)
      change(changed)
      assert.equal((await callback(service, changed)).status, 404)
    }
    assert.equal((await callback(service, query)).status, 200)
  })

  test('is refused after ten minutes', async () => {
    const { login_id, authorization_url } = await startLogin(service, { provider: 'company' })
    service.clock.advance(600_000)
    assert.equal((await callback(service, provider.signIn(authorization_url))).status, 404)
    assert.equal((await service.get(`/v1/vat/auth/oidc/logins/${login_id}`)).body.code, 'login_unknown')
  })

  test('in a different browser than the one that started the sign-in opens no session', async () => {
    const begun = await service.app.inject({ method: 'GET', url: '/sign-in/company' })
    const [cookie = ''] = String(begun.headers['set-cookie']).split(';')
    for (const headers of [{}, { cookie: 'deputy_login=another' }, { cookie: `${cookie}; ${cookie}` }]) {
      const another = await service.app.inject({ method: 'GET', url: '/sign-in/company' })
      const query = provider.signIn(String(another.headers.location))
      const page = await callback(service, query, headers)
      assert.deepEqual([page.status, /other_browser/.test(page.body)], [403, true])
      assert.equal(page.headers['set-cookie'], undefined)
    }
    const page = await callback(service, provider.signIn(String(begun.headers.location)), { cookie })
    assert.equal(page.status, 200)
    assert.match(
      String(page.headers['set-cookie']),
      /deputy_session=[\w-]{43}; Path=\/; .*HttpOnly; SameSite=Strict/,
    )
  })
})

describe('the keys of a provider', () => {
  test('are fetched at most once a minute, however many unknown ones are named', async () => {
    const pair = await aPair()
    const brought = () =>
      pair.service.post('/v1/vat/issue/l2', l2Request({ id_token: pair.provider.idToken({}) }))
    const looks = () => pair.provider.asked.filter((path) => path === '/jwks').length
    assert.equal((await brought()).status, 200)
    assert.equal(looks(), 1)
    pair.provider.rotate('second')
    for (let count = 0; count < 20; count++) assertRefused(await brought(), 'key_unknown')
    assert.equal(looks(), 1)
    pair.service.clock.advance(60_000)
    assert.equal((await brought()).status, 200)
    assert.equal(looks(), 2)
  })

  test('that were withdrawn are trusted for at most ten minutes', async () => {
    const pair = await aPair()
    const kept = () => pair.provider.signed({ alg: 'RS256', kid: 'first' }, claimsOf(pair), old)
    const old = pair.provider.private_key
    const bringOld = () => pair.service.post('/v1/vat/issue/l2', l2Request({ id_token: kept() }))
    assert.equal((await bringOld()).status, 200)
    pair.provider.rotate('second')
    pair.service.clock.advance(600_000)
    assertRefused(await bringOld(), 'key_unknown')
  })

  for (const alg of ['RS256', 'PS256', 'ES256', 'EdDSA'] as const)
    test(`can be for ${alg}`, async () => {
      const pair = await aPair()
      pair.provider.rotate('only', alg)
      const id_token = pair.provider.idToken({})
      assert.equal((await pair.service.post('/v1/vat/issue/l2', l2Request({ id_token }))).status, 200)
      const { login_id, authorization_url } = await startLogin(pair.service, { provider: 'company' })
      await confirm(pair.service, await callback(pair.service, pair.provider.signIn(authorization_url)))
      assert.equal((await pair.service.post('/v1/vat/issue/l2', l2Request({ login_id }))).status, 200)
    })
})

function claimsOf({
  service: { clock },
  provider: { issuer },
}: Pick<Awaited<ReturnType<typeof aPair>>, 'service' | 'provider'>) {
  const at_s = Math.floor(clock() / 1000)
  return { iss: issuer, aud: 'deputy-client', sub: 'ada', iat: at_s, exp: at_s + 300 }
}

describe('a provider that differs from the file', () => {
  for (const [what, metadata] of Object.entries({
    'calls itself otherwise': (found: object) => ({ ...found, issuer: 'https://issuer.example.com' }),
    'sends people to no web address': (found: object) => ({
      ...found,
      authorization_endpoint: 'javascript:1',
    }),
    'publishes no keys': (found: object) => ({ ...found, jwks_uri: undefined }),
  }))
    test(`${what}: people are not sent there`, async () => {
      const pair = await aPair()
      pair.provider.mischief = { metadata }
      const { status, body } = await pair.service.post('/v1/vat/auth/oidc/start', { provider: 'company' })
      assert.deepEqual([status, body.code], [503, 'provider_unavailable'])
      pair.provider.mischief = {}
      assert.equal(
        (await pair.service.post('/v1/vat/auth/oidc/start', { provider: 'company' })).status,
        503,
        'it is left alone for a moment',
      )
      pair.service.clock.advance(2_000)
      assert.equal((await pair.service.post('/v1/vat/auth/oidc/start', { provider: 'company' })).status, 201)
    })

  test('names an address on another machine: nothing is called there', async () => {
    const pair = await aPair()
    pair.provider.mischief = {
      metadata: (found) => ({ ...found, jwks_uri: 'https://169.254.169.254/latest/meta-data/' }),
    }
    const id_token = pair.provider.idToken({})
    const { status, body } = await pair.service.post('/v1/vat/issue/l2', l2Request({ id_token }))
    assert.deepEqual([status, body.code], [503, 'provider_unavailable'])
  })
})

test('a request for L1 is not valid for L2', async () => {
  const { body } = await service.post('/v1/vat/issue/l2', anIssueRequest())
  assert.equal(body.errors[0].pointer, '/developer_email')
})
