import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { OPERATIONS, type Operation } from '@deputize/protocol'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anActedEngine } from '@deputize/testing/an-acted-engine.ts'
import { answerSteps, enrolled, type Post, SESSIONS } from '../a-capture.ts'
import { aHostedSession, hostedCalls } from '../a-hosted-session.ts'
import { aKeyedApp, aPerson } from './a-keyed-app.ts'

const APP = 'https://app.example.com'
const EVIL = 'https://evil.example.com'
const WATCH = `${SESSIONS}/vs_1/watch`

/** The preflight that a browser sends before a page of another site may post JSON. */
function preflightOf(origin: string, url = WATCH) {
  const headers = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'cors',
  }
  return { method: 'OPTIONS', url, headers } as const
}

function fromPage(origin: string): Record<string, string> {
  return { origin, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }
}

for (const access of ['open', 'keyed'] as const)
  describe(`a page of another site, in ${access} mode`, () => {
    test('can call the session operations and read their answers if the operator names its origin', async (t) => {
      const { app } = await aTestApp(t, { access, widget_origins: [APP] })
      const asked = await app.inject(preflightOf(APP))
      assert.equal(asked.statusCode, 204)
      assert.equal(asked.headers['access-control-allow-origin'], APP)
      assert.equal(asked.headers['access-control-allow-methods'], 'POST')
      assert.equal(asked.headers['access-control-allow-headers'], 'content-type, idempotency-key')
      const payload = { client_token: 'x' }
      const called = await app.inject({ method: 'POST', url: WATCH, headers: fromPage(APP), payload })
      assert.equal(called.json().code, 'session_unknown')
      assert.equal(called.headers['access-control-allow-origin'], APP)
      assert.equal(called.headers.vary, 'origin')
    })

    test('is refused if the operator does not name its origin', async (t) => {
      const { app } = await aTestApp(t, { access, widget_origins: [APP] })
      for (const origin of [
        EVIL,
        'null',
        `${APP}.evil.example`,
        `${APP}:444`,
        'http://app.example.com',
        '*',
      ]) {
        const answers = [
          await app.inject(preflightOf(origin)),
          await app.inject({ method: 'POST', url: WATCH, headers: fromPage(origin), payload: {} }),
        ]
        for (const { statusCode, headers } of answers) {
          assert.equal(statusCode, 403, origin)
          assert.equal(headers['access-control-allow-origin'], undefined)
        }
      }
    })

    test('can never send credentials or call any other operation', async (t) => {
      const { app } = await aTestApp(t, { access, widget_origins: [APP] })
      for (const [id, row] of Object.entries<Operation>(OPERATIONS)) {
        const url = row.path.replaceAll(/\{\w+\}/g, 'x')
        const { headers, statusCode } = await app.inject(preflightOf(APP, url))
        assert.equal(headers['access-control-allow-credentials'], undefined, id)
        assert.equal(headers['access-control-allow-origin'], row.cross_origin ? APP : undefined, id)
        assert.equal(statusCode === 204, row.cross_origin === true, id)
      }
    })
  })

describe('operations for pages of other sites', () => {
  test('are those that need no credential', () => {
    const rows = Object.entries<Operation>(OPERATIONS).filter(([, row]) => row.cross_origin === true)
    assert.ok(rows.length >= 11)
    for (const [id, { access }] of rows) assert.equal(access.public, true, id)
  })

  test('accept pages on this machine only in open mode', async (t) => {
    const open = await aTestApp(t)
    const keyed = await aTestApp(t, { access: 'keyed' })
    for (const origin of ['http://localhost:3000', 'http://127.0.0.1:5173', 'http://[::1]:8080']) {
      assert.equal((await open.app.inject(preflightOf(origin))).statusCode, 204, origin)
      assert.equal((await keyed.app.inject(preflightOf(origin))).statusCode, 403, origin)
    }
    for (const origin of [
      'http://localhost.evil.example',
      'http://127.0.0.1.evil.example',
      'https://localhost',
    ])
      assert.equal((await open.app.inject(preflightOf(origin))).statusCode, 403, origin)
  })

  test('show a page of another site no scores, whoever the browser is signed in as', async (t) => {
    const app = await aTestApp(t, { engine: anActedEngine(), l3_passkey: 'optional', widget_origins: [APP] })
    const local: Post = (path, body) => app.post(path, body)
    const page: Post = (path, body) => app.post(path, body, fromPage(APP))
    const { human_ref } = await enrolled(local, app, { face: 1 })
    const { open } = hostedCalls(page, await aHostedSession(local, { purpose: 'verify', human_ref }))
    const opened = (await open()).body
    await answerSteps(page, app, opened, { face: 1 })
    const { session_id, nonce } = opened
    const judged = await page('/v1/vat/auth/capture', { session_id, nonce })
    assert.equal(judged.body.passed, true, JSON.stringify(judged.body))
    assert.equal(judged.body.score, undefined)
    assert.equal(judged.body.modalities[0].measures, undefined)
  })

  test('do not include calls that need a session cookie, which only pages of the service can make', async (t) => {
    const keyed = await aKeyedApp(t, { engine: anActedEngine(), widget_origins: [APP] })
    const { client } = await aPerson(keyed, 'default', 'p1')
    const body = { purpose: 'enroll' }
    assert.equal((await client.post(`${SESSIONS}/hosted`, body)).status, 201)
    const { status, headers, body: problem } = await client.post(`${SESSIONS}/hosted`, body, fromPage(APP))
    assert.deepEqual([status, problem.code], [403, 'cross_site_request'])
    assert.equal(headers['access-control-allow-origin'], undefined)
  })
})
