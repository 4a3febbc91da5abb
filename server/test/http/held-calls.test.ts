import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, type TestContext, test } from 'node:test'
import type { Answer } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { codeOf, statusOf } from '@deputize/testing/raw-http.ts'
import { RawLine } from '@deputize/testing/raw-line.ts'
import { readApiKey } from '../../src/access/api-key.ts'
import {
  aKeyedApp,
  anAgent,
  anAgentKey,
  aPerson,
  aSession,
  type Client,
  type KeyedApp,
} from './a-keyed-app.ts'

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

/** The status of a call of an operator whose key is deleted before the end of the body is sent. */
async function statusAfterDeletion(t: TestContext, line: string, type: string, body: string) {
  const app = await aKeyedApp(t)
  const key = await app.key('default', 'operator')
  const url = await app.test.listen()
  const headers = { authorization: `Bearer ${key}` }
  // The key is known after this, so the next call is authenticated once its head has arrived.
  assert.equal((await fetch(`${url}/v1/vat/auth/me`, { headers })).status, 200)
  const sent = [`Authorization: Bearer ${key}`, type]
  const finish = await holdCall(t, app, url, { line, headers: sent, body })
  const path = `/v1/vat/keys/${readApiKey(key)?.key_id}`
  assert.equal((await fetch(`${url}${path}`, { method: 'DELETE', headers })).status, 200)
  return statusOf(await finish())
}

describe('a call whose body arrives after its credential has ended', () => {
  test('creates no key with a deleted one', async (t) => {
    const body = JSON.stringify({ name: 'Another', role: 'operator' })
    assert.equal(await statusAfterDeletion(t, 'POST /v1/vat/keys', JSON_TYPE, body), 401)
  })

  test('revokes nothing with a deleted key, not even as an OAuth client', async (t) => {
    const form = 'Content-Type: application/x-www-form-urlencoded'
    assert.equal(await statusAfterDeletion(t, 'POST /oauth/revoke', form, 'token=a.b.c'), 401)
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

describe('a call that waits', () => {
  /** Ends the key while its call waits, and lets happen what the call waits for. */
  async function answerAfter(
    app: KeyedApp,
    key: string,
    call: (holder: Client) => Promise<Answer>,
    happen: () => Promise<Answer>,
  ): Promise<Answer> {
    const { waits } = app.test.context
    const answer = call(app.withKey(key))
    await eventually('the call waits', () => waits.count === 1)
    const { status } = await app.operator.call('DELETE', `/v1/vat/keys/${readApiKey(key)?.key_id}`)
    assert.equal(status, 200)
    assert.equal((await happen()).status, 200)
    return answer
  }

  const BOUND = anIssueRequest({ agent_jwk: anAgentKey().jwk })

  function assertRefused({ status, body }: Answer): void {
    assert.deepEqual([status, body.code, body.reason], [401, 'credential_invalid', 'key_refused'])
  }

  test('for an event returns none once its key is deleted', async (t) => {
    const app = await aKeyedApp(t)
    const developer = app.withKey(await app.key('default', 'developer'))
    const answer = await answerAfter(
      app,
      await app.key('default', 'auditor'),
      (auditor) => auditor.get('/v1/vat/events?wait=30&type=token.issued'),
      () => developer.post('/v1/vat/issue/l1', BOUND),
    )
    assertRefused(answer)
  })

  test('for a decision does not return it once its key is deleted', async (t) => {
    const app = await aKeyedApp(t)
    const developer = app.withKey(await app.key('default', 'developer'))
    const agent = await anAgent(app, developer, { constraints: { require_approval: { actions: ['read'] } } })
    const action = { vat_jti: agent.jti, action: 'read', resource: 'calendar:events' }
    const { approval_id } = (await agent.client.post('/v1/vat/authorize', action)).body
    const person = await aPerson(app, 'default', agent.human_ref)
    const answer = await answerAfter(
      app,
      await app.key('default', 'operator'),
      (operator) => operator.get(`/v1/vat/approvals/${approval_id}?wait=30`),
      () => person.client.post(`/v1/vat/approvals/${approval_id}/deny`),
    )
    assertRefused(answer)
  })

  test('for signals returns none once its key is deleted', async (t) => {
    const app = await aKeyedApp(t)
    const developer = app.withKey(await app.key('default', 'developer'))
    const stream = { description: 'gateway', aud: 'https://gw.example' }
    const { stream_id } = (await app.operator.post('/v1/vat/ssf/streams', stream)).body
    const { jti } = (await developer.post('/v1/vat/issue/l1', BOUND)).body
    const answer = await answerAfter(
      app,
      await app.key('default', 'resource_server', { audience: stream.aud }),
      (gateway) => gateway.post(`/v1/vat/ssf/streams/${stream_id}/poll`),
      () => app.operator.post('/v1/vat/revoke', { vat_jti: jti }),
    )
    assertRefused(answer)
  })

  test('for an event returns none once the token of the agent is revoked', async (t) => {
    const app = await aKeyedApp(t)
    const agent = await anAgent(app, app.withKey(await app.key('default', 'developer')))
    const { waits } = app.test.context
    const answer = agent.client.get('/v1/vat/events?wait=30&type=token.revoked')
    await eventually('the call waits', () => waits.count === 1)
    await app.operator.post('/v1/vat/revoke', { vat_jti: agent.jti })
    const { status, body } = await answer
    assert.deepEqual([status, body.code], [403, 'token_not_live'])
  })
})
