import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { OPERATIONS, type Operation } from '@deputize/protocol'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { arriveAt } from '@deputize/testing/arrive-at.ts'
import { statusOf } from '@deputize/testing/raw-http.ts'
import { lineRequest, RawLine } from '@deputize/testing/raw-line.ts'
import { leanRoutes } from '../../src/http/lean/lean-routes.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

interface SentRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers?: Record<string, string>
  readonly payload?: string
}

/** The answers to the same request, first without Fastify and then from it. */
async function bothAnswers({ app }: TestApp, request: SentRequest) {
  return [await arriveAt(app, request), await app.inject(request)].map(({ statusCode, headers, body }) => ({
    status: statusCode,
    // Each request has a new id, which may be longer than the last, and counts against the limit.
    headers: Object.fromEntries(
      Object.entries({
        ...headers,
        'content-length': Number(headers['content-length']) - Buffer.byteLength(body),
      })
        .filter(([name]) => name !== 'x-request-id' && name !== 'date')
        .map(([name, value]) => [name, String(value).replace(/;r=\d+/, '')]),
    ),
    body: body.replace(/req_\w+/, 'req'),
  }))
}

async function aToken(service: TestApp): Promise<{ jti: string; provenance_ref: string }> {
  return (await service.post('/v1/vat/issue/l1', anIssueRequest())).body
}

const actionOf = (vat_jti: string) => ({
  vat_jti,
  action: 'read',
  resource: 'calendar:events',
  result: 'success',
})

/** Replaces the handler of the test runner, which would report a failure. */
function nextUnhandledRejection(context: TestContext): Promise<unknown> {
  const handlers = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  context.after(() => {
    process.removeAllListeners('unhandledRejection')
    for (const handler of handlers) process.on('unhandledRejection', handler)
  })
  return new Promise((resolve) => process.once('unhandledRejection', resolve))
}

describe('the lean path', () => {
  test('answers reads and repeated calls exactly as Fastify does, headers included', async (context) => {
    const service = await aTestApp(context, { rate_limit: 1000 })
    const { jti, provenance_ref } = await aToken(service)
    const repeated = {
      method: 'POST',
      url: '/v1/vat/record/action',
      headers: { ...JSON_TYPE, 'idempotency-key': 'once' },
      payload: JSON.stringify(actionOf(jti)),
    } as const
    const first = await arriveAt(service.app, repeated)
    assert.deepEqual([first.statusCode, first.headers['idempotency-replayed']], [200, undefined])
    for (const request of [
      repeated,
      { method: 'GET', url: `/v1/vat/aar/provenance/${provenance_ref}` },
      { method: 'GET', url: '/v1/vat/reputation/calendar-bot' },
    ] as const) {
      const [lean, fastify] = await bothAnswers(service, request)
      assert.equal(lean?.status, 200, request.url)
      assert.deepEqual(lean, fastify)
    }
  })

  test('refuses every invalid call as Fastify does', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service)
    const before = await service.logSize()
    const url = '/v1/vat/record/action'
    const payload = JSON.stringify(actionOf(jti))
    const post = { method: 'POST', url, headers: JSON_TYPE, payload } as const
    const wrong: readonly SentRequest[] = [
      { ...post, payload: '{"vat_jti":' },
      { ...post, payload: JSON.stringify({ ...actionOf(jti), extra: 1 }) },
      { ...post, payload: JSON.stringify({ ...actionOf(jti), result: 7 }) },
      { ...post, payload: JSON.stringify({ ...actionOf(jti), metadata: { text: 'x'.repeat(5000) } }) },
      { ...post, payload: JSON.stringify({ ...actionOf('vat_root_0'), action: 'x'.repeat(20_000) }) },
      { ...post, payload: JSON.stringify(actionOf(jti.replace(/.{4}$/, '0000'))) },
      { ...post, headers: { 'content-type': 'text/plain' } },
      { ...post, headers: { ...JSON_TYPE, 'x-forwarded-for': '10.0.0.1' } },
      { ...post, headers: { ...JSON_TYPE, host: 'elsewhere.example' } },
      { ...post, headers: { ...JSON_TYPE, origin: 'https://elsewhere.example' } },
      { ...post, headers: { ...JSON_TYPE, 'idempotency-key': 'with space' } },
      { ...post, url: `${url}?x=1` },
      { method: 'GET', url },
      { method: 'GET', url: '/v1/vat/aar/provenance/prov_unknown' },
      { method: 'GET', url: '/v1/vat/reputation/nobody-knows-it' },
      { method: 'GET', url: '/v1/vat/reputation/nobody-knows-it', headers: { accept: 'text/html' } },
    ]
    for (const request of wrong) {
      const [lean, fastify] = await bothAnswers(service, request)
      assert.ok(Number(lean?.status) >= 400, JSON.stringify(request))
      assert.deepEqual(lean, fastify)
    }
    assert.equal(await service.logSize(), before, 'nothing was carried out')
  })

  test('counts and executes a refused call once', async (context) => {
    const service = await aTestApp(context, { rate_limit: 10 })
    const { jti } = await aToken(service)
    const before = await service.logSize()
    const answers = []
    for (let call = 0; call < 11; call += 1)
      answers.push(
        await arriveAt(service.app, {
          method: 'POST',
          url: '/v1/vat/record/action',
          headers: JSON_TYPE,
          payload: JSON.stringify({ ...actionOf(jti), action: 'delete' }),
        }),
      )
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [...Array.from({ length: 9 }, () => 403), 429, 429],
    )
    assert.match(String(answers[0]?.headers.ratelimit), /^"caller";r=8;/)
    assert.equal((await service.logSize()) - before, 9)
  })

  test('refuses callers of keyed mode as Fastify does', async (context) => {
    const service = await aTestApp(context, { access: 'keyed', rate_limit: 1000 })
    const payload = JSON.stringify(actionOf('vat_root_06hct2uk01b7fhcpj2mgkn26cfg29g3hmll0'))
    for (const [headers, code] of [
      [{}, 'credential_required'],
      [{ authorization: 'Bearer dpk_unknown' }, 'credential_invalid'],
      [{ authorization: 'DPoP abc.def.ghi', dpop: 'x' }, 'credential_invalid'],
      [{ host: 'elsewhere.example' }, 'host_not_allowed'],
    ] as const) {
      const request = { method: 'POST', url: '/v1/vat/record/action', payload } as const
      const answers = await bothAnswers(service, { ...request, headers: { ...JSON_TYPE, ...headers } })
      const [lean, fastify] = answers.map(({ headers: { 'dpop-nonce': nonce, ...rest }, ...answer }) => ({
        ...answer,
        ...rest,
        has_nonce: nonce !== undefined,
      }))
      assert.equal(JSON.parse(String(lean?.body)).code, code)
      assert.deepEqual(lean, fastify)
    }
  })

  test('waits for a body that arrives in pieces, and keeps the connection', async (context) => {
    const service = await aTestApp(context)
    const { jti } = await aToken(service)
    const { port, host } = new URL(await service.listen())
    const socket = connect({ port: Number(port), host: '127.0.0.1', noDelay: true })
    const payload = JSON.stringify(actionOf(jti))
    const head = `POST /v1/vat/record/action HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${payload.length}\r\n\r\n`
    const answerTo = async (...pieces: string[]) => {
      for (const piece of pieces) {
        const arrived = once(service.app.server, 'request')
        socket.write(piece)
        if (piece !== pieces.at(-1)) await arrived
      }
      return String((await once(socket, 'data'))[0])
    }
    assert.match(await answerTo(head + payload), /^HTTP\/1\.1 200 /)
    assert.match(await answerTo(head + payload.slice(0, 10), payload.slice(10)), /^HTTP\/1\.1 200 /)
    assert.match(await answerTo(head, payload), /^HTTP\/1\.1 200 /)
    socket.destroy()
  })

  test('answers a call once, even if the code after the answer fails', async (context) => {
    const fault = new Error('no log line can be written')
    let isFailing = false
    const service = await aTestApp(context, {
      onLog(line) {
        if (isFailing && line.includes('request answered')) throw fault
      },
    })
    const { jti } = await aToken(service)
    const url = await service.listen()
    const line = new RawLine(context, url)
    const unhandled = nextUnhandledRejection(context)
    isFailing = true
    line.write(lineRequest(url, 'POST /v1/vat/record/action', actionOf(jti)))
    assert.equal(statusOf(await line.answer()), 200)
    isFailing = false
    line.write(lineRequest(url, 'GET /nowhere'))
    assert.equal(statusOf(await line.answer()), 404)
    assert.equal(await unhandled, fault) // like any bug outside a call, it ends the program
  })

  test('never finds the path of another operation', () => {
    const find = leanRoutes()
    for (const [id, { method, path }] of Object.entries<Operation>(OPERATIONS)) {
      const found = find(method, path.replaceAll(/\{\w+\}/g, 'some-name'))
      if (found !== undefined) assert.equal(found.route.id, id)
    }
  })
})
