import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ACCESS, type OperationId, type Passkey } from '@deputize/protocol'
import { aDevice, type Device } from '@deputize/testing/a-device.ts'
import { type Answer, aTestApp, TEST_URL } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import type { PasskeyDocument } from '../../src/access/passkey-document.ts'
import { putPasskey } from '../../src/operations/verification/passkeys/passkey-entries.ts'
import { CONFIRMATION_TEXTS } from '../../src/operations/verification/step-up/confirmation-text.ts'
import { relyingParty } from '../../src/verification/passkeys.ts'
import { aKeyedApp, anAgent, aPerson, type KeyedApp, type Person } from './a-keyed-app.ts'

const ADA = `sha256:${'a'.repeat(64)}`
const GRACE = `sha256:${'b'.repeat(64)}`
const PASSKEYS = '/v1/vat/auth/passkeys'

const refusal = ({ status, body }: Answer) => [status, body.code, body.reason]

/** A person with a passkey on a software device. */
async function aHolder(app: KeyedApp, tenant_id: string, human_ref: string) {
  const person = await aPerson(app, tenant_id, human_ref)
  const device = aDevice(TEST_URL)
  const added = await register(person, device)
  assert.equal(added.status, 201, JSON.stringify(added.body))
  return { person, device }
}

async function register({ client }: Person, device: Device, name?: string): Promise<Answer> {
  const { body } = await client.post(`${PASSKEYS}/register/options`)
  return client.post(`${PASSKEYS}/register/verify`, {
    response: device.create(body.options),
    ...(name !== undefined && { name }),
  })
}

async function signIn({ anonymous }: KeyedApp, device: Device, changes = {}): Promise<Answer> {
  const { body } = await anonymous.post(`${PASSKEYS}/login/options`)
  return anonymous.post(`${PASSKEYS}/login/verify`, { response: device.get(body.options, changes) })
}

async function twoTenants(scope: TestScope): Promise<KeyedApp> {
  const app = await aKeyedApp(scope)
  for (const tenant_id of ['acme', 'umbrella']) await app.operator.post('/v1/vat/tenants', { tenant_id })
  return app
}

describe('a new passkey', () => {
  const MINUTE_MS = 60_000

  test('needs a sign-in from the last five minutes', async (context) => {
    const app = await aKeyedApp(context)
    const person = await aPerson(app, 'default', ADA)
    app.test.clock.advance(5 * MINUTE_MS)
    assert.equal((await person.client.post(`${PASSKEYS}/register/options`)).status, 200)
    app.test.clock.advance(1)
    const { status, body } = await person.client.post(`${PASSKEYS}/register/options`)
    assert.deepEqual(
      [status, body.code, body.sign_in_path],
      [403, 'sign_on_too_old', '/sign-in?fresh=1&return_to=/me'],
    )
  })

  test('and an enrollment that need a fresh sign-in name the sign-in page of the tenant', async (context) => {
    const app = await twoTenants(context)
    const { client } = await aPerson(app, 'acme', ADA)
    app.test.clock.advance(6 * MINUTE_MS)
    const answers = [
      await client.post(`${PASSKEYS}/register/options`),
      await client.post('/v1/vat/auth/sessions/hosted', { purpose: 'enroll' }),
    ]
    for (const { body } of answers)
      assert.deepEqual(
        [body.code, body.sign_in_path],
        ['sign_on_too_old', '/sign-in?fresh=1&return_to=/me&tenant=acme'],
      )
  })

  test('of a person who already has one needs a fresh sign-in or a confirmation with that passkey', async (context) => {
    const app = await aKeyedApp(context)
    const { person, device } = await aHolder(app, 'default', ADA)
    app.test.clock.advance(6 * MINUTE_MS)
    const begin = `${PASSKEYS}/register/options`
    assert.equal((await person.client.post(begin)).body.code, 'sign_on_too_old')
    const asked = await person.client.post('/v1/vat/auth/step-up/options', { operation: 'beginPasskey' })
    const proven = await person.client.post('/v1/vat/auth/step-up/verify', {
      response: device.get(asked.body.options, { counter: 1 }),
    })
    const confirmed = await person.client.call('POST', begin, undefined, {
      'deputy-step-up': proven.body.grant,
    })
    assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
  })

  test('can be added on a device whose passkey of open mode does not count', async (context) => {
    const app = await aKeyedApp(context)
    const { person, device } = await aHolder(app, 'default', ADA)
    const old = aDevice(TEST_URL)
    const document: PasskeyDocument = {
      public_key: '',
      counter: 0,
      name: 'Old laptop',
      transports: ['internal'],
      created_at: new Date(app.test.clock()).toISOString(),
      backed_up: false,
      assurance_level: 'L1',
      made_in_open_mode: true,
    }
    await putPasskey(
      { id: old.id, tenant_id: 'default', human_ref: ADA, document },
      'absent',
      app.test.context,
    )
    const { body } = await person.client.post(`${PASSKEYS}/register/options`)
    assert.deepEqual(
      body.options.excludeCredentials.map(({ id }: { id: string }) => id),
      [device.id],
    )
    const { data } = (await person.client.get(PASSKEYS)).body
    assert.deepEqual(
      data.map((one: Passkey) => [one.passkey_id, one.open_mode_only]),
      [
        [old.id, true],
        [device.id, false],
      ],
    )
    assert.match(String((await person.client.get('/me')).body), /added in open mode and does not work here/)
  })

  test('is reported to the operators with the kind of its device', async (context) => {
    const lines: string[] = []
    const app = await aKeyedApp(context, { onLog: (line) => lines.push(line) })
    await aHolder(app, 'default', ADA)
    const [line] = lines.filter((one) => one.includes('first passkey registered'))
    const { level, human_ref, aaguid } = JSON.parse(line ?? '{}')
    assert.deepEqual([level, human_ref, aaguid], [40, ADA, '00000000-0000-0000-0000-000000000000'])
  })

  test('is refused from a device that the tenant does not list', async (context) => {
    const app = await aKeyedApp(context)
    const person = await aPerson(app, 'default', ADA)
    const accept = (passkey_aaguids: readonly string[]) =>
      app.operator.call('PATCH', '/v1/vat/tenants/default', { passkey_aaguids })
    const listed = await accept(['ee882879-721c-4913-9775-3dfcce97072a'])
    assert.deepEqual(listed.body.passkey_aaguids, ['ee882879-721c-4913-9775-3dfcce97072a'])
    assert.deepEqual(refusal(await register(person, aDevice(TEST_URL))), [
      403,
      'passkey_refused',
      'authenticator',
    ])
    await accept(['00000000-0000-0000-0000-000000000000'])
    assert.equal((await register(person, aDevice(TEST_URL))).status, 201)
    assert.equal((await accept([])).body.passkey_aaguids, undefined)
    assert.equal((await register(person, aDevice(TEST_URL))).status, 201)
    assert.equal((await accept(['EE882879-721C-4913-9775-3DFCCE97072A'])).status, 400)
  })
})

describe('the page /me', () => {
  test('shows hidden and misleading characters of agents by their code points', async (context) => {
    const app = await aKeyedApp(context)
    const developer = app.withKey(await app.key('default', 'developer'))
    const agent = await anAgent(app, developer, { purpose: 'Pay \u202Ebob at p\u0430ypal' })
    const { client } = await aPerson(app, 'default', agent.human_ref)
    const page = String((await client.get('/me')).body)
    assert.ok(page.includes('Pay ⟨U+202E⟩bob at p⟨U+0430⟩ypal'))
    assert.ok(!page.includes('\u202E'))
  })
})

describe('a passkey', () => {
  test('is requested with user verification and as a discoverable credential', async (context) => {
    const app = await aKeyedApp(context)
    const { client } = await aPerson(app, 'default', ADA)
    const { body } = await client.post(`${PASSKEYS}/register/options`)
    assert.deepEqual(
      [body.options.rp.id, body.options.attestation, body.options.authenticatorSelection],
      [
        'localhost',
        'none',
        { residentKey: 'required', userVerification: 'required', requireResidentKey: true },
      ],
    )
    assert.equal(Buffer.from(body.options.user.id, 'base64url').toString('hex'), 'a'.repeat(64))
    const login = await app.anonymous.post(`${PASSKEYS}/login/options`)
    assert.deepEqual(
      [login.body.options.userVerification, login.body.options.allowCredentials],
      ['required', undefined],
    )
  })

  test('signs in its person at the level of its registration, and shows when it was last used', async (context) => {
    const app = await aKeyedApp(context)
    const { person, device } = await aHolder(app, 'default', ADA)
    app.test.clock.advance(60_000)
    const answer = await signIn(app, device, { handle: Buffer.from('a'.repeat(64), 'hex') })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.deepEqual(
      [answer.body.human_ref, answer.body.assurance_level, answer.body.amr],
      [ADA, 'L2', ['hwk', 'user', 'mfa']],
    )
    const cookie = String(answer.headers['set-cookie'])
    assert.match(cookie, /^deputy_session=[\w-]{43}; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict$/)
    const { body } = await person.client.get(PASSKEYS)
    assert.equal(body.data[0].last_used_at, new Date(app.test.clock()).toISOString())
    const leaves = await app.test.leafTexts()
    assert.ok(!leaves.join().includes(device.id), 'the log names a passkey by its hash only')
  })

  test('without a counter can be used by concurrent sign-ins', async (context) => {
    const app = await aKeyedApp(context)
    const { device } = await aHolder(app, 'default', ADA)
    const answers = await Promise.all(Array.from({ length: 8 }, () => signIn(app, device)))
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(8).fill(200),
    )
  })

  test('that repeats a counter value is suspected to be a clone', async (context) => {
    const app = await aKeyedApp(context)
    const { device } = await aHolder(app, 'default', ADA)
    assert.equal((await signIn(app, device, { counter: 7 })).status, 200)
    assert.equal((await signIn(app, device, { counter: 7 })).body.reason, 'suspected_clone')
    assert.equal((await signIn(app, device, { counter: 8 })).body.reason, 'suspected_clone')
  })

  test("is refused with another person's user handle", async (context) => {
    const app = await aKeyedApp(context)
    const { device } = await aHolder(app, 'default', ADA)
    const handle = Buffer.from('b'.repeat(64), 'hex')
    assert.equal((await signIn(app, device, { handle })).body.reason, 'credential')
  })

  test('is registered once, and only in the session that requested the challenge', async (context) => {
    const app = await aKeyedApp(context)
    const { device } = await aHolder(app, 'default', ADA)
    const grace = await aPerson(app, 'default', GRACE)
    assert.equal((await register(grace, device)).body.code, 'registry_conflict')
    const ada = await aPerson(app, 'default', ADA)
    const { body } = await ada.client.post(`${PASSKEYS}/register/options`)
    const response = aDevice(TEST_URL).create(body.options)
    const stolen = await grace.client.post(`${PASSKEYS}/register/verify`, { response })
    assert.deepEqual(refusal(stolen), [403, 'passkey_refused', 'challenge'])
  })

  test('is refused with an attestation certificate', async (context) => {
    const app = await aKeyedApp(context)
    const { client } = await aPerson(app, 'default', ADA)
    const { body } = await client.post(`${PASSKEYS}/register/options`)
    const statement = new Map([['x5c', Buffer.from('certificate')]])
    const response = aDevice(TEST_URL).create(body.options, statement)
    assert.equal((await client.post(`${PASSKEYS}/register/verify`, { response })).body.reason, 'malformed')
  })

  test('is refused beyond twenty per person', async (context) => {
    const app = await aKeyedApp(context)
    const person = await aPerson(app, 'default', ADA)
    for (let count = 0; count < 20; count += 1)
      assert.equal((await register(person, aDevice(TEST_URL), `number ${count}`)).status, 201)
    const more = await person.client.post(`${PASSKEYS}/register/options`)
    assert.deepEqual(refusal(more), [403, 'passkey_refused', 'too_many'])
  })

  test("is part of its person's export, and is refused once they are erased", async (context) => {
    const app = await aKeyedApp(context)
    const agent = await anAgent(app, app.withKey(await app.key('default', 'developer')))
    const { person, device } = await aHolder(app, 'default', agent.human_ref)
    const exported: string = (await person.client.get(`/v1/vat/humans/${agent.human_ref}/export`)).body
    const lines = exported.split('\n').filter((line) => line.startsWith('{"passkey"'))
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).passkey.passkey_id),
      [device.id],
    )
    assert.equal((await app.operator.call('DELETE', `/v1/vat/humans/${agent.human_ref}`)).status, 200)
    assert.equal((await signIn(app, device)).body.reason, 'credential')
  })

  test('can be seen and removed only by its person and by operators of its tenant', async (context) => {
    const app = await twoTenants(context)
    const { person, device } = await aHolder(app, 'acme', ADA)
    const path = `${PASSKEYS}/${device.id}`
    const strangers = [
      (await aPerson(app, 'acme', GRACE)).client,
      (await aPerson(app, 'umbrella', ADA)).client,
      app.withKey(await app.key('umbrella', 'operator')),
      app.operator,
    ]
    for (const stranger of strangers) {
      assert.deepEqual((await stranger.get(PASSKEYS)).body.data, [])
      assert.equal((await stranger.call('DELETE', path)).body.code, 'passkey_unknown')
    }
    const developer = app.withKey(await app.key('acme', 'developer'))
    assert.equal((await developer.call('DELETE', path)).body.code, 'role_not_allowed')
    const operator = app.withKey(await app.key('acme', 'operator'))
    assert.deepEqual(
      (await operator.get(PASSKEYS)).body.data.map((one: { human_ref: string }) => one.human_ref),
      [ADA],
    )
    assert.equal((await operator.call('DELETE', path)).status, 200)
    assert.equal((await person.client.get('/v1/vat/auth/me')).body.reason, 'session_ended')
    assert.equal((await signIn(app, device)).body.reason, 'credential')
  })

  test('requires a host name: a URL with an IP address has no relying party', () => {
    assert.deepEqual(relyingParty('https://deputy.example:8443'), {
      origin: 'https://deputy.example:8443',
      rp_id: 'deputy.example',
    })
    for (const url of ['http://127.0.0.1:8420', 'http://[::1]:8420'])
      assert.throws(() => relyingParty(url), { members: { reason: 'no_domain' } })
  })
})

describe('a tenant that requires passkeys', () => {
  test('asks people without a passkey to register one, and lets them do so', async (context) => {
    const app = await aKeyedApp(context)
    await app.operator.call('PATCH', '/v1/vat/tenants/default', { step_up: ['rate', 'passkeys'] })
    const agent = await anAgent(app, app.withKey(await app.key('default', 'developer')))
    const { body } = await agent.client.post('/v1/vat/record/action', {
      vat_jti: agent.jti,
      action: 'read',
      resource: 'calendar:events',
      result: 'success',
    })
    const person = await aPerson(app, 'default', agent.human_ref)
    const rate = () => person.client.post(`/v1/vat/aar/${body.aar_id}/feedback`, { rating: 'approved' })
    const first = await rate()
    assert.deepEqual(refusal(first), [403, 'step_up_required', 'no_passkey'])
    assert.match(first.body.detail, /register one/i)
    assert.equal((await register(person, aDevice(TEST_URL))).status, 201)
    assert.equal((await rate()).body.reason, 'no_grant')
    const second = await person.client.post(`${PASSKEYS}/register/options`)
    assert.equal(second.body.code, 'step_up_required')
  })

  test('requires one for every token that a session obtains: L1, L2, delegated and renewed', async (context) => {
    const app = await aKeyedApp(context)
    await app.operator.call('PATCH', '/v1/vat/tenants/default', { step_up: ['issue_l2'] })
    const agent = await anAgent(app, app.withKey(await app.key('default', 'developer')))
    const { client } = await aPerson(app, 'default', agent.human_ref)
    const { developer_email, ...scope } = anIssueRequest({ agent_id: 'mine' })
    for (const [path, body] of [
      ['issue/l1', { developer_email, ...scope }],
      ['issue/l2', scope],
      ['delegate', { vat_jti: agent.jti, agent_id: 'mine' }],
      ['renew', { vat_jti: agent.jti, expires_in: 600 }],
    ] as const)
      assert.deepEqual(
        refusal(await client.post(`/v1/vat/${path}`, body)),
        [403, 'step_up_required', 'no_passkey'],
        path,
      )
  })

  test('does not require one for other groups, and the rating shows only the level', async (context) => {
    const app = await aKeyedApp(context)
    await app.operator.call('PATCH', '/v1/vat/tenants/default', { step_up: ['approve', 'erase'] })
    const agent = await anAgent(app, app.withKey(await app.key('default', 'developer')))
    const { body } = await agent.client.post('/v1/vat/record/action', {
      vat_jti: agent.jti,
      action: 'read',
      resource: 'calendar:events',
      result: 'success',
    })
    const { client } = await aPerson(app, 'default', agent.human_ref)
    assert.equal(
      (await client.post(`/v1/vat/aar/${body.aar_id}/feedback`, { rating: 'approved' })).status,
      200,
    )
    assert.equal((await client.get(`/v1/vat/aar/${body.aar_id}`)).body.rater_assurance, 'L2')
  })

  test('has a confirmation text for every operation that can require one', () => {
    const asked = Object.entries(ACCESS)
      .filter(([, row]) => row.step_up !== undefined)
      .map(([id]) => id)
    assert.deepEqual(Object.keys(CONFIRMATION_TEXTS).sort(), asked.sort())
    for (const id of asked) assert.notEqual(ACCESS[id as OperationId].human, undefined, id) // keys are operation IDs
  })
})

describe('a session', () => {
  test('shows its person, and ends together with all others on request', async (context) => {
    const app = await aKeyedApp(context)
    const [here, there] = [await aPerson(app, 'default', ADA), await aPerson(app, 'default', ADA)]
    const me = await here.client.get('/v1/vat/auth/me')
    assert.deepEqual(
      [me.body.human_ref, me.body.human_refs, me.body.tenant_id, me.body.passkeys],
      [ADA, [ADA], 'default', 0],
    )
    const ended = await here.client.post('/v1/vat/auth/logout', { everywhere: true })
    assert.deepEqual(ended.body, { signed_out: true })
    assert.match(String(ended.headers['set-cookie']), /^deputy_session=; .*Max-Age=0;/)
    for (const { client } of [here, there])
      assert.equal((await client.get('/v1/vat/auth/me')).body.reason, 'session_ended')
  })

  test('is obtained through a redirect to the sign-in page, which leads back to no other site', async (context) => {
    const app = await aKeyedApp(context)
    const { status, headers } = await app.anonymous.get('/me')
    assert.deepEqual([status, headers.location], [303, '/sign-in?return_to=/me'])
    const ofTenant = await app.anonymous.get('/me?tenant=acme')
    assert.equal(ofTenant.headers.location, '/sign-in?return_to=/me&tenant=acme')
    // A link on another site arrives without the session, so the browser is sent to the same address again.
    const linked = await app.anonymous.get('/me?tenant=acme', { 'sec-fetch-site': 'cross-site' })
    assert.equal(linked.status, 200)
    assert.match(String(linked.body), /http-equiv="refresh" content="0;url=\/me\?tenant=acme"/)
    const ended = await app.anonymous.get('/me', { cookie: `deputy_session=${'x'.repeat(43)}` })
    assert.equal(ended.status, 303)
    for (const [given, used] of [
      ['/verify', '/verify'],
      ['//attacker.example', '/me'],
      ['https://attacker.example', '/me'],
      ['/\\attacker.example', '/me'],
      ['javascript:alert(1)', '/me'],
      ['"><script>', '/me'],
    ] as const) {
      const { body } = await app.anonymous.get(`/sign-in?return_to=${encodeURIComponent(given)}`)
      assert.ok(body.includes(`data-return-to="${used}"`), given)
    }
  })

  test('shows text of others as text, and executes none of it', async (context) => {
    const app = await aKeyedApp(context)
    const purpose = '<script>alert(1)</script><img src=x onerror=alert(2)>'
    const agent = await anAgent(app, app.withKey(await app.key('default', 'developer')), { purpose })
    const { client } = await aPerson(app, 'default', agent.human_ref)
    const { body, headers } = await client.get('/me')
    assert.ok(!body.includes('<img') && !body.includes('<script>alert'))
    assert.match(String(headers['content-security-policy']), /default-src 'none'; script-src 'self';/)
    assert.doesNotMatch(body, /<script(?! type="module" src="\/people\.js")/)
  })
})

test('open mode has no sign-in, and its pages say so', async (context) => {
  const service = await aTestApp(context)
  for (const [path, dashboard] of [
    ['/me', '/app'],
    ['/sign-in', '/app'],
    ['/approve/apr_x', '/app/approvals/apr_x'],
  ] as const) {
    const { body } = await service.get(path)
    assert.match(body, /Sign-in is off/, path)
    assert.ok(body.includes(`href="${dashboard}"`), `${path} leads to ${dashboard}`)
  }
  const { role, operations } = (await service.get('/v1/vat/auth/me')).body
  assert.deepEqual(
    [role, operations.includes('issueL1'), operations.includes('listDuressAlerts')],
    ['local', true, false],
  )
  const signIn = await service.post('/v1/vat/auth/sign-in/key', { key: 'dk_x' })
  assert.deepEqual(refusal(signIn), [401, 'credential_required', undefined])
})
