import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { after, describe, test } from 'node:test'
import { isLoopback } from '../../src/loopback.ts'
import { readAllowlist } from '../../src/outbound/allowlist.ts'
import { type OutboundOptions, outbound, outboundFault } from '../../src/outbound/outbound.ts'

const PUBLIC = '93.184.215.14'

const server = createServer((_, response) => response.end('reached'))
const port = await new Promise<number>((resolve) => {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    resolve(typeof address === 'object' && address !== null ? address.port : 0)
  })
})
after(() => server.close())

function options(text: string, ...addresses: string[]): OutboundOptions {
  const { allowlist, problems } = readAllowlist(text)
  assert.deepEqual(problems, [])
  return { allowlist, resolve: async () => addresses }
}

describe('the list of private targets', () => {
  test("names every part that can't be read", () => {
    for (const part of [
      'example',
      '127.0.0.1',
      'http://127.0.0.1:9000',
      '127.0.0.1:0',
      '127.0.0.1:70000',
      '10.0.0.0/33',
      '10.0.0/8',
      '2130706433:80',
      '127.1:80',
      '::1:9000',
      'fe80::1%lo/64',
      '*:443',
      'a b:443',
    ]) {
      const { problems } = readAllowlist(`10.1.0.0/16,${part}`)
      assert.equal(problems.length, 1, part)
      assert.ok(problems[0]?.includes(`"${part}"`), part)
    }
  })

  test('lets http reach a listed host and port, and no other port', async () => {
    const call = outbound(options(`127.0.0.1:${port}`))
    assert.equal(await (await call(`http://127.0.0.1:${port}/`)).text(), 'reached')
    assert.equal(
      await outboundFault(`http://127.0.0.1:${port + 1}/`, options(`127.0.0.1:${port}`)),
      'address',
    )
    assert.equal(await outboundFault(`https://127.0.0.1:${port + 1}/`, options(`127.0.0.1:${port}`)), 'port')
    assert.equal(await outboundFault('https://127.0.0.1/', options(`127.0.0.1:${port}`)), 'not_public')
  })

  for (const [what, url, list, addresses, fault] of [
    ['a name in a listed range', 'http://hooks.example.com:8080/', '10.1.0.0/16', ['10.1.2.3'], undefined],
    [
      'a name listed with its port',
      'http://hooks.internal:8080/',
      'hooks.internal:8080',
      ['10.9.9.9'],
      undefined,
    ],
    [
      'a listed name with another port',
      'http://hooks.internal:81/',
      'hooks.internal:8080',
      ['10.9.9.9'],
      'address',
    ],
    ['a name outside the range', 'http://hooks.example.com/', '10.1.0.0/16', ['10.2.0.1'], 'address'],
    [
      'a name inside and outside',
      'https://hooks.example.com/',
      '10.1.0.0/16',
      ['10.1.0.1', '10.2.0.1'],
      'not_public',
    ],
    ['a public name', 'https://hooks.example.com/', '10.1.0.0/16', [PUBLIC], undefined],
    ['a public name with plain http', 'http://hooks.example.com/', '10.1.0.0/16', [PUBLIC], 'address'],
    ['a public name with another port', 'https://hooks.example.com:9/', '10.1.0.0/16', [PUBLIC], 'port'],
    [
      'a name that rebinds to this machine',
      'https://hooks.example.com/',
      '10.1.0.0/16',
      ['127.0.0.1'],
      'not_public',
    ],
    [
      'an IPv4 address in an IPv6 one',
      'https://hooks.example.com/',
      '10.1.0.0/16',
      ['::ffff:10.1.0.1'],
      'not_public',
    ],
    ['an IPv6 range', 'http://[fd00::7]:8080/', 'fd00::/8', [], undefined],
    ['the metadata of a cloud', 'http://169.254.169.254/', '10.1.0.0/16', [], 'address'],
  ] as const)
    test(`${what}: ${fault ?? 'may be called'}`, async () => {
      assert.equal(await outboundFault(url, options(list, ...addresses)), fault)
    })

  test('a name that does not resolve at the moment is not a fault: each call resolves it again', async () => {
    const resolve = () => Promise.reject(new Error('no such name'))
    assert.equal(await outboundFault('https://hooks.example.com/', { resolve }), undefined)
  })

  test('opens nothing else: hostile addresses stay refused', async () => {
    const vectors: { urls: { url: string; block: boolean | 'policy' }[] } = JSON.parse(
      readFileSync(new URL('../../../vectors/hostile/ssrf-urls.json', import.meta.url), 'utf8'),
    )
    for (const { url } of vectors.urls.filter(({ block }) => block !== false)) {
      const host = URL.parse(url)?.hostname ?? ''
      if (host === '10.1.2.3') continue
      const fault = await outboundFault(url, options('10.1.0.0/16', PUBLIC))
      assert.match(fault ?? 'called', /^(address|port|not_public)$/, url)
    }
  })

  test('a large answer can be truncated instead of refused', async () => {
    const large = createServer((_, response) => response.end('x'.repeat(5_000)))
    await new Promise<void>((resolve) => large.listen(0, '127.0.0.1', resolve))
    after(() => large.close())
    const address = large.address()
    const at = typeof address === 'object' && address !== null ? address.port : 0
    const call = outbound({
      ...options(`127.0.0.1:${at}`),
      limit_bytes: 1_000,
      on_large: 'cut',
      dial: (host, to) => (isLoopback(host) ? connect(to, host) : assert.fail(host)),
    })
    assert.equal((await (await call(`http://127.0.0.1:${at}/`)).text()).length, 1_000)
  })
})
