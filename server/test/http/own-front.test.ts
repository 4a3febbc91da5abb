import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { statusOf } from '@deputize/testing/raw-http.ts'
import { lineRequest, RawLine } from '@deputize/testing/raw-line.ts'

/** More requests in a row that aren't calls than a connection may carry. */
const MANY = 10

/** A service, a connection to it, and the number of requests that the HTTP server has read. Calls bypass it. */
async function aLine(t: TestContext) {
  const service = await aTestApp(t)
  const { jti } = (await service.post('/v1/vat/issue/l1', anIssueRequest())).body
  const url = await service.listen()
  let readByServer = 0
  service.app.server.on('request', () => {
    readByServer += 1
  })
  const line = new RawLine(t, url)
  const action = { vat_jti: jti, action: 'read', resource: 'calendar:events', result: 'success' }
  const requests = {
    call: lineRequest(url, 'POST /v1/vat/record/action', action),
    denied: lineRequest(url, 'POST /v1/vat/record/action', { ...action, action: 'delete' }),
    invalid: lineRequest(url, 'POST /v1/vat/record/action', { ...action, extra: 1 }),
    health: lineRequest(url, 'GET /healthz'),
    nowhere: lineRequest(url, 'GET /nowhere'),
    chunked: `${lineRequest(url, 'POST /v1/vat/record/action', undefined, ['Content-Type: application/json', 'Transfer-Encoding: chunked'])}2\r\n{}\r\n0\r\n\r\n`,
  }
  async function statusTo(bytes: string): Promise<number> {
    line.write(bytes)
    return statusOf(await line.answer())
  }
  return { service, line, requests, statusTo, readByServer: () => readByServer }
}

describe('a connection', () => {
  test('that carries calls bypasses the HTTP server, which handles only refusals and other requests', async (t) => {
    const { requests, statusTo, readByServer } = await aLine(t)
    for (const [bytes, status, read] of [
      [requests.call, 200, 0],
      [requests.denied, 403, 1],
      [requests.call, 200, 1],
      [requests.invalid, 400, 2],
      [requests.health, 200, 3],
      [requests.nowhere, 404, 4],
      [requests.call, 200, 4],
    ] as const) {
      assert.equal(await statusTo(bytes), status)
      assert.equal(readByServer(), read)
    }
  })

  test('that carries no calls for a while is handed to the HTTP server, which then also answers calls', async (t) => {
    const { requests, statusTo, readByServer } = await aLine(t)
    assert.equal(await statusTo(requests.call), 200)
    for (let n = 0; n < MANY; n += 1) assert.equal(await statusTo(requests.health), 200)
    assert.equal(readByServer(), MANY)
    assert.equal(await statusTo(requests.call), 200)
    assert.equal(await statusTo(requests.denied), 403)
    assert.equal(readByServer(), MANY + 2)
  })

  test('whose requests have no known end is handed to the HTTP server', async (t) => {
    const { requests, statusTo, readByServer } = await aLine(t)
    assert.equal(await statusTo(requests.denied), 403)
    assert.equal(await statusTo(requests.chunked), 400)
    assert.equal(await statusTo(requests.call), 200)
    assert.equal(readByServer(), 3)
  })

  test('on which all requests arrive at once is answered in order', async (t) => {
    const { line, requests, service } = await aLine(t)
    const before = await service.logSize()
    const sent = ['call', 'health', 'denied', 'call', 'nowhere', 'call', 'chunked', 'call'] as const
    line.write(sent.map((name) => requests[name]).join(''))
    const statuses: number[] = []
    for (const _ of sent) statuses.push(statusOf(await line.answer()))
    const expected = { call: 200, health: 200, denied: 403, nowhere: 404, chunked: 400 }
    assert.deepEqual(
      statuses,
      sent.map((name) => expected[name]),
    )
    const changes = sent.filter((name) => name === 'call' || name === 'denied').length
    assert.equal((await service.logSize()) - before, changes)
  })
})
