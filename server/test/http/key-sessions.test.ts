import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { ACCESS, OPERATIONS, type Operation, type OperationId } from '@deputize/protocol'
import { EXAMPLES } from '@deputize/protocol/examples'
import { aProvider } from '@deputize/testing/a-provider.ts'
import { type Answer, TEST_URL } from '@deputize/testing/a-test-app.ts'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import {
  csrfTokenOf,
  SESSION_IDLE_MS,
  SESSION_MOST_MS,
  sessionKeyOf,
} from '../../src/access/session-entries.ts'
import { proveAddress } from '../a-proven-address.ts'
import { aKeyedApp, aPerson, type Client } from './a-keyed-app.ts'

const app = await aKeyedApp({ after })
const { operator, anonymous, withHeaders, withKey, key, test: service } = app
for (const tenant_id of ['acme', 'other']) await operator.post('/v1/vat/tenants', { tenant_id })

interface Browser {
  readonly client: Client
  readonly secret: string
  readonly session_id: string
}

function withSecret(secret: string): Client {
  const headers = { cookie: `deputy_session=${secret}`, origin: TEST_URL, 'deputy-csrf': csrfTokenOf(secret) }
  return withHeaders(() => headers)
}

function secretIn({ headers }: Answer): string {
  return /^deputy_session=([\w-]{43}); Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict$/.exec(
    String(headers['set-cookie']),
  )?.[1] as string // the test fails on the next call otherwise
}

async function signIn(text: string, headers = {}): Promise<Browser> {
  const answer = await anonymous.post('/v1/vat/auth/sign-in/key', { key: text }, headers)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const secret = secretIn(answer)
  return { client: withSecret(secret), secret, session_id: answer.body.session_id }
}

const me = (client: Client) => client.get('/v1/vat/auth/me')

describe('signing in with an API key', () => {
  test('gives a session of the same role and tenant, for operators, developers and auditors', async () => {
    for (const role of ['operator', 'developer', 'auditor'] as const) {
      const text = await key('acme', role)
      const { client, session_id } = await signIn(text)
      const { body } = await me(client)
      const plain = (await me(withKey(text))).body
      assert.deepEqual([body.role, body.tenant_id, body.session_id], [role, 'acme', session_id])
      assert.equal(body.name, `${role} of acme`)
      const { csrf_token, session_id: _, session_expires_at, ...rest } = body
      assert.deepEqual(rest, plain)
      assert.ok(csrf_token.length > 20 && Date.parse(session_expires_at) > service.clock())
    }
  })

  test('is refused to other roles, and does not reveal whether a key exists', async () => {
    for (const role of ['resource_server', 'safety'] as const) {
      const more = role === 'safety' ? {} : { audience: 'https://calendar.example' }
      const text = await key('acme', role, more)
      const { status, body, headers } = await anonymous.post('/v1/vat/auth/sign-in/key', { key: text })
      assert.deepEqual([status, body.code, headers['set-cookie']], [403, 'role_not_allowed', undefined])
    }
    const text = await key('acme', 'auditor')
    const wrong = [
      `${text.slice(0, -3)}abc`,
      'dk_x',
      text.replace(/_\w{43}_/, `_${'0'.repeat(43)}_`),
      'dsu_x',
    ]
    for (const given of wrong) {
      const { status, body, headers } = await anonymous.post('/v1/vat/auth/sign-in/key', { key: given })
      assert.deepEqual([status, body.code, body.reason], [401, 'credential_invalid', 'key_refused'])
      assert.equal(headers['set-cookie'], undefined)
    }
  })

  test('never uses a secret that the browser already has', async () => {
    const planted = 'p'.repeat(43)
    const { secret } = await signIn(await key('acme', 'auditor'), { cookie: `deputy_session=${planted}` })
    assert.notEqual(secret, planted)
    assert.equal((await me(withSecret(planted))).status, 401)
  })

  test("accepts only JSON, so a form of another site can't sign anyone in", async () => {
    const text = await key('acme', 'auditor')
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data']) {
      const { statusCode, headers } = await service.app.inject({
        method: 'POST',
        url: '/v1/vat/auth/sign-in/key',
        headers: { 'content-type': type, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
        payload: JSON.stringify({ key: text }),
      })
      assert.equal(statusCode, 415, type)
      assert.equal(headers['set-cookie'], undefined)
    }
  })

  test('counts wrong keys as guesses', async (context) => {
    const own = await aKeyedApp(context)
    const codes = new Set<string>()
    for (let guess = 0; guess < 70; guess++)
      codes.add((await own.anonymous.post('/v1/vat/auth/sign-in/key', { key: `dk_${guess}` })).body.code)
    assert.deepEqual([...codes], ['credential_invalid', 'rate_limited'])
  })
})

describe('the session of a key', () => {
  test('may call exactly what the key may, for every operation and role', async () => {
    const rows = Object.entries<Operation>(OPERATIONS) as [OperationId, Operation][]
    let cases = 0
    for (const role of ['operator', 'developer', 'auditor'] as const) {
      const text = await key('acme', role)
      const { client } = await signIn(text)
      const allowed: string[] = (await me(client)).body.operations
      for (const [id, row] of rows) {
        const isAllowed = ACCESS[id].public === true || (ACCESS[id][role] ?? 'deployment') !== 'deployment'
        assert.equal(allowed.includes(id), isAllowed, `${role} ${id}`)
        if (isAllowed) continue
        const path = row.path.replaceAll(/\{\w+\}/g, 'x')
        const body = row.form === true ? 'a=b' : row.body === undefined ? undefined : EXAMPLES[id]?.body
        const [inSession, withText] = [
          await client.call(row.method, path, body),
          await withKey(text).call(row.method, path, body),
        ]
        assert.deepEqual([inSession.status, inSession.body.code], [withText.status, withText.body.code], id)
        cases += 1
      }
    }
    assert.ok(cases > 100, `${cases}`)
  })

  test('can make changes only with the token of its page and from the origin of the service', async () => {
    const { secret } = await signIn(await key('acme', 'operator'))
    const change = (headers: Record<string, string>) =>
      withHeaders(() => ({ cookie: `deputy_session=${secret}`, ...headers })).post('/v1/vat/keys', {
        name: 'forged',
        role: 'auditor',
      })
    const csrf = csrfTokenOf(secret)
    for (const headers of [
      {},
      { origin: TEST_URL },
      { 'deputy-csrf': csrf },
      { origin: 'https://evil.example', 'deputy-csrf': csrf },
      { origin: TEST_URL, 'deputy-csrf': csrf, 'sec-fetch-site': 'cross-site' },
      { origin: TEST_URL, 'deputy-csrf': 'x'.repeat(43) },
    ]) {
      const { status, body } = await change(headers)
      assert.deepEqual([status, body.code], [403, 'cross_site_request'])
    }
    assert.equal((await change({ origin: TEST_URL, 'deputy-csrf': csrf })).status, 201)
  })

  test('ends when its key is deleted, replaced or expires', async () => {
    const ends: Record<string, (key_id: string) => Promise<unknown>> = {
      deleted: (key_id) => operator.call('DELETE', `/v1/vat/keys/${key_id}`),
      replaced: (key_id) => operator.post(`/v1/vat/keys/${key_id}/rotate`, { overlap_s: 0 }),
    }
    for (const [how, end] of Object.entries(ends)) {
      const text = await key('acme', 'operator')
      const { client } = await signIn(text)
      await end(String(text.split('_')[1]))
      const { status, body } = await me(client)
      assert.deepEqual([status, body.reason], [401, 'session_ended'], how)
    }
    const { client } = await signIn(await key('acme', 'operator', { expires_in: 600 }))
    service.clock.advance(601_000)
    assert.equal((await me(client)).status, 401)
  })

  test('ends after half an hour without use, and after eight hours in use', async () => {
    const text = await key('acme', 'auditor')
    const idle = await signIn(text)
    service.clock.advance(SESSION_IDLE_MS)
    assert.equal((await me(idle.client)).status, 401)
    const used = await signIn(text)
    for (let spent = 0; spent + SESSION_IDLE_MS / 2 < SESSION_MOST_MS; spent += SESSION_IDLE_MS / 2) {
      assert.equal((await me(used.client)).status, 200)
      service.clock.advance(SESSION_IDLE_MS / 2)
    }
    service.clock.advance(SESSION_IDLE_MS / 2)
    assert.equal((await me(used.client)).status, 401)
  })

  test('is logged when it begins and ends, and stays ended if its row is put back', async () => {
    const leaves = async () =>
      (await service.leafTexts()).map((leaf) => JSON.parse(leaf)).filter(({ kind }) => kind === 'key_session')
    const before = (await leaves()).length
    const { client, session_id } = await signIn(await key('acme', 'auditor'))
    const [row] = await service.ephemeralRows(`SELECT * FROM ephemeral WHERE key = '${session_id}'`)
    assert.ok(row !== undefined && !JSON.stringify(row).includes('dk_'))
    assert.equal((await client.post('/v1/vat/auth/logout', {})).status, 200)
    assert.deepEqual(
      (await leaves()).slice(before).map(({ removed = false }) => removed),
      [false, true],
    )
    await service.ephemeralRows(
      `INSERT INTO ephemeral (kind, key, value, owner, expires_at_ms) VALUES ('key_session', '${row.key}', '${row.value}', NULL, ${row.expires_at_ms})`,
    )
    assert.equal((await me(client)).status, 401)
  })

  test('of an auditor of the deployment can read the log entries, so the verifier can check all of them', async () => {
    const { client } = await signIn(await key('default', 'auditor'))
    const plain = await anonymous.get('/v1/vat/log/entries?start=0&limit=1')
    const read = await client.get('/v1/vat/log/entries?start=0&limit=1')
    assert.deepEqual([plain.status, read.status], [401, 200])
  })

  test('is not accepted if its row was inserted or moved with SQL', async () => {
    const secret = 'm'.repeat(43)
    const { session_id } = await signIn(await key('acme', 'auditor'))
    await service.ephemeralRows(`INSERT INTO ephemeral (kind, key, value, owner, expires_at_ms)
      SELECT kind, '${sessionKeyOf(secret)}', value, owner, expires_at_ms FROM ephemeral WHERE key = '${session_id}'`)
    assert.equal((await me(withSecret(secret))).status, 401)
    await service.ephemeralRows(`UPDATE ephemeral SET kind = 'session' WHERE key = '${session_id}'`)
    assert.equal((await service.accessControl.sessions.readByKey(session_id)) === undefined, true)
  })
})

describe('sessions', () => {
  const list = async (client: Client, query = '') =>
    (await client.get(`/v1/vat/auth/sign-ins${query}`)).body.data as {
      session_id: string
      role: string
      current: boolean
    }[]
  const end = (client: Client, session_id: string) =>
    client.call('DELETE', `/v1/vat/auth/sign-ins/${session_id}`)

  test('of a person are listed and ended under every ref that they sign in with', async () => {
    const refs = { address: `sha256:${'4'.repeat(64)}`, account: `sha256:${'5'.repeat(64)}` }
    await proveAddress(service, { tenant_id: 'acme', ...refs })
    const account = await aPerson(app, 'acme', refs.account, [refs.address])
    const address = await aPerson(app, 'acme', refs.address)
    const chief = withKey(await key('acme', 'operator'))
    for (const ref of Object.values(refs)) assert.equal((await list(chief, `?human_ref=${ref}`)).length, 2)
    assert.equal((await list(account.client)).length, 2)
    assert.equal((await account.client.post('/v1/vat/auth/logout', { everywhere: true })).status, 200)
    assert.deepEqual([(await me(address.client)).status, (await me(account.client)).status], [401, 401])
  })

  test('can be listed and ended by their holder and by operators of the tenant', async () => {
    const auditor_key = await key('acme', 'auditor')
    const auditor = await signIn(auditor_key)
    const other = await signIn(auditor_key)
    const chief = await signIn(await key('acme', 'operator'))
    const stranger = await signIn(await key('other', 'operator'))
    const developer = await signIn(await key('acme', 'developer'))
    const own = await list(auditor.client)
    assert.deepEqual(
      own.map(({ session_id, current }) => [session_id, current]),
      [
        [other.session_id, false],
        [auditor.session_id, true],
      ],
    )
    const seen = (await list(chief.client)).map(({ session_id }) => session_id)
    for (const one of [auditor, other, chief, developer]) assert.ok(seen.includes(one.session_id))
    assert.ok(!seen.includes(stranger.session_id))
    const unknown = await end(stranger.client, '0'.repeat(43))
    for (const { client } of [stranger, developer]) {
      const { status, body } = await end(client, auditor.session_id)
      assert.deepEqual([status, body.code, body.detail], [404, 'sign_in_unknown', unknown.body.detail])
    }
    assert.equal((await end(auditor.client, other.session_id)).status, 200)
    assert.equal((await me(other.client)).status, 401)
    const ended = await end(chief.client, auditor.session_id)
    assert.deepEqual([ended.status, ended.headers['set-cookie']], [200, undefined])
    assert.equal((await me(auditor.client)).status, 401)
    const last = await end(chief.client, chief.session_id)
    assert.match(String(last.headers['set-cookie']), /^deputy_session=; Path=\/; Max-Age=0/)
  })

  test('of people can be listed by themselves and by operators of their tenant, who can end them', async () => {
    const human_ref = `sha256:${'b'.repeat(64)}`
    const person = await aPerson(app, 'acme', human_ref)
    const chief = withKey(await key('acme', 'operator'))
    const [own] = await list(person.client)
    assert.deepEqual([own?.role, own?.current], ['human', true])
    const [seen] = await list(chief, `?human_ref=${human_ref}`)
    assert.equal(seen?.session_id, own?.session_id)
    assert.deepEqual(await list(withKey(await key('other', 'operator')), `?human_ref=${human_ref}`), [])
    assert.deepEqual(await list(withKey(await key('acme', 'auditor')), `?human_ref=${human_ref}`), [])
    assert.equal((await end(chief, String(own?.session_id))).status, 200)
    assert.equal((await me(person.client)).status, 401)
  })

  test('of a key end when its holder signs out everywhere, and no other sessions do', async () => {
    const text = await key('acme', 'operator')
    const [one, two] = [await signIn(text), await signIn(text)]
    const other = await signIn(await key('acme', 'operator'))
    assert.equal((await one.client.post('/v1/vat/auth/logout', { everywhere: true })).status, 200)
    assert.deepEqual(
      await Promise.all([one, two, other].map(async ({ client }) => (await me(client)).status)),
      [401, 401, 200],
    )
    assert.equal((await me(withKey(text))).status, 200)
    const three = await signIn(text)
    assert.equal((await withKey(text).post('/v1/vat/auth/logout', { everywhere: true })).status, 200)
    assert.equal((await me(three.client)).status, 401)
  })
})

describe('ending every session of a key', () => {
  test('ends the older ones too, and each key lists its own, however many others are signed in', async () => {
    const text = await key('acme', 'developer')
    const first = await signIn(text)
    const { keyHolders, keySessions } = service.accessControl
    const other = await keyHolders.caller(await key('acme', 'auditor'))
    assert.ok(other !== undefined)
    await Promise.all(Array.from({ length: 501 }, () => keySessions.create(other)))
    const { client } = await signIn(text)
    const { data } = (await client.get('/v1/vat/auth/sign-ins')).body
    assert.equal(data.at(-1).session_id, first.session_id)
    assert.equal((await client.post('/v1/vat/auth/logout', { everywhere: true })).status, 200)
    assert.deepEqual([(await me(first.client)).status, (await me(client)).status], [401, 401])
  })
})

describe('a sign-in with a provider', async () => {
  const clock = manualClock()
  const provider = await aProvider({ after }, clock)
  const roles = { admins: 'operator', auditors: 'auditor' }
  const providers = [{ name: 'company', issuer: provider.issuer, client_id: 'deputy-client', roles }]
  const sso = await aKeyedApp({ after }, { providers, clock })

  async function arrive(groups: readonly string[] | undefined, return_to: string): Promise<Client> {
    if (groups !== undefined) provider.person = { ...provider.person, groups }
    const begun = await sso.test.app.inject({
      url: `/sign-in/company?return_to=${encodeURIComponent(return_to)}`,
    })
    const cookie = String(begun.headers['set-cookie']).split(';')[0] ?? ''
    const query = provider.signIn(String(begun.headers.location))
    const done = await sso.test.app.inject({
      url: `/v1/vat/auth/oidc/callback?${query}`,
      headers: { cookie },
    })
    assert.equal(done.statusCode, 200, done.body)
    const [, secret = ''] = /deputy_session=([\w-]{43})/.exec(String(done.headers['set-cookie'])) ?? []
    const headers = {
      cookie: `deputy_session=${secret}`,
      origin: TEST_URL,
      'deputy-csrf': csrfTokenOf(secret),
    }
    return sso.withHeaders(() => headers)
  }
  const roleOf = async (client: Client) => (await me(client)).body.role

  async function withOtherPerson<T>(act: () => Promise<T>): Promise<T> {
    const { person } = provider
    provider.person = { ...person, sub: 'somebody-else', email: 'else@example.com' }
    const done = await act()
    provider.person = person
    return done
  }

  test('allows no passkey for the key of the sign-in, because people return through the provider', async () => {
    const { status, body } = await (await arrive(['admins'], '/app')).post(
      '/v1/vat/auth/key-passkeys/options',
    )
    assert.deepEqual([status, body.code, body.reason], [403, 'passkey_refused', 'held_key'])
  })

  test('gives a key that nobody can replace with one that outlasts the sign-in', async () => {
    const staff = await arrive(['admins'], '/app')
    const { key_id } = (await me(staff)).body
    for (const client of [staff, sso.operator]) {
      const size = await sso.test.logSize()
      const { status, body } = await client.post(`/v1/vat/keys/${key_id}/rotate`, {})
      assert.deepEqual([status, body.code], [409, 'held_key'])
      assert.equal(await sso.test.logSize(), size)
    }
    assert.equal(await roleOf(staff), 'operator')
  })

  test('gives people the strongest role of their groups only if they go to the dashboard', async () => {
    assert.equal(await roleOf(await arrive(['auditors', 'admins'], '/app')), 'operator')
    assert.equal(await roleOf(await arrive(['auditors'], '/app/log?a=1')), 'auditor')
    assert.equal(await roleOf(await arrive(['admins'], '/me')), 'human')
    assert.equal(await roleOf(await arrive(['admins'], '/apple')), 'human')
    assert.equal(await roleOf(await arrive(['others'], '/app')), 'human')
    assert.equal(await roleOf(await arrive([], '/app')), 'human')
  })

  test('also gives that role if only the userinfo endpoint names the groups', async () => {
    const { sub, email, email_verified } = provider.person
    provider.person = { sub, email, email_verified }
    provider.userinfo = { sub, groups: ['auditors'] }
    assert.equal(await roleOf(await arrive(undefined, '/app')), 'auditor')
    provider.userinfo = undefined
  })

  test('gives a key without text that stays the same, and whose deletion ends its sessions', async () => {
    const [one, two] = [await arrive(['auditors'], '/app'), await arrive(['auditors'], '/app')]
    const [first, second] = [(await me(one)).body, (await me(two)).body]
    assert.equal(first.key_id, second.key_id)
    assert.equal(first.name, 'Sign-in with company')
    const guess = `dk_${first.key_id}_${'0'.repeat(43)}_000000`
    assert.equal((await sso.anonymous.post('/v1/vat/auth/sign-in/key', { key: guess })).status, 401)
    assert.equal((await sso.operator.call('DELETE', `/v1/vat/keys/${first.key_id}`)).status, 200)
    assert.deepEqual([(await me(one)).status, (await me(two)).status], [401, 401])
  })

  test('also ends at the dashboard when an operator stops or erases the person', async () => {
    const { human_ref } = (await me(await arrive(['admins'], '/me'))).body
    const stop = (client: Client) => client.post('/v1/vat/revoke/human', { human_ref })
    const other = await withOtherPerson(() => arrive(['admins'], '/app'))
    for (const end of [stop, (client: Client) => client.call('DELETE', `/v1/vat/humans/${human_ref}`)]) {
      const staff = await arrive(['admins'], '/app')
      assert.equal(await roleOf(staff), 'operator')
      assert.equal((await end(sso.operator)).status, 200)
      assert.equal((await me(staff)).status, 401)
      assert.equal(await roleOf(other), 'operator')
    }
    const own = await arrive(['admins'], '/app')
    assert.equal((await stop(own)).status, 200)
    assert.equal(await roleOf(own), 'operator', 'nobody signs themselves out by stopping their own agents')
  })

  test('makes people known who sign in only at the dashboard: they can be stopped, exported and erased', async () => {
    const { person } = provider
    provider.person = { ...person, sub: 'only-staff', email: 'staff@example.com', email_verified: false }
    const heldKey = async () => {
      const { key_id } = (await me(await arrive(['auditors'], '/app'))).body
      const { data } = (await sso.operator.get('/v1/vat/keys?limit=200')).body
      return data.find((one: { key_id: string }) => one.key_id === key_id)
    }
    const { held_by } = await heldKey()
    const path = `/v1/vat/humans/${held_by}`
    assert.equal((await sso.operator.get(path)).body.human_ref, held_by)
    const exported: string = (await sso.operator.get(`${path}/export`)).body
    assert.match(exported, /^{"key":{.*"held_by":"sha256:/m)
    for (const [method, url, body] of [
      ['POST', '/v1/vat/revoke/human', { human_ref: held_by }],
      ['DELETE', path, undefined],
    ] as const) {
      const staff = await arrive(['auditors'], '/app')
      assert.equal(await roleOf(staff), 'auditor')
      const { status, body: answer } = await sso.operator.call(method, url, body)
      assert.equal(status, 200, JSON.stringify(answer))
      assert.equal((await me(staff)).status, 401)
    }
    await sso.operator.post('/v1/vat/tenants', { tenant_id: 'elsewhere' })
    const foreign = sso.withKey(await sso.key('elsewhere', 'operator'))
    assert.equal((await heldKey()).held_by, held_by)
    assert.equal((await foreign.call('DELETE', path)).status, 404)
    provider.person = person
  })

  test('ends the ownerless key of an earlier version, and gives the person one of their own', async () => {
    const before = await arrive(['admins'], '/app')
    const { key_id } = (await me(before)).body
    const { registry } = sso.test.context.reader
    const known = await registry.entry('api_key', key_id)
    const entry = {
      kind: 'register',
      entry_kind: 'api_key',
      id: key_id,
      tenant_id: 'default',
      expects: 'any',
    } as const
    await sso.test.submit({ ...entry, owner: known?.owner, document: undefined })
    await sso.test.submit({ ...entry, owner: undefined, document: known?.document })
    const after = await arrive(['admins'], '/app')
    assert.equal((await me(after)).body.key_id, key_id)
    assert.equal((await me(before)).status, 401)
    const stored = await registry.entry('api_key', key_id)
    assert.equal(stored?.owner, JSON.parse(stored?.document ?? '{}').held_by)
  })

  test('stays ended when the person signs in again and has the same key', async () => {
    const { human_ref } = (await me(await arrive(['admins'], '/me'))).body
    const stolen = await arrive(['admins'], '/app')
    const { key_id } = (await me(stolen)).body
    for (const [method, path, body] of [
      ['DELETE', `/v1/vat/keys/${key_id}`],
      ['POST', '/v1/vat/revoke/human', { human_ref }],
      ['DELETE', `/v1/vat/humans/${human_ref}`],
    ] as const) {
      const before = await arrive(['admins'], '/app')
      assert.equal((await sso.operator.call(method, path, body)).status, 200)
      const after = [await arrive(['admins'], '/app'), await arrive(['admins'], '/app')]
      for (const session of after) assert.equal((await me(session)).body.key_id, key_id)
      for (const session of [stolen, before]) assert.equal((await me(session)).status, 401, path)
    }
  })

  test('ends when people erase themselves at the dashboard', async () => {
    const { human_ref } = (await me(await arrive(['admins'], '/me'))).body
    const [own, other] = [
      await arrive(['admins'], '/app'),
      await withOtherPerson(() => arrive(['admins'], '/app')),
    ]
    const erased = await own.call('DELETE', `/v1/vat/humans/${human_ref}`)
    assert.equal(erased.status, 200)
    assert.match(String(erased.headers['set-cookie']), /deputy_session=;/)
    assert.equal((await me(own)).status, 401)
    assert.equal(await roleOf(other), 'operator')
  })

  test('ends when the person is erased, even if the erasure fails halfway', async (t) => {
    for (const who of ['themselves', 'operator'] as const) {
      const { human_ref } = (await me(await arrive(['admins'], '/me'))).body
      const staff = await arrive(['admins'], '/app')
      const by = who === 'operator' ? sso.operator : staff
      const failing = t.mock.method(sso.test.context.ephemeral, 'endOwner', () =>
        Promise.reject(new Error('disk full')),
      )
      assert.equal((await by.call('DELETE', `/v1/vat/humans/${human_ref}`)).status, 500)
      assert.equal(failing.mock.callCount(), 1)
      failing.mock.restore()
      assert.equal((await me(staff)).status, 401, who)
    }
  })

  test('ends with every key of the person, even if the store of deliveries fails', async (t) => {
    const { human_ref } = (await me(await arrive(['admins'], '/me'))).body
    for (const [method, path, body] of [
      ['POST', '/v1/vat/revoke/human', { human_ref }],
      ['DELETE', `/v1/vat/humans/${human_ref}`],
    ] as const) {
      const sessions = [await arrive(['auditors'], '/app'), await arrive(['admins'], '/app')]
      const made = await sessions[1]?.post('/v1/vat/webhooks', { url: 'https://hooks.example.com/deputy' })
      assert.equal(made?.status, 201)
      const { store } = sso.test.context.events.deliveries
      const begin = t.mock.method(store, 'begin', () => Promise.reject(new Error('disk full')))
      assert.equal((await sso.operator.call(method, path, body)).status, 200)
      assert.equal(begin.mock.callCount(), 1)
      begin.mock.restore()
      for (const session of sessions) assert.equal((await me(session)).status, 401)
    }
  })
})
