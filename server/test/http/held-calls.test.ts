import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, type TestContext, test } from 'node:test'
import { codeOf, statusOf } from '@deputize/testing/raw-http.ts'
import { RawLine } from '@deputize/testing/raw-line.ts'
import { aKeyedApp, aSession, type KeyedApp } from './a-keyed-app.ts'

interface HeldCall {
  readonly line: string
  readonly headers: readonly string[]
  readonly body: string
}

/** Sends everything but the last byte of a call, and returns a function that sends it and waits for the answer. */
async function holdCall(
  t: TestContext,
  { test: { app } }: KeyedApp,
  url: string,
  { line, headers, body }: HeldCall,
): Promise<() => Promise<string>> {
  const connection = new RawLine(t, url)
  const arrived = once(app.server, 'request')
  const head = [
    `${line} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    ...headers,
    `Content-Length: ${body.length}`,
  ]
  connection.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, -1)}`)
  await arrived
  return () => {
    connection.write(body.slice(-1))
    return connection.answer()
  }
}

const JSON_TYPE = 'Content-Type: application/json'

describe('a call whose body arrives after its credential has ended', () => {
  for (const { name, line, type, body } of [
    {
      name: 'creates no key with a deleted one',
      line: 'POST /v1/vat/keys',
      type: JSON_TYPE,
      body: JSON.stringify({ name: 'Another', role: 'operator' }),
    },
    {
      name: 'revokes nothing with a deleted one, not even as an OAuth client',
      line: 'POST /oauth/revoke',
      type: 'Content-Type: application/x-www-form-urlencoded',
      body: 'token=a.b.c',
    },
  ])
    test(name, async (t) => {
      const app = await aKeyedApp(t)
      const key = await app.key('default', 'operator')
      const url = await app.test.listen()
      const authorization = `Bearer ${key}`
      const own = await fetch(`${url}/v1/vat/auth/me`, { headers: { authorization } })
      assert.equal(own.status, 200) // the key is known now, so the next call is authenticated once its head has arrived
      const finish = await holdCall(t, app, url, {
        line,
        headers: [`Authorization: ${authorization}`, type],
        body,
      })
      const { key_id } = (await own.json()) as { key_id: string }
      const deleted = await fetch(`${url}/v1/vat/keys/${key_id}`, {
        method: 'DELETE',
        headers: { authorization },
      })
      assert.equal(deleted.status, 200)
      assert.equal(statusOf(await finish()), 401)
    })

  test('changes nothing in a session that its person has left', async (t) => {
    const app = await aKeyedApp(t)
    const ref = `sha256:${'0'.repeat(64)}`
    const { secret, csrf_token } = await aSession(app.test, 'default', ref)
    const url = await app.test.listen()
    const headers = { cookie: `deputy_session=${secret}`, origin: url, 'deputy-csrf': csrf_token }
    const sent = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const post = { line: `POST /v1/vat/humans/${ref}/accept`, headers: [...sent, JSON_TYPE], body: '{}' }
    const finish = await holdCall(t, app, url, post)
    const left = await fetch(`${url}/v1/vat/auth/logout`, { method: 'POST', headers })
    assert.equal(left.status, 200)
    const answer = await finish()
    assert.deepEqual([statusOf(answer), codeOf(answer)], [401, 'credential_invalid'])
  })
})
