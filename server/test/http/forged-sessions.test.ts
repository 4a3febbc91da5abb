import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TEST_URL } from '@deputize/testing/a-test-app.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import { csrfTokenOf, sessionKeyOf } from '../../src/access/session-entries.ts'
import { aKeyedApp, aSession, type Client, type KeyedApp } from './a-keyed-app.ts'

const ADA = `sha256:${'a'.repeat(64)}`
const MALLORY = `sha256:${'c'.repeat(64)}`
const HOUR_MS = 3_600_000

function withSecret({ withHeaders }: KeyedApp, secret: string): Client {
  const headers = { cookie: `deputy_session=${secret}`, origin: TEST_URL, 'deputy-csrf': csrfTokenOf(secret) }
  return withHeaders(() => headers)
}

/** The service, a signed-in person, and direct access to the table of sessions. */
async function aSignedInPerson(scope: TestScope) {
  const lines: string[] = []
  const app = await aKeyedApp(scope, { onLog: (line) => lines.push(line) })
  const { secret, session } = await aSession(app.test, 'default', ADA)
  const me = async (chosen = secret) => (await withSecret(app, chosen).get('/v1/vat/auth/me')).status
  assert.equal(await me(), 200)
  return { app, secret, session, me, sql: app.test.ephemeralRows, client: withSecret(app, secret) }
}

const leavesOf = async ({ test: { leafTexts } }: KeyedApp, type: string) =>
  (await leafTexts()).map((leaf) => JSON.parse(leaf)).filter((leaf) => leaf.type === type)

describe('a row in the table of sessions', () => {
  test('that was inserted with SQL signs no one in', async (context) => {
    const { app, sql, me } = await aSignedInPerson(context)
    const secret = 'm'.repeat(43)
    const value = JSON.stringify({
      tenant_id: 'default',
      human_ref: ADA,
      human_refs: [ADA],
      assurance_level: 'L2',
      amr: ['pwd'],
      auth_time_ms: app.test.clock(),
      sign_on: undefined,
      begun_index: 1,
      started_at_ms: app.test.clock(),
    })
    const expires_at_ms = app.test.clock() + HOUR_MS
    await sql(
      `INSERT INTO ephemeral (kind, key, value, owner, expires_at_ms) VALUES ('session', '${sessionKeyOf(secret)}', '${value}', '${ADA}', ${expires_at_ms})`,
    )
    assert.equal(await me(secret), 401)
  })

  test('that was copied to the key of another secret is not a session', async (context) => {
    const { sql, me } = await aSignedInPerson(context)
    const secret = 'm'.repeat(43)
    await sql(`INSERT INTO ephemeral (kind, key, value, owner, expires_at_ms)
      SELECT kind, '${sessionKeyOf(secret)}', value, owner, expires_at_ms FROM ephemeral WHERE kind = 'session'`)
    assert.equal(await me(secret), 401)
    assert.equal(await me(), 200)
  })

  test('whose expiry, owner or kind was changed with SQL is not a session', async (context) => {
    for (const change of ['expires_at_ms = expires_at_ms + 1', `owner = '${MALLORY}'`, `kind = 'login'`]) {
      const { sql, me } = await aSignedInPerson(context)
      await sql(`UPDATE ephemeral SET ${change} WHERE kind = 'session'`)
      assert.equal(await me(), 401, change)
    }
  })

  test('that is put back after the session ended is not a session', async (context) => {
    const ends: Readonly<Record<string, (client: Client, app: KeyedApp) => Promise<{ status: number }>>> = {
      'sign-out': (client) => client.post('/v1/vat/auth/logout'),
      'sign-out everywhere': (client) => client.post('/v1/vat/auth/logout', { everywhere: true }),
      erasure: (_, { operator }) => operator.call('DELETE', `/v1/vat/humans/${ADA}`),
      'an operator who stops the person': (_, { operator }) =>
        operator.post('/v1/vat/revoke/human', { human_ref: ADA }),
    }
    for (const [name, end] of Object.entries(ends)) {
      const { app, sql, me, client } = await aSignedInPerson(context)
      const [row] = await sql(`SELECT * FROM ephemeral WHERE kind = 'session'`)
      assert.ok(row !== undefined)
      const ended = await end(client, app)
      assert.equal(ended.status, 200, JSON.stringify(ended))
      assert.equal(await me(), 401, name)
      await sql(
        `INSERT INTO ephemeral (kind, key, value, owner, expires_at_ms) VALUES ('session', '${row.key}', '${row.value}', '${row.owner}', ${row.expires_at_ms})`,
      )
      assert.equal(await me(), 401, name)
    }
  })

  test('is ended even if it was hidden from the service while the person signed out everywhere', async (context) => {
    const { app, sql, me } = await aSignedInPerson(context)
    const other = await aSession(app.test, 'default', ADA)
    const [row] = await sql(`DELETE FROM ephemeral WHERE key = '${other.session.session_key}' RETURNING *`)
    const { client } = { client: withSecret(app, (await aSession(app.test, 'default', ADA)).secret) }
    assert.equal((await client.post('/v1/vat/auth/logout', { everywhere: true })).status, 200)
    await sql(
      `INSERT INTO ephemeral (kind, key, value, owner, expires_at_ms) VALUES ('session', '${row?.key}', '${row?.value}', '${row?.owner}', ${row?.expires_at_ms})`,
    )
    assert.deepEqual([await me(other.secret), await me()], [401, 401])
  })

  test('that holds a grant and was changed with SQL confirms nothing', async (context) => {
    const { app, sql, client } = await aSignedInPerson(context)
    const { grant } = await app.test.accessControl.grants.create(
      { human_ref: ADA, session_key: 'another session' },
      'a digest',
    )
    const value = JSON.stringify({ session_key: 'x', deed_digest: 'y' })
    await sql(`UPDATE ephemeral SET value = '${value}' WHERE kind = 'step_up'`)
    const refused = await client.post('/v1/vat/revoke/human', { human_ref: ADA }, { 'deputy-step-up': grant })
    assert.deepEqual([refused.status, refused.body.code], [403, 'step_up_required'])
  })
})

describe('the log', () => {
  test('holds the start and the end of each session, without its key or its secret', async (context) => {
    const { app, secret, session, client } = await aSignedInPerson(context)
    const [begun, ...others] = await leavesOf(app, 'session.begun')
    assert.deepEqual(others, [])
    assert.deepEqual(
      [begun.human_ref, begun.tenant_id, begun.assurance_level, await leavesOf(app, 'session.ended')],
      [ADA, 'default', 'L2', []],
    )
    await client.post('/v1/vat/auth/logout')
    const [ended] = await leavesOf(app, 'session.ended')
    assert.equal(ended.session_ref, begun.session_ref)
    const text = (await app.test.leafTexts()).join('\n')
    for (const private_text of [secret, session.session_key]) assert.ok(!text.includes(private_text))
  })

  test('holds the start of a session once the session is created', async (context) => {
    const { app } = await aSignedInPerson(context)
    const before = (await leavesOf(app, 'session.begun')).length
    await aSession(app.test, 'default', MALLORY)
    assert.equal((await leavesOf(app, 'session.begun')).length, before + 1)
  })
})
