import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cpuMs } from '@deputize/testing/cpu-time.ts'
import fc from 'fast-check'
import { normalisedTarget } from '../../src/proof/target-uri.ts'

describe('the target of a request', () => {
  test('is normalized by RFC 3986', () => {
    const same: [string, string][] = [
      ['https://host/a', 'HTTPS://HOST:443/a?q=1#f'],
      ['http://host/', 'http://host:80'],
      ['http://host/', 'http://host:?q'],
      ['https://host:8443/', 'https://host:08443/.'],
      ['https://host/~a/b', 'https://host/%7Ea/%62'],
      ['https://host/%2F%3A', 'https://host/%2f%3a'],
      ['https://host/b', 'https://host/a/../b'],
      ['https://host/b', 'https://host/a/%2e%2E/b'],
      ['https://host/a/', 'https://host/a/./b/..'],
      ['https://host/', 'https://host/../..'],
      ['https://[::1]:3000/a', 'https://[::1]:3000/./a'],
      ['https://host//a', 'https://host//a'],
    ]
    for (const [plain, other] of same) assert.equal(normalisedTarget(other), plain, other)
  })

  test('differs if anything else differs', () => {
    const all = [
      'https://host/a',
      'http://host/a',
      'https://host:444/a',
      'https://host./a',
      'https://other/a',
      'https://host/A',
      'https://host/a/',
      'https://host//a',
      'https://host/a%2F',
      'https://host/a;b',
    ].map(normalisedTarget)
    assert.equal(new Set(all).size, all.length)
    assert.ok(!all.includes(undefined))
  })

  test('is undefined for an invalid URI, a user name or another scheme', () => {
    const none = [
      '',
      '/a',
      '//host/a',
      'ftp://host/a',
      'https:/host/a',
      'https://',
      'https://:443/a',
      'https://user@host/a',
      'https://user:secret@host/a',
      'https://host:port/a',
      'https://host:44 3/a',
      'https://host\\@evil/a',
      'https://host/a b',
      'https://host/a\n',
      'https://host/%zz',
      'https://host/%2',
      'https://höst/a',
      'https://host/ä',
      'javascript:alert(1)',
      ' https://host/a',
    ]
    for (const uri of none) assert.equal(normalisedTarget(uri), undefined, uri)
  })

  const segment = fc.stringMatching(/^(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2}){0,6}$/)
  const uri = fc
    .tuple(
      fc.constantFrom('http', 'HTTPS', 'https'),
      fc.constantFrom('host', 'A.b', '[::1]'),
      fc.array(segment),
    )
    .map(([scheme, host, segments]) => `${scheme}://${host}/${segments.join('/')}`)

  test('is stable: normalizing it again changes nothing', () => {
    fc.assert(
      fc.property(uri, (text) => {
        const plain = normalisedTarget(text)
        assert.ok(plain !== undefined)
        assert.equal(normalisedTarget(plain), plain)
        assert.equal(normalisedTarget(`${plain}?a=b#c`), plain)
      }),
    )
  })

  test('agrees with the WHATWG URL parser if both accept the URI', () => {
    fc.assert(
      fc.property(uri, (text) => {
        const { origin, pathname } = new URL(text)
        assert.equal(normalisedTarget(`${origin}${pathname}`), normalisedTarget(text))
      }),
    )
  })

  test('is computed in linear time for any input', async () => {
    for (const hostile of [
      '/'.repeat(100_000),
      '%'.repeat(100_000),
      '/a'.repeat(50_000),
      '/..'.repeat(30_000),
    ]) {
      const took_ms = await cpuMs(() => {
        normalisedTarget(`https://host${hostile}\n`)
        normalisedTarget(`https://host${hostile}`)
      })
      assert.ok(took_ms < 2_000, `${took_ms} ms`)
    }
  })
})
