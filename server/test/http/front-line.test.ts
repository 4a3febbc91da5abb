import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { describe, type TestContext, test } from 'node:test'
import { eventually } from '@deputize/testing/eventually.ts'
import { statusOf } from '@deputize/testing/raw-http.ts'
import { lineRequest, RawLine } from '@deputize/testing/raw-line.ts'
import { type ConnectionWatch, limitConnections } from '../../src/http/connections/connections.ts'
import { type FrontsOptions, openFronts } from '../../src/http/fronts/fronts.ts'
import { openOwnFront } from '../../src/http/fronts/own-front.ts'
import { takeConnections } from '../../src/http/fronts/take-connections.ts'
import type { LeanExchange } from '../../src/http/lean/lean-path.ts'
import { leanPatterns, leanRoutes } from '../../src/http/lean/lean-routes.ts'

const CALL = 'GET /v1/vat/reputation/a'
const OTHER = 'GET /other'
/** More calls than could be nested on the stack. */
const MANY = 20_000
/** Shorter than the time after which a front closes an idle connection. */
const SOON_MS = 40_000

type FrontOptions = Omit<FrontsOptions, 'threads' | 'host' | 'port' | 'calls'>

/** The part that reads the connections of a server. */
interface OpenedFront {
  readonly url: string
  /** Closes its connections as in a shutdown of the service. Resolves when all of them were told to close. */
  leave(): Promise<void>
  close(): Promise<void>
}

async function mainThread(options: FrontOptions): Promise<OpenedFront> {
  const { server } = options
  const front = openOwnFront(options)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on a port
    leave: async () => front.leave(),
    async close() {
      front.cut()
      server.closeAllConnections()
      server.close()
    },
  }
}

async function otherThread(options: FrontOptions): Promise<OpenedFront> {
  const { server } = options
  const place = { threads: 1, host: '127.0.0.1', port: 0 }
  const fronts = await openFronts({ ...options, ...place, calls: leanPatterns() })
  const left = Promise.withResolvers<void>()
  const closeIdleConnections = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    closeIdleConnections()
    left.resolve()
  }
  let closed: Promise<void> | undefined
  function close(): Promise<void> {
    closed ??= fronts.close()
    return closed
  }
  return {
    url: fronts.address,
    leave() {
      void close()
      return left.promise
    },
    close,
  }
}

interface FrontSetting {
  /** Maximum number of connections per address. */
  readonly limit?: number
  carry?(exchange: LeanExchange): void
}

/** A server whose calls the test answers, unless `carry` is given. */
async function aFront(t: TestContext, kind: typeof mainThread, { limit = 10, carry }: FrontSetting = {}) {
  const server = createServer((request, response) => {
    if (request.url === '/last') response.setHeader('connection', 'close')
    if (request.url === '/stream') response.write('first')
    else response.writeHead(204).end()
  })
  const open = new Set<object>()
  const watch = limitConnections(server, { per_address: limit, total: limit, trusted_proxies: [] })
  const connections: ConnectionWatch = {
    ...watch,
    open(connection) {
      open.add(connection)
      connection.once('close', () => open.delete(connection))
      watch.open(connection)
    },
  }
  const held: LeanExchange[] = []
  const hold = (exchange: LeanExchange) => void held.push(exchange)
  const front = await kind({
    server,
    connections,
    lean: { find: leanRoutes(), carry: (_match, exchange) => (carry ?? hold)(exchange) },
    readRequests: takeConnections(server),
  })
  const { url } = front
  const line = new RawLine(t, url)
  t.after(() => front.close())
  return { server, front, held, connections, url, line, open: () => open.size }
}

function answer(exchange: LeanExchange | undefined): void {
  exchange?.send(200, { 'content-length': '2' }, 'ok')
}

/** A request whose end only the HTTP server can find. */
function chunked(url: string): string {
  return `${lineRequest(url, 'POST /other', undefined, ['Transfer-Encoding: chunked'])}0\r\n\r\n`
}

/** Whether the other side has closed a connection. */
function isOver({ socket }: RawLine): boolean {
  return socket.readableEnded || socket.destroyed
}

const KINDS = process.platform === 'linux' ? [mainThread, otherThread] : [mainThread]

for (const kind of KINDS)
  describe(`a connection of the ${kind === mainThread ? 'main thread' : 'thread of a front'}`, () => {
    test('accepts thousands of calls at once that are answered immediately', async (t) => {
      const { url, line } = await aFront(t, kind, { carry: answer })
      let received = ''
      line.socket.on('data', (text) => {
        received += text
      })
      line.write(lineRequest(url, CALL).repeat(MANY))
      // A call that arrives in two pieces goes to the HTTP server, and so do all calls after it.
      await eventually('all are answered', () => received.match(/HTTP\/1\.1 20[04]/g)?.length === MANY)
      assert.ok(Number(received.match(/HTTP\/1\.1 200/g)?.length) > 500)
    })

    for (const how of ['the server closes idle connections', 'the front leaves'])
      for (const ending of ['the answer to its call', 'the refusal of its call'])
        test(`is closed after ${ending} when ${how}`, async (t) => {
          const { server, front, held, url, line } = await aFront(t, kind)
          line.write(lineRequest(url, OTHER))
          assert.equal(statusOf(await line.answer()), 204)
          line.write(lineRequest(url, CALL))
          await eventually('the call is under way', () => held.length === 1)
          if (how === 'the front leaves') await front.leave()
          else server.closeIdleConnections()
          assert.equal(held[0]?.request.socket.destroyed, false)
          if (ending === 'the answer to its call') answer(held[0])
          else held[0]?.passOn()
          assert.equal(statusOf(await line.answer()), ending === 'the answer to its call' ? 200 : 204)
          await eventually('the connection ends', () => isOver(line))
        })

    test('that waits for nothing is closed at once, even if its client keeps it open', async (t) => {
      const { front, open, url } = await aFront(t, kind)
      const client = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
      t.after(() => client.destroy())
      client.write(lineRequest(url, OTHER))
      await once(client, 'data')
      void front.leave()
      await eventually('it is closed', () => open() === 0)
    })

    test('that its client ends while a call is under way is closed, which marks the call as abandoned', async (t) => {
      const { held, url, line } = await aFront(t, kind)
      line.write(lineRequest(url, CALL))
      await eventually('the call is under way', () => held.length === 1)
      line.socket.end()
      await eventually('it is closed', () => held[0]?.request.socket.destroyed)
      answer(held[0]) // nobody reads it
    })

    test('executes no call after the answer that closes the connection', async (t) => {
      const { held, url, line } = await aFront(t, kind)
      line.write(lineRequest(url, 'GET /last') + lineRequest(url, CALL))
      assert.equal(statusOf(await line.answer()), 204)
      await eventually('the connection ends', () => isOver(line))
      assert.equal(held.length, 0)
    })

    test('whose requests have no known end is closed with the idle ones', async (t) => {
      const { server, url, line } = await aFront(t, kind)
      line.write(chunked(url))
      assert.equal(statusOf(await line.answer()), 204)
      server.closeIdleConnections()
      await eventually('the connection ends', () => isOver(line), SOON_MS)
    })

    test('on which a request was answered before it arrived completely is closed with the idle ones', async (t) => {
      const { server, url, line } = await aFront(t, kind)
      const request = lineRequest(url, 'POST /other', { text: 'x'.repeat(100) })
      line.write(request.slice(0, -5))
      assert.equal(statusOf(await line.answer()), 204)
      line.write(request.slice(-5) + lineRequest(url, OTHER))
      assert.equal(statusOf(await line.answer()), 204)
      server.closeIdleConnections()
      await eventually('the connection ends', () => isOver(line), SOON_MS)
    })

    for (const [what, requestTo] of [
      ['a call', (url: string) => lineRequest(url, CALL)],
      ['a request', (url: string) => lineRequest(url, OTHER)],
      ['a request without a certain end', chunked],
    ] as const)
      test(`that makes room while ${what} is in flight is answered or closed`, async (t) => {
        const newcomer = Object.assign(new PassThrough(), { remoteAddress: '127.0.0.1' })
        let carried = 0
        const { connections, open, url, line } = await aFront(t, kind, {
          limit: 2,
          carry(exchange) {
            if (exchange.request.url === '/v1/vat/reputation/b') makeRoom()
            else carried += 1
            answer(exchange)
          },
        })
        function makeRoom(): void {
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100) // a front reads the other request meanwhile
          connections.open(newcomer)
        }
        line.write(lineRequest(url, CALL))
        assert.equal(statusOf(await line.answer()), 200)
        const busy = new RawLine(t, url)
        await eventually('both are open', () => open() === 2)
        let received = ''
        line.socket.on('data', (text) => {
          received += text
        })
        busy.write(lineRequest(url, 'GET /v1/vat/reputation/b'))
        line.write(requestTo(url))
        assert.equal(statusOf(await busy.answer()), 200)
        await eventually('an answer, or the end', () => received !== '' || isOver(line), SOON_MS)
        t.diagnostic(received === '' ? 'closed' : 'answered')
        // If the request arrived earlier, the connection was busy and the newcomer was closed.
        if (!newcomer.destroyed) await eventually('the connection ends', () => isOver(line), SOON_MS)
        if (what === 'a call') assert.equal(carried, received === '' ? 1 : 2)
      })

    test('beyond the limit is closed while all others are busy, even if it sends a request at once', async (t) => {
      const { url, line } = await aFront(t, kind, { limit: 1 })
      line.write(lineRequest(url, 'GET /stream'))
      await eventually('the stream begins', () => line.socket.bytesRead > 0)
      for (let attempt = 0; attempt < 10; attempt += 1) {
        const beyond = new RawLine(t, url)
        beyond.write(lineRequest(url, 'GET /stream'))
        await eventually('the connection ends', () => isOver(beyond), SOON_MS)
      }
      assert.ok(!isOver(line))
    })
  })
