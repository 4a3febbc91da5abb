import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { eventually } from '@deputize/testing/eventually.ts'
import { statusOf } from '@deputize/testing/raw-http.ts'
import { lineRequest, RawLine } from '@deputize/testing/raw-line.ts'
import { limitConnections } from '../../src/http/connections.ts'
import { openOwnFront } from '../../src/http/fronts/own-front.ts'
import { takeConnections } from '../../src/http/fronts/take-connections.ts'
import type { LeanExchange } from '../../src/http/lean-path.ts'
import { leanRoutes } from '../../src/http/lean-routes.ts'

const CALL = 'GET /v1/vat/reputation/a'
const OTHER = 'GET /other'
/** More than can wait for one another on the stack. */
const MANY = 20_000

/** A server whose calls the test answers, or that answers them at once. */
async function aFront(t: TestContext, isAtOnce: boolean) {
  const server = createServer((_request, response) => response.writeHead(204).end())
  const held: LeanExchange[] = []
  const front = openOwnFront({
    server,
    connections: limitConnections(server, { per_address: 10, total: 10, trusted_proxies: [] }),
    lean: {
      find: leanRoutes(),
      carry: (_match, exchange) => (isAtOnce ? answer(exchange) : held.push(exchange)),
    },
    readRequests: takeConnections(server),
  })
  server.listen(0, '127.0.0.1')
  t.after(() => {
    front.cut()
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens at a port
  return { server, front, held, url, line: new RawLine(t, url) }
}

function answer(exchange: LeanExchange | undefined): void {
  exchange?.send(200, { 'content-length': '2' }, 'ok')
}

describe('a connection of the main thread', () => {
  test('takes thousands of calls at once that are answered at once', async (t) => {
    const { url, line } = await aFront(t, true)
    let received = ''
    line.socket.on('data', (text) => {
      received += text
    })
    line.write(lineRequest(url, CALL).repeat(MANY))
    // One that arrives in two pieces is for the HTTP server, and all after it.
    await eventually('all are answered', () => received.match(/HTTP\/1\.1 20[04]/g)?.length === MANY)
    assert.ok(Number(received.match(/HTTP\/1\.1 200/g)?.length) > 500)
  })

  for (const how of ['the server closes idle connections', 'the front leaves'])
    test(`is closed after the answer to its call when ${how}`, async (t) => {
      const { server, front, held, url, line } = await aFront(t, false)
      line.write(lineRequest(url, OTHER))
      assert.equal(statusOf(await line.answer()), 204)
      line.write(lineRequest(url, CALL))
      await eventually('the call is under way', () => held.length === 1)
      if (how === 'the front leaves') front.leave()
      else server.closeIdleConnections()
      answer(held[0])
      assert.equal(statusOf(await line.answer()), 200)
      await eventually('the connection ends', () => line.socket.readableEnded)
    })

  test('that waits for nothing is closed at once, also if its client keeps it open', async (t) => {
    const { server, front, url } = await aFront(t, false)
    const client = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
    t.after(() => client.destroy())
    client.write(lineRequest(url, OTHER))
    await once(client, 'data')
    front.leave()
    const open = promisify(server.getConnections.bind(server))
    await eventually('it is closed', async () => (await open()) === 0)
  })

  test('whose client ends it while a call is under way is closed, so that the call is known to be abandoned', async (t) => {
    const { held, url, line } = await aFront(t, false)
    line.write(lineRequest(url, CALL))
    await eventually('the call is under way', () => held.length === 1)
    line.socket.end()
    await eventually('it is closed', () => held[0]?.request.socket.destroyed)
    answer(held[0]) // nobody reads it
  })
})
