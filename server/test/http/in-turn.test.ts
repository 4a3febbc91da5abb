import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { statusOf } from '@deputize/testing/raw-http.ts'
import { lineRequest, RawLine } from '@deputize/testing/raw-line.ts'

/** On several connections, far more than the calls in progress that are never a sign of load. */
const CONNECTIONS = 4
const MANY = 400
const FLOOD = 5_000
/** The service may stop reading a connection after this many. */
const SURELY_READ = 64
/** Enough calls to measure how many the service can answer. */
const READS = 100

/** A service, and connections to it whose first request waits for a decision. */
async function aSlowWorld(t: TestContext, http_threads: number) {
  const service = await aTestApp(t, { http_threads, longest_wait_ms: 300 })
  const constraints = { require_approval: { actions: ['read'] } }
  const { jti } = (await service.post('/v1/vat/issue/l1', anIssueRequest({ constraints }))).body
  const action = { vat_jti: jti, action: 'read', resource: 'calendar:events' }
  const { approval_id } = (await service.post('/v1/vat/authorize', action)).body
  const url = await service.listen()
  let arrived = 0
  service.app.server.on('request', () => {
    arrived += 1
  })

  /** Opens connections with a request that waits, and sends further ones behind it. */
  async function slowLines(connections: number, behind: string, count: number): Promise<RawLine[]> {
    const { waits } = service.context
    // Without the space, the HTTP server reads the connection.
    const slow = `GET /v1/vat/approvals/${approval_id}?wait=30 HTTP/1.1\r\nHost:${new URL(url).host}\r\n\r\n`
    const lines = Array.from({ length: connections }, () => new RawLine(t, url))
    for (const line of lines) line.write(slow)
    await eventually('the first requests wait', () => waits.count === connections)
    const awaited = arrived + connections * Math.min(count, SURELY_READ)
    for (const line of lines) line.write(behind.repeat(count))
    await eventually('others have arrived', () => arrived >= awaited)
    return lines
  }
  async function decide(): Promise<void> {
    const line = new RawLine(t, url)
    line.write(lineRequest(url, `POST /v1/vat/approvals/${approval_id}/deny`, {}))
    assert.equal(statusOf(await line.answer()), 200)
  }
  return { service, url, slowLines, decide, arrived: () => arrived }
}

for (const threads of [1, 2])
  describe(`requests behind one that is not answered yet, with DEPUTY_HTTP_THREADS=${threads}`, () => {
    test('are carried out and answered in their turn', async (t) => {
      const { service, url, slowLines, decide } = await aSlowWorld(t, threads)
      const issue = lineRequest(url, 'POST /v1/vat/issue/l1', anIssueRequest())
      const [line = assert.fail('no connection')] = await slowLines(1, issue, 1)
      await decide()
      assert.equal(statusOf(await line.answer()), 200)
      const issued = await line.answer()
      assert.equal(statusOf(issued), 200)
      const types = (await service.leafTexts()).map((text) => JSON.parse(text).type)
      assert.deepEqual(types.slice(-2), ['approval.decided', 'token.issued'])
    })

    test('are read only a few at a time, and all of them in the end', async (t) => {
      const { url, slowLines, decide, arrived } = await aSlowWorld(t, threads)
      const all = arrived() + 1 + FLOOD
      await slowLines(1, lineRequest(url, 'GET /nowhere'), FLOOD)
      const other = new RawLine(t, url)
      for (let n = 0; n < READS; n += 1) {
        other.write(lineRequest(url, 'POST /v1/vat/issue/l1', anIssueRequest()))
        assert.equal(statusOf(await other.answer()), 200)
      }
      assert.ok(arrived() < FLOOD / 2, `${arrived()} have arrived`)
      await decide()
      await eventually('all have arrived', () => arrived() >= all)
    })

    test('are not carried out if their client leaves before that', async (t) => {
      const { service, url, slowLines } = await aSlowWorld(t, threads)
      const before = await service.logSize()
      const issue = lineRequest(url, 'POST /v1/vat/issue/l1', anIssueRequest())
      const [line = assert.fail('no connection')] = await slowLines(1, issue, 1)
      line.socket.destroy()
      await eventually('the first call ends', () => service.context.waits.count === 0)
      assert.equal(await service.logSize(), before)
    })

    test('are no load', async (t) => {
      const { url, slowLines } = await aSlowWorld(t, threads)
      const read = lineRequest(url, 'GET /v1/vat/policies')
      await slowLines(CONNECTIONS, read, MANY)
      const line = new RawLine(t, url)
      for (let n = 0; n < READS; n += 1) {
        line.write(read)
        assert.equal(statusOf(await line.answer()), 200)
      }
    })
  })
