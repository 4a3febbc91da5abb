import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { localNameAddress } from '../../src/http/guard/local-name.ts'

const PAGE = {
  method: 'GET',
  url: '/app/tokens?a=b',
  headers: { accept: 'text/html,*/*' },
  host: '127.0.0.1:8420',
  hostname: '127.0.0.1',
}
const at =
  (public_url: string) =>
  (changes: object = {}) =>
    localNameAddress({ ...PAGE, ...changes }, () => public_url)
const ofLocalhost = at('http://localhost:8420')

describe('a page under an IP address of this machine', () => {
  test('is redirected to localhost if that is the public address', () => {
    const wanted = 'http://localhost:8420/app/tokens?a=b'
    assert.equal(ofLocalhost(), wanted)
    assert.equal(ofLocalhost({ host: '[::1]:8420', hostname: '[::1]' }), wanted)
    assert.equal(ofLocalhost({ url: '//evil.example/' }), 'http://localhost:8420//evil.example/')
  })

  test('is not redirected otherwise, and calls of programs never are', () => {
    for (const changes of [
      { method: 'POST' },
      { headers: { accept: 'application/json' } },
      { headers: {} },
      { host: 'localhost:8420', hostname: 'localhost' },
      { host: '127.0.0.1:9000' },
      { host: '127.0.0.1:hostile' },
      { host: 'evil.example', hostname: 'evil.example' },
    ])
      assert.equal(ofLocalhost(changes), undefined, JSON.stringify(changes))
    for (const public_url of ['http://127.0.0.1:8420', 'https://deputy.example.com'])
      assert.equal(at(public_url)(), undefined)
  })
})
