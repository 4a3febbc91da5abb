import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { startBalancer } from '../../../cluster/balancer.ts'

/** A stand-in for a node. It returns its number, or that it isn't ready. */
async function aNode(context: TestContext, number: number, onCall: () => void = () => {}) {
  const state = { is_ready: true }
  const server: Server = createServer((call, answer) => {
    if (call.url === '/readyz') return answer.writeHead(state.is_ready ? 200 : 503).end()
    onCall()
    return answer.end(String(number))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  context.after(stop)
  return { port: (server.address() as AddressInfo).port, state, stop } // it listens on a port
}

/** A node that accepts connections and closes them at the first request. */
async function aRudeNode(context: TestContext) {
  let connections = 0
  const rude = createSocketServer((socket) => {
    connections += 1
    socket.once('data', () => socket.destroy())
  })
  await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve))
  context.after(() => void rude.close())
  return { port: (rude.address() as AddressInfo).port, connections: () => connections } // it listens on a port
}

async function aBalancer(context: TestContext, ports: number[]) {
  const balancer = await startBalancer(ports, 0)
  context.after(() => balancer.close())
  return { ...balancer, client: httpClient(context, `http://127.0.0.1:${balancer.port}`) }
}

describe('the balancer', () => {
  test('uses nodes in turn, and skips one that is not ready', async (context) => {
    const [one, two] = [await aNode(context, 1), await aNode(context, 2)]
    const balancer = await aBalancer(context, [one.port, two.port])
    const answers = async () => {
      const given = []
      for (let call = 0; call < 6; call += 1) given.push((await balancer.client.get('/')).body)
      return given.toSorted().join('')
    }
    assert.equal(await answers(), '111222')
    two.state.is_ready = false
    while (balancer.ready().length > 1) await delay(20)
    assert.equal(await answers(), '111111')
  })

  test('sends a call to another node if the first refuses the connection, and to no node twice', async (context) => {
    const calls = { count: 0 }
    const one = await aNode(context, 1, () => {
      calls.count += 1
    })
    const two = await aNode(context, 2)
    const balancer = await aBalancer(context, [one.port, two.port])
    await two.stop() // the balancer still considers it ready
    for (let call = 0; call < 4; call += 1)
      assert.equal((await balancer.client.post('/', { a: 'body' })).body, '1')
    assert.equal(calls.count, 4)
    await one.stop()
    const refused = await balancer.client.post('/', { a: 'body' })
    assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '1'])
  })

  test('does not repeat a call that a node may have executed', async (context) => {
    const rude = await aRudeNode(context)
    const balancer = await aBalancer(context, [rude.port])
    const before = rude.connections()
    const answer = await balancer.client.post('/', { a: 'body' })
    assert.equal(answer.status, 502)
    assert.ok(rude.connections() - before <= 2, 'one call, and perhaps one look at its health')
  })

  test('retries a read on another node when one dies', async (context) => {
    const [rude, kind] = [await aRudeNode(context), await aNode(context, 1)]
    const balancer = await aBalancer(context, [rude.port, kind.port])
    kind.state.is_ready = false
    while (balancer.ready().length > 0) await delay(20)
    const before = rude.connections()
    for (let call = 0; call < 4; call += 1) assert.equal((await balancer.client.get('/')).body, '1')
    assert.ok(rude.connections() - before >= 2, 'the rude one was never asked')
  })

  test('lets no request through that a node would refuse', async (context) => {
    const program = await aProgram(context, temporaryDirectory(context))
    const balancer = await aBalancer(context, [Number(new URL(program.url).port)])
    const { client } = balancer
    assert.equal((await client.post('/v1/vat/issue/l1', anIssueRequest())).status, 200)
    const own = { Origin: `http://localhost:${balancer.port}` }
    assert.equal((await client.post('/v1/vat/issue/l1', anIssueRequest(), own)).status, 200)
    for (const [headers, code] of [
      [{ Host: 'evil.example' }, 'host_not_allowed'],
      [{ Host: `evil.example:${balancer.port}` }, 'host_not_allowed'],
      [{ Origin: 'http://evil.example' }, 'cross_site_request'],
      [{ 'X-Forwarded-For': '203.0.113.7' }, 'forwarded_request'],
    ] as const) {
      const refused = await client.post('/v1/vat/issue/l1', anIssueRequest(), headers)
      assert.equal(refused.body.code, code)
    }
  })
})
