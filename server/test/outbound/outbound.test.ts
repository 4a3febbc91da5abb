import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { after, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { aCertificate } from '@deputize/testing/a-certificate.ts'
import { OutboundError, type OutboundOptions, outbound } from '../../src/outbound/outbound.ts'
import { isPublicAddress } from '../../src/outbound/public-address.ts'

/** A public address that these tests name but never call. */
const PUBLIC = '93.184.215.14'
const certificate = aCertificate('issuer.example.com')
setDefaultCACertificates([...getCACertificates('default'), certificate.cert])

/** Every socket that this process opens. */
let sockets = 0
subscribe('net.client.socket', () => {
  sockets += 1
})

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port // a TCP server has such an address
}

/** A listener on this machine that must receive nothing, or that answers as the test wants. */
async function aListener(answer: RequestListener = (_, response) => response.end('{"reached":true}')) {
  const requests: string[] = []
  const listener: RequestListener = (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    answer(request, response)
  }
  const plain = createHttpServer(listener)
  const secure = createHttpsServer(certificate, listener)
  let connections = 0
  for (const server of [plain, secure]) server.on('connection', () => connections++)
  return {
    requests,
    connections: () => connections,
    port: await listening(plain),
    secure_port: await listening(secure),
  }
}

/** A resolver with fixed answers. Each lookup takes the next one, and the last one repeats. */
function aResolver(...answers: readonly (readonly string[])[]) {
  const asked: string[] = []
  return {
    asked,
    resolve: async (name: string) => answers[Math.min(asked.push(name), answers.length) - 1] ?? [],
  }
}

async function reasonOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => assert.fail('the call was made'),
    (cause: unknown) => cause,
  )
  assert.ok(error instanceof OutboundError, String(error))
  return error.reason
}

interface HostileUrl {
  readonly url: string
  readonly block: boolean | 'policy'
  readonly why: string
}

describe('configured addresses', async () => {
  const vectors: { urls: HostileUrl[] } = JSON.parse(
    readFileSync(new URL('../../../vectors/hostile/ssrf-urls.json', import.meta.url), 'utf8'),
  )
  const listener = await aListener()

  for (const { url, block, why } of vectors.urls.filter((vector) => vector.block !== false))
    test(`${url} is not called (${why})`, async () => {
      const { asked, resolve } = aResolver([PUBLIC])
      const dialled: string[] = []
      const call = outbound({
        resolve,
        dial(address, port) {
          dialled.push(`${address}:${port}`)
          return connect(listener.port, '127.0.0.1')
        },
      })
      const before = sockets
      assert.match(await reasonOf(call(url)), /^(address|port|not_public)$/, String(block))
      assert.deepEqual([asked, dialled, sockets - before, listener.connections()], [[], [], 0, 0])
    })

  test('the same addresses over https are not called either, whatever they resolve to', async () => {
    const before = sockets
    for (const { url } of vectors.urls.filter(({ block }) => block === true)) {
      const { resolve } = aResolver([PUBLIC, '127.0.0.1'])
      const secure = url.replace(/^http:/, 'https:')
      assert.match(await reasonOf(outbound({ resolve })(secure)), /^(address|port|not_public)$/, secure)
    }
    assert.deepEqual([sockets - before, listener.connections()], [0, 0])
  })

  test('that are public are called at the address that was checked', async () => {
    for (const { url } of vectors.urls.filter(({ block }) => block === false)) {
      const { asked, resolve } = aResolver([PUBLIC])
      const dialled: string[] = []
      const dial = (address: string, port: number) => {
        dialled.push(`${address}:${port}`)
        return connect(1, '127.0.0.1')
      }
      assert.equal(await reasonOf(outbound({ resolve, dial })(url)), 'unreachable')
      assert.deepEqual([asked, dialled], [['example.com'], [`${PUBLIC}:443`]])
    }
  })
})

describe('a name that resolves to a forbidden address', async () => {
  const listener = await aListener()
  const ports = [listener.secure_port]
  const url = `https://issuer.example.com:${listener.secure_port}/`

  for (const [why, addresses] of Object.entries({
    'this machine': ['127.0.0.1'],
    'this machine in IPv6': ['::1'],
    'this machine by any of its names': ['127.8.9.10'],
    'a private network': ['10.1.2.3'],
    'the metadata of a cloud': ['169.254.169.254'],
    'an IPv4 address in an IPv6 one': ['::ffff:127.0.0.1'],
    'an IPv4 address behind NAT64': ['64:ff9b::7f00:1'],
    'an IPv4 address in 6to4': ['2002:7f00:1::'],
    'a public address and this machine': [PUBLIC, '127.0.0.1'],
    'this machine and a public address': ['127.0.0.1', PUBLIC],
    'a zone of a link': ['fe80::1%lo'],
    'no address at all': ['localhost'],
  }))
    test(`${why}: no connection is made`, async () => {
      const before = sockets
      const { asked, resolve } = aResolver(addresses)
      assert.equal(await reasonOf(outbound({ resolve, ports })(url)), 'not_public')
      assert.deepEqual([asked.length, sockets - before, listener.connections()], [1, 0, 0])
    })

  test('is resolved once, so a later DNS answer has no effect', async () => {
    const { asked, resolve } = aResolver([PUBLIC], ['127.0.0.1'])
    const dialled: string[] = []
    const dial = (address: string) => {
      dialled.push(address)
      return connect(1, '127.0.0.1')
    }
    assert.equal(await reasonOf(outbound({ resolve, dial, ports })(url)), 'unreachable')
    assert.deepEqual([asked.length, dialled, listener.connections()], [1, [PUBLIC], 0])
    assert.equal(await reasonOf(outbound({ resolve, dial, ports })(url)), 'not_public')
    assert.deepEqual([dialled, listener.connections()], [[PUBLIC], 0])
  })

  test('is also refused in development, where only loopback addresses and localhost are allowed', async () => {
    const { resolve } = aResolver(['127.0.0.1'])
    const call = outbound({ resolve, ports, allow_loopback: true })
    assert.equal(await reasonOf(call(url)), 'not_public')
    assert.equal(await reasonOf(call(`http://issuer.example.com:${listener.port}/`)), 'address')
    assert.equal(await reasonOf(call(`http://foo.localhost:${listener.port}/`)), 'address')
    assert.equal(listener.connections(), 0)
    const answer = await call(`http://127.0.0.1:${listener.port}/open?a=1`)
    assert.deepEqual([answer.status, await answer.json()], [200, { reached: true }])
    assert.deepEqual([listener.connections(), listener.requests], [1, ['GET /open?a=1']])
  })

  test('a name without an address is unresolved', async () => {
    assert.equal(await reasonOf(outbound({ ...aResolver([]), ports })(url)), 'unresolved')
    const resolve = () => Promise.reject(new Error('no such name'))
    assert.equal(await reasonOf(outbound({ resolve, ports })(url)), 'unresolved')
  })
})

/** Makes a call to a public name, whose connection ends at the test's listener. */
function calling(port: number, options: OutboundOptions = {}) {
  return outbound({
    ...aResolver([PUBLIC]),
    ports: [port],
    dial: () => connect(port, '127.0.0.1'),
    ...options,
  })
}

for (const keeps_connections of [false, true])
  describe(keeps_connections ? 'a call by a client that keeps connections' : 'a call', () => {
    const toListener = (port: number, options: OutboundOptions = {}) =>
      calling(port, { keeps_connections, ...options })

    test('reaches only a server whose certificate matches the name', async () => {
      const { secure_port, requests } = await aListener()
      const call = toListener(secure_port)
      const answer = await call(`https://issuer.example.com:${secure_port}/keys`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain' },
        body: 'hello',
      })
      assert.deepEqual(await answer.json(), { reached: true })
      assert.equal(await reasonOf(call(`https://other.example.com:${secure_port}/keys`)), 'unreachable')
      assert.deepEqual(requests, ['POST /keys'])
    })

    test('follows no redirect', async () => {
      const target = await aListener()
      const { secure_port } = await aListener((_, response) =>
        response.writeHead(302, { location: `http://127.0.0.1:${target.port}/` }).end(),
      )
      assert.equal(
        await reasonOf(toListener(secure_port)(`https://issuer.example.com:${secure_port}/`)),
        'redirect',
      )
      assert.equal(target.connections(), 0)
    })

    test('stops reading at the size limit', async () => {
      const { secure_port } = await aListener((_, response) => response.end('x'.repeat(1001)))
      const url = `https://issuer.example.com:${secure_port}/`
      assert.equal(await reasonOf(toListener(secure_port, { limit_bytes: 1000 })(url)), 'too_large')
      assert.equal((await (await toListener(secure_port, { limit_bytes: 1001 })(url)).text()).length, 1001)
      const endless = await aListener((_, response) => {
        const more = setInterval(() => response.write('x'.repeat(16_384)), 1)
        response.on('close', () => clearInterval(more))
      })
      assert.equal(
        await reasonOf(toListener(endless.secure_port)(`https://issuer.example.com:${endless.secure_port}/`)),
        'too_large',
      )
    })

    test('times out wherever the other side stops responding', async () => {
      const silent = createTcpServer(() => {})
      silent.listen(0, '127.0.0.1')
      await once(silent, 'listening')
      after(() => silent.close())
      const { port } = silent.address() as AddressInfo // a TCP server has such an address
      const slow = await aListener((_, response) => response.write('{'))
      const mute = await aListener(() => {})
      const timeout_ms = 200
      const started = performance.now()
      const reasons = await Promise.all([
        reasonOf(toListener(port, { timeout_ms })(`https://issuer.example.com:${port}/`)),
        ...[slow, mute].map(({ secure_port }) =>
          reasonOf(toListener(secure_port, { timeout_ms })(`https://issuer.example.com:${secure_port}/`)),
        ),
        reasonOf(
          outbound({ resolve: () => setTimeout(60_000, [], { ref: false }), timeout_ms })(
            'https://issuer.example.com/',
          ),
        ),
      ])
      assert.deepEqual(reasons, ['too_slow', 'too_slow', 'too_slow', 'too_slow'])
      assert.ok(performance.now() - started < 30_000)
    })

    test('that is cut off at any point is unreachable and does not crash the process', async () => {
      const cutting = createTcpServer((socket) => socket.resetAndDestroy())
      cutting.listen(0, '127.0.0.1')
      await once(cutting, 'listening')
      after(() => cutting.close())
      const { port } = cutting.address() as AddressInfo // a TCP server has such an address
      const half = await aListener((_, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{')
        setImmediate(() => response.destroy())
      })
      const mute = await aListener((request) => request.destroy())
      const targets = [port, half.secure_port, mute.secure_port]
      for (const target of targets)
        assert.equal(
          await reasonOf(toListener(target)(`https://issuer.example.com:${target}/`)),
          'unreachable',
          `${targets.indexOf(target)}`,
        )
      const plain = `http://127.0.0.1:${port}/`
      assert.equal(
        await reasonOf(outbound({ allow_loopback: true, keeps_connections })(plain)),
        'unreachable',
      )
    })

    test('uses the next address if one does not accept', async () => {
      const { secure_port } = await aListener()
      const dialled: string[] = []
      const call = toListener(secure_port, {
        ...aResolver(['2606:4700::1111', PUBLIC]),
        dial(address) {
          dialled.push(address)
          return connect(address === PUBLIC ? secure_port : 1, '127.0.0.1')
        },
      })
      assert.equal((await call(`https://issuer.example.com:${secure_port}/`)).status, 200)
      assert.deepEqual(dialled, ['2606:4700::1111', PUBLIC])
    })

    test('ignores proxy settings of the environment', async () => {
      const proxy = await aListener()
      const target = await aListener()
      const program = `
      import { outbound } from ${JSON.stringify(import.meta.resolve('../../src/outbound/outbound.ts'))}
      const answer = await outbound({ allow_loopback: true, keeps_connections: ${keeps_connections} })('http://127.0.0.1:${target.port}/')
      process.stdout.write(await answer.text())`
      const at = `http://127.0.0.1:${proxy.port}`
      const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
        env: {
          PATH: process.env.PATH,
          NODE_USE_ENV_PROXY: '1',
          HTTP_PROXY: at,
          HTTPS_PROXY: at,
          http_proxy: at,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let output = ''
      child.stdout.on('data', (chunk) => {
        output += chunk
      })
      await once(child, 'close')
      assert.deepEqual([output, proxy.connections(), target.connections()], ['{"reached":true}', 0, 1])
    })
  })

describe('kept connections', () => {
  const keeps_connections = true

  test('serve call after call, even after an answer that was truncated or refused', async () => {
    const { secure_port, connections, requests } = await aListener((request, response) => {
      if (request.url === '/moved') response.writeHead(302, { location: '/' }).end('x'.repeat(100_000))
      else response.end(request.url === '/large' ? 'x'.repeat(100_000) : 'small')
    })
    const call = calling(secure_port, { keeps_connections, limit_bytes: 5, on_large: 'cut' })
    const at = (path: string) => `https://issuer.example.com:${secure_port}${path}`
    for (let n = 0; n < 5; n++) assert.equal(await (await call(at('/'))).text(), 'small')
    assert.equal(connections(), 1)
    assert.equal(await (await call(at('/large'))).text(), 'xxxxx')
    assert.equal(await reasonOf(call(at('/moved'))), 'redirect')
    for (let n = 0; n < 5; n++) assert.equal(await (await call(at('/'))).text(), 'small')
    assert.equal(requests.length, 12)
  })

  test('are replaced if the server closes them, or drops one without an answer when it is reused', async () => {
    const seen = new WeakSet<object>()
    const { secure_port, requests } = await aListener((request, response) => {
      const isUsedAgain = seen.has(request.socket)
      seen.add(request.socket)
      if (isUsedAgain) request.socket.destroy()
      else response.end(`${requests.length}`)
    })
    const call = calling(secure_port, { keeps_connections })
    const post = { method: 'POST', body: 'message' } as const
    const answers: string[] = []
    for (let n = 0; n < 3; n++)
      answers.push(await (await call(`https://issuer.example.com:${secure_port}/`, post)).text())
    assert.deepEqual(answers, ['1', '3', '5'])
  })

  test('are not used for a name that now resolves to other addresses, and never for forbidden ones', async () => {
    const { secure_port, connections, requests } = await aListener()
    const resolver = aResolver([PUBLIC], [PUBLIC], ['93.184.215.15'], ['10.0.0.8'], [PUBLIC, '127.0.0.1'])
    const call = calling(secure_port, { keeps_connections, ...resolver })
    const url = `https://issuer.example.com:${secure_port}/`
    for (const expected of [1, 1, 2]) {
      assert.equal((await call(url)).status, 200)
      assert.equal(connections(), expected)
    }
    for (let n = 0; n < 2; n++) assert.equal(await reasonOf(call(url)), 'not_public')
    assert.equal(requests.length, 3)
  })
})

test('only addresses on the public internet are public', () => {
  for (const address of ['1.1.1.1', PUBLIC, '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])
    assert.ok(isPublicAddress(address), address)
  for (const address of [
    ...['0.0.0.0', '100.127.255.255', '192.0.0.8', '198.19.0.1', '224.0.0.1', '255.255.255.255'],
    ...[
      '::',
      '::1',
      '::ffff:1.1.1.1',
      '64:ff9b::101:101',
      '64:ff9b:1::1',
      '100::1',
      '2001::1',
      '2001:db8::1',
    ],
    ...[
      '2002:101:101::',
      '3fff::1',
      '5f00::1',
      'fc00::1',
      'fe80::1',
      'fec0::1',
      'ff02::1',
      '4000::1',
      'x',
      '',
    ],
  ])
    assert.ok(!isPublicAddress(address), address)
})
