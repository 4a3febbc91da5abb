import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { aDevice, type Device } from '@deputize/testing/a-device.ts'
import { TEST_URL } from '@deputize/testing/a-test-app.ts'
import { csrfTokenOf } from '../../src/access/session-entries.ts'
import { aKeyedApp, aPerson, type Client } from './a-keyed-app.ts'

const app = await aKeyedApp({ after })
const { operator, anonymous, withHeaders, withKey, key, test: service } = app
for (const tenant_id of ['acme', 'other']) await operator.post('/v1/vat/tenants', { tenant_id })

const PASSKEYS = '/v1/vat/auth/key-passkeys'

function clientWith(setCookie: unknown): Client {
  const [, secret = ''] = /^deputy_session=([\w-]{43});/.exec(String(setCookie)) ?? []
  const headers = { cookie: `deputy_session=${secret}`, origin: TEST_URL, 'deputy-csrf': csrfTokenOf(secret) }
  return withHeaders(() => headers)
}

async function inBrowser(text: string): Promise<Client> {
  const { headers } = await anonymous.post('/v1/vat/auth/sign-in/key', { key: text })
  return clientWith(headers['set-cookie'])
}

interface Added {
  readonly device: Device
  readonly handle: Buffer
  readonly passkey_id: string
}

async function added(client: Client, name = 'Laptop'): Promise<Added> {
  const device = aDevice(TEST_URL)
  const begun = await client.post(`${PASSKEYS}/options`)
  assert.equal(begun.status, 200, JSON.stringify(begun.body))
  const { options } = begun.body
  const { status, body } = await client.post(PASSKEYS, { response: device.create(options), name })
  assert.equal(status, 201, JSON.stringify(body))
  return { device, handle: Buffer.from(options.user.id, 'base64url'), passkey_id: body.passkey_id }
}

async function assertion({ device, handle }: Omit<Added, 'passkey_id'>, changes: { counter?: number } = {}) {
  const { body } = await anonymous.post('/v1/vat/auth/passkeys/login/options')
  return device.get(body.options, { handle, ...changes })
}

async function signIn(passkey: Omit<Added, 'passkey_id'>, changes: { counter?: number } = {}) {
  const response = await assertion(passkey, changes)
  return anonymous.post('/v1/vat/auth/sign-in/passkey', { response })
}

const list = async (client: Client) =>
  (await client.get(PASSKEYS)).body.data as { passkey_id: string; name: string; key_name: string }[]
const remove = (client: Client, id: string) => client.call('DELETE', `${PASSKEYS}/${id}`)
const refusal = ({ status, body }: Awaited<ReturnType<typeof signIn>>) => [status, body.code, body.reason]

describe('a passkey of an API key', () => {
  test('signs in with the role and tenant of the key, and is listed by its name', async () => {
    for (const role of ['operator', 'developer', 'auditor'] as const) {
      const text = await key('acme', role)
      const browser = await inBrowser(text)
      const passkey = await added(browser, `Phone of ${role}`)
      const answer = await signIn(passkey)
      const { key_id } = answer.body
      assert.deepEqual([answer.status, answer.body.role, answer.body.tenant_id], [200, role, 'acme'])
      assert.equal(key_id, text.split('_')[1])
      const session = clientWith(answer.headers['set-cookie'])
      assert.equal((await session.get('/v1/vat/auth/me')).body.key_id, key_id)
      const found = (await list(session)).find(({ passkey_id }) => passkey_id === passkey.passkey_id)
      assert.deepEqual([found?.name, found?.key_name], [`Phone of ${role}`, `${role} of acme`])
    }
  })

  test('ends when its key is deleted, replaced or expires', async () => {
    const ends: Record<string, (key_id: string) => Promise<unknown>> = {
      deleted: (key_id) => operator.call('DELETE', `/v1/vat/keys/${key_id}`),
      replaced: (key_id) => operator.post(`/v1/vat/keys/${key_id}/rotate`, { overlap_s: 0 }),
      expired: async () => service.clock.advance(601_000),
    }
    for (const [how, end] of Object.entries(ends)) {
      const text = await key('acme', 'operator', { expires_in: 600 })
      const passkey = await added(await inBrowser(text))
      await end(String(text.split('_')[1]))
      assert.deepEqual(refusal(await signIn(passkey)), [403, 'passkey_refused', 'credential'], how)
      const seen = await list(withKey(await key('acme', 'operator')))
      assert.ok(!seen.some(({ passkey_id }) => passkey_id === passkey.passkey_id), how)
    }
  })

  test('can be added only in a session that began in the last five minutes', async () => {
    const text = await key('acme', 'operator')
    const { body } = await withKey(text).post(`${PASSKEYS}/options`)
    assert.deepEqual([body.code, body.reason], ['passkey_refused', 'no_session'])
    const browser = await inBrowser(text)
    const passkey = await added(browser)
    service.clock.advance(301_000)
    const late = await browser.post(`${PASSKEYS}/options`)
    assert.deepEqual([late.status, late.body.code, late.body.sign_in_path], [403, 'sign_on_too_old', '/app'])
    const again = clientWith((await signIn(passkey, { counter: 2 })).headers['set-cookie'])
    await added(again)
  })

  test('can answer only a challenge of its own session, once', async () => {
    const [one, other] = [
      await inBrowser(await key('acme', 'operator')),
      await inBrowser(await key('acme', 'auditor')),
    ]
    const { options } = (await one.post(`${PASSKEYS}/options`)).body
    const response = aDevice(TEST_URL).create(options)
    assert.equal((await other.post(PASSKEYS, { response })).body.reason, 'challenge')
    assert.equal(
      (await one.post(PASSKEYS, { response })).body.reason,
      'challenge',
      'the first try used it up',
    )
    const passkey = await added(one)
    const signed = await assertion(passkey)
    const first = await anonymous.post('/v1/vat/auth/sign-in/passkey', { response: signed })
    const second = await anonymous.post('/v1/vat/auth/sign-in/passkey', { response: signed })
    assert.deepEqual([first.status, second.body.reason], [200, 'challenge'])
  })

  test('signs in no person, and a passkey of a person opens no session of a key', async () => {
    const person = await aPerson(app, 'acme', `sha256:${'c'.repeat(64)}`)
    const device = aDevice(TEST_URL)
    const { options } = (await person.client.post('/v1/vat/auth/passkeys/register/options')).body
    const response = device.create(options)
    const browser = await inBrowser(await key('acme', 'operator'))
    assert.equal((await browser.post(PASSKEYS, { response })).body.reason, 'challenge')
    const again = (await person.client.post('/v1/vat/auth/passkeys/register/options')).body.options
    const made = await person.client.post('/v1/vat/auth/passkeys/register/verify', {
      response: device.create(again),
    })
    assert.equal(made.status, 201)
    const handle = Buffer.from(again.user.id, 'base64url')
    assert.deepEqual(refusal(await signIn({ device, handle })), [403, 'passkey_refused', 'credential'])
    const ofKey = await added(browser)
    const asPerson = await anonymous.post('/v1/vat/auth/passkeys/login/verify', {
      response: await assertion(ofKey),
    })
    assert.deepEqual(refusal(asPerson), [403, 'passkey_refused', 'credential'])
  })

  test('of another key does not sign in, whatever its response claims', async () => {
    const [mine, theirs] = [
      await added(await inBrowser(await key('acme', 'auditor'))),
      await added(await inBrowser(await key('acme', 'operator'))),
    ]
    const stolen = { ...(await assertion(mine)), id: theirs.passkey_id, rawId: theirs.passkey_id }
    const answer = await anonymous.post('/v1/vat/auth/sign-in/passkey', { response: stolen })
    assert.equal(answer.body.code, 'passkey_refused')
    const wrongHandle = await signIn({ device: mine.device, handle: theirs.handle })
    assert.deepEqual(refusal(wrongHandle), [403, 'passkey_refused', 'credential'])
  })

  test('whose counter goes backwards is treated as a copy and refused from then on', async () => {
    const passkey = await added(await inBrowser(await key('acme', 'operator')))
    assert.equal((await signIn(passkey, { counter: 7 })).status, 200)
    for (const counter of [5, 9])
      assert.deepEqual(refusal(await signIn(passkey, { counter })), [
        403,
        'passkey_refused',
        'suspected_clone',
      ])
  })

  test('can be seen and deleted by its holder and by operators, which ends its other sessions', async () => {
    const text = await key('acme', 'auditor')
    const browser = await inBrowser(text)
    const passkey = await added(browser)
    const lost = clientWith((await signIn(passkey, { counter: 2 })).headers['set-cookie'])
    const strangers = [
      await inBrowser(await key('acme', 'developer')),
      await inBrowser(await key('other', 'operator')),
      withKey(await key('acme', 'auditor')),
    ]
    for (const stranger of strangers) {
      assert.deepEqual(await list(stranger), [])
      assert.equal((await remove(stranger, passkey.passkey_id)).body.code, 'passkey_unknown')
    }
    const chief = withKey(await key('acme', 'operator'))
    assert.ok((await list(chief)).some(({ passkey_id }) => passkey_id === passkey.passkey_id))
    assert.equal((await remove(browser, passkey.passkey_id)).status, 200)
    assert.deepEqual(
      [(await lost.get('/v1/vat/auth/me')).status, (await browser.get('/v1/vat/auth/me')).status],
      [401, 200],
    )
    assert.equal(refusal(await signIn(passkey, { counter: 3 }))[2], 'credential')
    const second = await added(await inBrowser(text))
    const own = clientWith((await signIn(second, { counter: 2 })).headers['set-cookie'])
    assert.equal((await own.get('/v1/vat/auth/me')).status, 200)
    assert.equal((await remove(own, second.passkey_id)).status, 200)
    assert.equal(
      (await own.get('/v1/vat/auth/me')).status,
      401,
      'a session ends with the passkey it began with',
    )
    const third = await added(await inBrowser(text))
    assert.equal((await remove(chief, third.passkey_id)).status, 200)
  })

  test('must be of a kind that the tenant accepts, and a key can have at most twenty', async () => {
    await operator.post('/v1/vat/tenants', { tenant_id: 'strict' })
    const browser = await inBrowser(await key('strict', 'operator'))
    for (let count = 0; count < 20; count++) await added(browser)
    assert.equal((await browser.post(`${PASSKEYS}/options`)).body.reason, 'too_many')
    const passkey_aaguids = ['11111111-1111-1111-1111-111111111111']
    await operator.call('PATCH', '/v1/vat/tenants/strict', { passkey_aaguids })
    const other = await inBrowser(await key('strict', 'auditor'))
    const { options } = (await other.post(`${PASSKEYS}/options`)).body
    const answer = await other.post(PASSKEYS, { response: aDevice(TEST_URL).create(options) })
    assert.deepEqual(refusal(answer), [403, 'passkey_refused', 'authenticator'])
  })
})
