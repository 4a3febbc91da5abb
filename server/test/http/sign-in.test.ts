import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { aProvider, type TestProvider } from '@deputize/testing/a-provider.ts'
import { type Answer, aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import { type HumanCaller, LOCAL_CALLER } from '../../src/access/caller.ts'
import type { OperationCall } from '../../src/operations/operation-context.ts'
import { aDeveloper, callerOf } from '../some-callers.ts'
import { callback, confirm, l2Request, startLogin } from '../verification/sign-in.ts'

const scope = { after }

async function aPair(settings: object = {}): Promise<{ service: TestApp; provider: TestProvider }> {
  const clock = manualClock()
  const provider = await aProvider(scope, clock)
  const providers = [{ name: 'company', issuer: provider.issuer, client_id: 'deputy-client', ...settings }]
  return { service: await aTestApp(scope, { providers, clock }), provider }
}

const { service, provider } = await aPair()

/** A sign-in that the person has finished and confirmed. */
async function aLogin(body: object = {}, pair = { service, provider }): Promise<string> {
  const { login_id, authorization_url } = await startLogin(pair.service, body)
  const page = await callback(pair.service, pair.provider.signIn(authorization_url))
  assert.equal(page.status, 200, page.body)
  assert.equal((await confirm(pair.service, page)).status, 200)
  return login_id
}

const issue = (changes: Record<string, unknown>, headers?: Record<string, string>): Promise<Answer> =>
  service.post('/v1/vat/issue/l2', l2Request(changes), headers)

function l2Body(changes: Record<string, unknown>): OperationCall<'issueL2'>['body'] {
  return l2Request(changes) as OperationCall<'issueL2'>['body'] // a valid body
}

/** Personal data from the provider. It can't occur by chance in hex or base64url, which have no dot or @. */
const PERSONAL = ['ada.lovelace', 'ada@', 'example.com']
const A_JWT = /eyJ[\w-]+\.[\w-]+\./

describe('a token at L2', () => {
  test('states how the person was verified, without identifying them', async () => {
    const { status, body } = await issue({ login_id: await aLogin() })
    assert.equal(status, 200, JSON.stringify(body))
    const { claims } = body
    assert.deepEqual(
      {
        level: claims.svc_assurance_level,
        trust: claims.svc_trust_score,
        provider: claims.svc_provider,
        amr: claims.amr,
        auth_time: claims.auth_time,
        verified: claims.svc_email_verified,
        lifetime: claims.exp - claims.iat,
      },
      {
        level: 'L2',
        trust: 0.7,
        provider: 'company',
        amr: ['pwd', 'otp'],
        auth_time: Math.floor(service.clock() / 1000),
        verified: true,
        lifetime: 8 * 3600,
      },
    )
    assert.match(claims.svc_human_ref, /^sha256:[0-9a-f]{64}$/)
    for (const word of PERSONAL) assert.ok(!JSON.stringify(claims).includes(word), word)
    assert.equal((await service.get(`/v1/vat/tokens/${body.jti}`)).body.assurance_level, 'L2')
  })

  test('has the same human_ref for every kind of proof, and a different one at another provider', async () => {
    const refOf = async (changes: object) => (await issue({ ...changes })).body.claims.svc_human_ref
    const ref = await refOf({ login_id: await aLogin() })
    assert.equal(await refOf({ id_token: provider.idToken({ extra: 1 }) }), ref)
    assert.notEqual(await refOf({ id_token: provider.idToken({ sub: 'grace' }) }), ref)
    const elsewhere = await aPair()
    const other = await elsewhere.service.post(
      '/v1/vat/issue/l2',
      l2Request({ id_token: elsewhere.provider.idToken() }),
    )
    assert.notEqual(other.body.claims.svc_human_ref, ref)
  })

  test('expires after at most a day', async () => {
    const id_token = provider.idToken({ extra: 2 })
    assert.equal((await issue({ id_token, expires_in: 86_401 })).body.errors[0].pointer, '/expires_in')
    const { claims } = (await issue({ id_token, expires_in: 86_400 })).body
    assert.equal(claims.exp - claims.iat, 86_400)
  })

  test('meets policies that require a verified person', async () => {
    const changes = { policy_assertions: ['HIPAA'], constraints: { max_actions: 10 } }
    const { status, body } = await issue({ id_token: provider.idToken({ extra: 3 }), ...changes })
    assert.equal(status, 200, JSON.stringify(body))
  })

  test('requires exactly one proof, and allows a nonce only with an ID token', async () => {
    const pointerOf = async (changes: object) => (await issue({ ...changes })).body.errors[0].pointer
    assert.equal(await pointerOf({}), '/login_id')
    assert.equal(await pointerOf({ id_token: 'a.b.c', login_id: 'lgn_x' }), '/login_id')
    assert.equal(await pointerOf({ login_id: 'lgn_x', nonce: 'n' }), '/nonce')
  })
})

describe('a proof', () => {
  test('yields one token, however many concurrent requests use it', async () => {
    const login_id = await aLogin()
    const answers = await Promise.all(Array.from({ length: 20 }, () => issue({ login_id })))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    for (const { status, body } of answers.filter((answer) => answer.status !== 200))
      assert.deepEqual([status, body.code, body.login_status], [409, 'login_not_usable', 'used'])
    assert.equal((await service.get(`/v1/vat/auth/oidc/logins/${login_id}`)).body.status, 'used')

    const id_token = provider.idToken({ extra: 4 })
    const brought = await Promise.all(Array.from({ length: 20 }, () => issue({ id_token })))
    assert.equal(brought.filter(({ status }) => status === 200).length, 1)
    for (const { status, body } of brought.filter((answer) => answer.status !== 200))
      assert.deepEqual([status, body.code, body.reason], [403, 'sign_on_failed', 'id_token_used'])
  })

  test('yields one token, even with extreme or fractional times', async () => {
    const now_s = Math.floor(service.clock() / 1000)
    for (const times of [{ exp: 1e300 }, { exp: now_s + 0.5, iat: now_s - 0.5 }, { auth_time: 1e300 }]) {
      const id_token = provider.idToken(times)
      const { status, body } = await issue({ id_token })
      assert.equal(status, 200, JSON.stringify(body))
      assert.ok(Number.isInteger(body.claims.auth_time) && body.claims.auth_time <= now_s)
      assert.equal((await issue({ id_token })).body.reason, 'id_token_used')
    }
  })

  test('yields one token even if its signature is encoded differently', async () => {
    const pair = await aPair()
    pair.provider.rotate('curve', 'ES256')
    const id_token = pair.provider.idToken()
    const twin = otherSpelling(id_token)
    assert.notEqual(twin, id_token)
    const brought = (token: string) => pair.service.post('/v1/vat/issue/l2', l2Request({ id_token: token }))
    assert.equal((await brought(id_token)).status, 200)
    assert.equal((await brought(twin)).body.reason, 'id_token_used')
  })

  test('returns the same token to the same request, and to no other', async () => {
    const login_id = await aLogin()
    const headers = { 'idempotency-key': 'sign-on-1' }
    const first = await issue({ login_id }, headers)
    const again = await issue({ login_id }, headers)
    assert.deepEqual([again.status, again.body.jti], [200, first.body.jti])
    assert.equal(again.headers['idempotency-replayed'], 'true')
    assert.equal((await issue({ login_id }, { 'idempotency-key': 'sign-on-2' })).status, 409)
    const changed = await issue({ login_id, agent_id: 'other' }, headers)
    assert.equal(changed.body.code, 'idempotency_mismatch')
  })

  test('is not used up by a refused request', async () => {
    const login_id = await aLogin({ actions: ['read'] })
    assert.equal((await issue({ login_id, actions: ['write'] })).status, 403)
    assert.equal((await issue({ login_id, policy_assertions: ['NIST_ZTA'] })).body.code, 'policy_unmet')
    assert.equal((await issue({ login_id })).status, 200)
  })
})

/** The same ES256 signature as the other valid pair of numbers, (r, n - s). */
function otherSpelling(token: string): string {
  const [head, body, tail = ''] = token.split('.')
  const bytes = Buffer.from(tail, 'base64url')
  const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551')
  const s = order - BigInt(`0x${bytes.subarray(32).toString('hex')}`)
  const twin = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')])
  return `${head}.${body}.${twin.toString('base64url')}`
}

describe('a sign-in that a program started', () => {
  test('cannot be used until the person confirms it on a page that only they see', async () => {
    const { login_id, authorization_url } = await startLogin(service, {})
    const status = async () => (await service.get(`/v1/vat/auth/oidc/logins/${login_id}`)).body.status
    assert.equal(await status(), 'pending')
    assert.deepEqual((await issue({ login_id })).body.login_status, 'pending')
    const page = await callback(service, provider.signIn(authorization_url))
    assert.equal(page.headers['set-cookie'], undefined)
    assert.equal(await status(), 'pending')
    assert.equal((await issue({ login_id })).status, 409)
    assert.equal((await confirm(service, page)).status, 200)
    assert.equal(await status(), 'finished')
    assert.equal((await confirm(service, page)).status, 404, 'a confirmation works once')
    assert.equal((await issue({ login_id })).status, 200)
  })

  test('shows as text who asks and for what', async () => {
    const asked = { agent_id: 'calendar-bot', resources: ['x:<b>bold</b>'], actions: ['a&b'] }
    const { authorization_url } = await startLogin(service, asked)
    provider.person = { ...provider.person, email: '<script>alert(1)</script>@example.com' }
    const page = await callback(service, provider.signIn(authorization_url))
    provider.person = { ...provider.person, email: 'ada@example.com' }
    for (const word of ['local', 'default', 'calendar-bot', 'x:&#60;b&#62;bold&#60;/b&#62;', 'a&#38;b'])
      assert.ok(page.body.includes(word), word)
    assert.ok(!page.body.includes('<script>'))
    assert.match(String(page.headers['content-security-policy']), /default-src 'none'.*form-action 'self'/)
    assert.match(String(page.headers['content-security-policy']), /frame-ancestors 'none'/)
    assert.equal(page.headers['cache-control'], 'no-store')
  })

  test('limits the token to the agent and the scope that were shown', async () => {
    const asked = { agent_id: 'calendar-bot', resources: ['calendar:*'], actions: ['read'] }
    const login_id = await aLogin(asked)
    const { status, body } = await issue({
      login_id,
      agent_id: 'other-bot',
      resources: ['calendar:events', 'mail:inbox'],
      actions: ['read', 'write'],
    })
    assert.deepEqual(
      [status, body.code, body.widening],
      [403, 'scope_widening', ['agent_id: other-bot', 'mail:inbox', 'write']],
    )
    assert.equal((await issue({ login_id })).status, 200)
  })

  test('shows amount, expiry and purpose, and warns about a token without a budget', async () => {
    const shown = async (body: object) => {
      const { authorization_url } = await startLogin(service, body)
      return (await callback(service, provider.signIn(authorization_url))).body
    }
    const limited = await shown({
      constraints: { max_spend_usd: 50, max_spend_usd_per: { day: 10 }, x_team: 'blue' },
      expires_in: 5400,
      purpose: 'Buy \u202Epaper',
    })
    for (const words of [
      'Spends at most $50.00 in total.',
      'Spends at most $10.00 per day (UTC).',
      'x_team: &#34;blue&#34;.',
      '1 hour and 30 minutes after the program gets its token',
      'Buy ⟨U+202E⟩paper',
    ])
      assert.ok(limited.includes(words), `${words} is not in ${limited}`)
    assert.doesNotMatch(limited, /id="no-budget"/)
    const unlimited = await shown({ constraints: { max_spend_per_action_usd: 5 } })
    assert.match(unlimited, /id="no-budget"/)
    assert.match(unlimited, /8 hours after the program gets its token/)
  })

  test('limits the token to the constraints, the lifetime and the purpose that were shown', async () => {
    const consent = {
      constraints: {
        max_spend_usd: 50,
        max_spend_usd_per: { day: 10 },
        max_delegation_depth: 2,
        allowed_audiences: ['https://a.example'],
        active_hours: { time_zone: 'UTC', from: '09:00', to: '17:00' },
      },
      expires_in: 3600,
      purpose: 'buy paper',
    }
    const login_id = await aLogin(consent)
    const beyond: readonly (readonly [object, string])[] = [
      [{ constraints: { max_spend_usd: 50.01 } }, 'max_spend_usd'],
      [{ constraints: { max_delegation_depth: 3 } }, 'max_delegation_depth'],
      [{ constraints: { active_hours: { time_zone: 'UTC', from: '00:00', to: '24:00' } } }, 'active_hours'],
      [
        { constraints: { max_spend_usd_per: { day: 10, time_zone: 'Asia/Tokyo' } } },
        'max_spend_usd_per: time_zone',
      ],
      [{ constraints: { allowed_audiences: ['https://b.example'] } }, 'allowed_audiences: https://b.example'],
      [{ expires_in: 3601 }, 'expires_in'],
      [{ purpose: 'buy a house' }, 'purpose'],
    ]
    for (const [changes, name] of beyond) {
      const { status, body } = await issue({ login_id, ...changes })
      assert.deepEqual([status, body.code, body.widening], [403, 'scope_widening', [name]])
    }
    const { status, body } = await issue({ login_id })
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(body.claims.svc_constraints, consent.constraints)
    assert.equal(body.claims.exp - body.claims.iat, 3600)
    assert.equal((await service.get(`/v1/vat/tokens/${body.jti}`)).body.purpose, 'buy paper')
    const narrower = await issue({
      login_id: await aLogin(consent),
      constraints: { max_spend_usd: 5, max_actions: 3 },
      expires_in: 60,
    })
    assert.deepEqual(narrower.body.claims.svc_constraints, {
      ...consent.constraints,
      max_spend_usd: 5,
      max_actions: 3,
    })
    assert.equal(narrower.body.claims.exp - narrower.body.claims.iat, 60)
    const unlimited = await issue({ login_id: await aLogin(), expires_in: 8 * 3600 + 1 })
    assert.deepEqual(unlimited.body.widening, ['expires_in'], 'the page said eight hours')
  })

  test('that the person declines fails with the reason', async () => {
    const { login_id, authorization_url } = await startLogin(service, {})
    const page = await callback(service, provider.signIn(authorization_url))
    assert.equal((await confirm(service, page, 'no')).status, 403)
    const { body } = await service.get(`/v1/vat/auth/oidc/logins/${login_id}`)
    assert.deepEqual([body.status, body.reason], ['failed', 'not_confirmed'])
    assert.equal((await issue({ login_id })).body.reason, 'not_confirmed')
  })

  test('belongs to its caller, and is unknown to other callers', async () => {
    const login_id = await aLogin()
    const refused = { code: 'login_unknown' }
    for (const caller of [aDeveloper('default'), { ...aDeveloper('acme'), name: LOCAL_CALLER.name }]) {
      const call = callerOf(service, caller)
      await assert.rejects(call('getLogin', { params: { id: login_id } }), refused)
      await assert.rejects(call('issueL2', { body: l2Body({ login_id }) }), refused)
    }
    assert.equal((await issue({ login_id })).status, 200)
  })

  test('returns only to pages of the service', async () => {
    for (const return_to of ['/', '/docs', '/verify?x=1#y']) {
      const { authorization_url } = await startLogin(service, { return_to })
      const page = await confirm(service, await callback(service, provider.signIn(authorization_url)))
      assert.ok(page.body.includes(`content="0;url=${return_to}"`), page.body)
    }
    for (const return_to of [
      ...['https://evil.example', '//evil.example', '/\\evil.example', '\\\\evil.example', 'docs', '/a b'],
      ...['javascript:alert(1)', '/../x', '/x\n', '/\t/evil.example', '/é', '/"onload="x'],
    ]) {
      const { status, body } = await service.post('/v1/vat/auth/oidc/start', { return_to })
      assert.deepEqual([status, body.errors?.[0].pointer], [400, '/return_to'], return_to)
    }
    const begun = await service.app.inject({
      method: 'GET',
      url: '/sign-in/company?return_to=//evil.example',
    })
    assert.equal(begun.statusCode, 400)
  })

  test('stores no address, name or token of the person', async () => {
    const login_id = await aLogin()
    const entry = await service.context.ephemeral.get('login', `${login_id}:login`)
    assert.ok(entry !== undefined && JSON.parse(entry.value).person.human_ref.startsWith('sha256:'))
    for (const word of PERSONAL) assert.ok(!entry.value.includes(word), word)
    assert.doesNotMatch(entry.value, A_JWT)
  })

  test('requests a code with a fresh PKCE challenge, state and nonce', async () => {
    const queries = await Promise.all(
      [1, 2].map(async () => new URL((await startLogin(service, {})).authorization_url).searchParams),
    )
    for (const query of queries) {
      assert.deepEqual(
        [query.get('response_type'), query.get('code_challenge_method'), query.get('scope')],
        ['code', 'S256', 'openid email'],
      )
      assert.equal(query.get('redirect_uri'), 'http://localhost/v1/vat/auth/oidc/callback')
      for (const name of ['state', 'nonce', 'code_challenge'])
        assert.match(query.get(name) ?? '', /^[\w-]{43}$/, name)
    }
    for (const name of ['state', 'nonce', 'code_challenge'])
      assert.notEqual(queries[0]?.get(name), queries[1]?.get(name), name)
  })
})

describe('providers', () => {
  test('are listed for their own tenant', async () => {
    assert.deepEqual((await service.get('/v1/vat/auth/providers')).body.data, [
      { name: 'company', protocol: 'oidc', issuer: provider.issuer, assurance_level: 'L2' },
    ])
    const callInAcme = callerOf(service, aDeveloper('acme'))
    assert.deepEqual(await callInAcme('listProviders'), { data: [] })
    await assert.rejects(callInAcme('startLogin', { body: { provider: 'company' } }), {
      code: 'provider_unknown',
    })
    await assert.rejects(
      callInAcme('issueL2', { body: l2Body({ id_token: provider.idToken({ extra: 5 }) }) }),
      { code: 'sign_on_failed', members: { reason: 'issuer' } },
    )
  })

  test('must be named if there are several', async () => {
    const several = await aTestApp(scope, {
      providers: [
        { name: 'one', issuer: 'https://one.example.com', client_id: 'x' },
        { name: 'two', issuer: 'https://two.example.com', client_id: 'x' },
      ],
    })
    assert.equal((await several.post('/v1/vat/auth/oidc/start', {})).body.code, 'provider_unknown')
    assert.equal(
      (await several.post('/v1/vat/auth/oidc/start', { provider: 'three' })).body.code,
      'provider_unknown',
    )
    const page = await several.app.inject({ method: 'GET', url: '/sign-in?return_to=/docs' })
    assert.match(page.body, /href="\/sign-in\/one\?return_to=%2Fdocs".*href="\/sign-in\/two/)
  })

  test('place their people in their own tenant', async () => {
    const pair = await aPair({ tenant_id: 'acme' })
    const body = l2Body({ id_token: pair.provider.idToken() })
    const { claims } = await callerOf(pair.service, aDeveloper('acme'))('issueL2', { body })
    assert.deepEqual([claims.svc_tenant, claims.sub], ['acme', 'agent:calendar-bot'])
  })
})

describe('groups', () => {
  const staff = { resources: ['calendar:*'], actions: ['read'] }

  test('limit what a person can delegate, and a refusal names the excess', async () => {
    const pair = await aPair({ groups: { staff }, groups_claim: 'roles' })
    const brought = (roles: unknown, changes: object = {}) =>
      pair.service.post(
        '/v1/vat/issue/l2',
        l2Request({ id_token: pair.provider.idToken({ roles }), ...changes }),
      )
    assert.equal((await brought(['staff', 'others'])).status, 200)
    assert.equal((await brought('staff')).status, 200)
    const { status, body } = await brought(['staff'], { resources: ['mail:x'], actions: ['read', 'write'] })
    assert.deepEqual([status, body.code, body.widening], [403, 'scope_widening', ['mail:x', 'write']])
    for (const roles of [undefined, [], ['others'], { staff: true }, ['__proto__', 'constructor'], 7])
      assert.deepEqual(
        (await brought(roles)).body.widening,
        ['calendar:events', 'read'],
        JSON.stringify(roles),
      )
  })

  test('and the email address come from userinfo if the ID token lacks them, and only for the same subject', async () => {
    const pair = await aPair({ groups: { staff } })
    const { email: _, email_verified: __, ...silent } = pair.provider.person
    pair.provider.person = silent
    const told = { sub: 'ada.lovelace', email: 'ada@example.com', email_verified: true, groups: ['staff'] }
    pair.provider.userinfo = told
    const login_id = await aLogin({}, pair)
    const { status, body } = await pair.service.post('/v1/vat/issue/l2', l2Request({ login_id }))
    assert.deepEqual([status, body.claims?.svc_email_verified], [200, true], JSON.stringify(body))
    for (const userinfo of [{ ...told, sub: 'grace' }, { email: 'ada@example.com' }, []]) {
      pair.provider.userinfo = userinfo
      const { login_id: refused, authorization_url } = await startLogin(pair.service, {})
      assert.equal((await callback(pair.service, pair.provider.signIn(authorization_url))).status, 403)
      const answer = await pair.service.post('/v1/vat/issue/l2', l2Request({ login_id: refused }))
      assert.equal(answer.body.reason, 'answer_malformed')
    }
  })

  test('in the ID token take precedence over userinfo', async () => {
    const pair = await aPair({ groups: { staff } })
    pair.provider.person = { sub: 'ada.lovelace', groups: ['others'] }
    pair.provider.userinfo = { sub: 'ada.lovelace', email: 'ada@example.com', groups: ['staff'] }
    const login_id = await aLogin({}, pair)
    const { body } = await pair.service.post('/v1/vat/issue/l2', l2Request({ login_id }))
    assert.deepEqual(body.widening, ['calendar:events', 'read'])
  })

  test('limit every token that a session obtains: L1, L2, delegated and renewed', async () => {
    const pair = await aPair({ groups: { staff } })
    pair.provider.person = { ...pair.provider.person, groups: ['staff'] }
    const wide = { resources: ['calendar:events', 'mail:x'], actions: ['read', 'delegate'] }
    const developer_email = 'ada@example.com'
    const { body: root } = await pair.service.post(
      '/v1/vat/issue/l1',
      anIssueRequest({ ...wide, developer_email }),
    )
    const ada = await aSignedInCaller(pair)
    const as = callerOf(pair.service, ada)
    const beyond = { code: 'scope_widening', members: { widening: ['mail:x', 'delegate'] } }
    const l1 = anIssueRequest({ ...wide, developer_email, agent_id: 'adas-bot' })
    await assert.rejects(as('issueL1', { body: l1 as never }), beyond) // a valid body
    await assert.rejects(as('issueL2', { body: l2Body({ ...wide, agent_id: 'adas-bot' }) }), beyond)
    const child = { vat_jti: root.jti, agent_id: 'adas-bot', ...wide }
    await assert.rejects(as('delegate', { body: child }), beyond)
    await assert.rejects(as('renewToken', { body: { vat_jti: root.jti, expires_in: 600 } }), beyond)
    const narrow = { ...child, resources: ['calendar:events'], actions: ['read'] }
    assert.equal((await as('delegate', { body: narrow })).claims.sub, 'agent:adas-bot')
    const passkey = await pair.service.accessControl.sessions.create({
      ...ada,
      assurance_level: 'L2',
      sign_on: undefined,
    })
    const without = callerOf(pair.service, { ...ada, session_key: passkey.session.session_key })
    await assert.rejects(without('delegate', { body: narrow }), { code: 'not_yours' })
  })

  test('that are required exclude everyone else', async () => {
    const pair = await aPair({ required_groups: ['staff', 'trained'] })
    const brought = (groups: readonly string[]) =>
      pair.service.post('/v1/vat/issue/l2', l2Request({ id_token: pair.provider.idToken({ groups }) }))
    assert.equal((await brought(['trained', 'staff', 'others'])).status, 200)
    assert.equal((await brought(['staff'])).body.reason, 'group_missing')
    const { login_id, authorization_url } = await startLogin(pair.service, {})
    assert.equal((await callback(pair.service, pair.provider.signIn(authorization_url))).status, 403)
    const { body } = await pair.service.post('/v1/vat/issue/l2', l2Request({ login_id }))
    assert.equal(body.reason, 'group_missing')
  })
})

describe('one person', () => {
  const l1RefOf = async ({ service: { post } }: { service: TestApp }, developer_email: string) =>
    (await post('/v1/vat/issue/l1', anIssueRequest({ developer_email }))).body.claims.svc_human_ref

  test('who proves the email address of an L1 ref is linked to that ref, once', async () => {
    const pair = await aPair()
    const email_ref = await l1RefOf(pair, 'Ada@Example.com')
    const ref = (
      await pair.service.post('/v1/vat/issue/l2', l2Request({ id_token: pair.provider.idToken() }))
    ).body.claims.svc_human_ref
    const entry = await pair.service.reader.registry.entry('identity', email_ref)
    assert.deepEqual([entry?.owner, entry?.tenant_id], [ref, 'default'])
    assert.deepEqual(JSON.parse(entry?.document ?? ''), {
      linked_to: ref,
      at: new Date(pair.service.clock()).toISOString(),
    })
    const size = await pair.service.logSize()
    await aLogin({}, pair)
    await pair.service.post('/v1/vat/issue/l2', l2Request({ id_token: pair.provider.idToken({ extra: 1 }) }))
    assert.equal(await pair.service.logSize(), size + 1, 'only the token is logged')
  })

  test('is not linked by an unverified address, or by an address that another person has proved', async () => {
    const pair = await aPair()
    const email_ref = await l1RefOf(pair, 'ada@example.com')
    const brought = async (changes: object) =>
      (
        await pair.service.post(
          '/v1/vat/issue/l2',
          l2Request({ id_token: pair.provider.idToken({ ...changes }) }),
        )
      ).body.claims
    for (const email_verified of [false, undefined, 'no', 1])
      assert.equal((await brought({ email_verified })).svc_email_verified, false)
    assert.equal(await pair.service.reader.registry.entry('identity', email_ref), undefined)
    const first = await brought({})
    await brought({ sub: 'grace' })
    const entry = await pair.service.reader.registry.entry('identity', email_ref)
    assert.equal(entry?.owner, first.svc_human_ref)
  })

  test('who must sign in again is not accepted with an old sign-in at the provider', async () => {
    const pair = await aPair()
    const now_s = Math.floor(pair.service.clock() / 1000)
    const again = async (auth_time: number | undefined, query = '?fresh=1') => {
      pair.provider.mischief = { claims: (claims) => ({ ...claims, auth_time }) }
      const begun = await pair.service.app.inject({ method: 'GET', url: `/sign-in/company${query}` })
      const [cookie = ''] = String(begun.headers['set-cookie']).split(';')
      const location = new URL(String(begun.headers.location))
      const page = await callback(pair.service, pair.provider.signIn(location.href), { cookie })
      const [, reason] = /<code>(auth_time)<\/code>/.exec(page.body) ?? []
      return [location.searchParams.get('prompt'), location.searchParams.get('max_age'), page.status, reason]
    }
    assert.deepEqual(await again(now_s - 300), ['login', '300', 200, undefined])
    assert.deepEqual(await again(now_s - 400), ['login', '300', 403, 'auth_time'])
    assert.deepEqual(await again(undefined), ['login', '300', 403, 'auth_time'])
    assert.deepEqual(await again(now_s - 400, ''), [null, null, 200, undefined])
  })

  test('who signed in on the page of the service needs no other proof for their own token', async () => {
    const pair = await aPair({ groups: { staff: { resources: ['calendar:*'], actions: ['read'] } } })
    pair.provider.person = { ...pair.provider.person, groups: ['staff'] }
    const email_ref = await l1RefOf(pair, 'ada@example.com')
    const ada = await aSignedInCaller(pair)
    assert.deepEqual(ada.human_refs, [ada.human_ref, email_ref])
    const issueAs = (caller: HumanCaller, changes: object = {}) =>
      callerOf(pair.service, caller)('issueL2', { body: l2Body({ ...changes }) })
    const { claims } = await issueAs(ada)
    assert.deepEqual(
      [claims.svc_human_ref, claims.svc_provider, claims.amr, claims.svc_email_verified],
      [ada.human_ref, 'company', ['pwd', 'otp'], true],
    )
    await assert.rejects(issueAs(ada, { resources: ['mail:x'] }), { code: 'scope_widening' })
    await assert.rejects(issueAs(ada, { id_token: pair.provider.idToken({ sub: 'grace' }) }), {
      code: 'sign_on_failed',
      members: { reason: 'other_person' },
    })
    await assert.rejects(issueAs({ ...ada, session_key: 'another' }), { code: 'invalid_request' })
  })
})

/** A person who has signed in on the page of the service. */
async function aSignedInCaller({
  service,
  provider,
}: Awaited<ReturnType<typeof aPair>>): Promise<HumanCaller> {
  const begun = await service.app.inject({ method: 'GET', url: '/sign-in/company' })
  const [cookie = ''] = String(begun.headers['set-cookie']).split(';')
  const page = await callback(service, provider.signIn(String(begun.headers.location)), { cookie })
  const [, secret = ''] = /deputy_session=([\w-]+)/.exec(String(page.headers['set-cookie'])) ?? []
  const session = await service.accessControl.sessions.read(secret)
  assert.ok(session !== undefined)
  return { ...session, role: 'human', name: 'session:ada', csrf_token: 'csrf' }
}
