import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isSameIssuer, openIssuer } from '@deputize/protocol'

const ADDRESS = 'http://127.0.0.1:8420'

describe('an issuer', () => {
  test('in open mode is the same at every address and under its name in early versions', () => {
    const issuer = openIssuer(ADDRESS, '06hct2')
    assert.equal(issuer, 'http://127.0.0.1:8420/open/06hct2')
    for (const other of [issuer, openIssuer('http://localhost:9000', '06hct2'), 'urn:deputy:open:06hct2']) {
      assert.ok(isSameIssuer(issuer, other), other)
      assert.ok(isSameIssuer(other, issuer), other)
    }
  })

  test('in open mode is never the issuer in keyed mode, nor that of another deployment', () => {
    const issuer = openIssuer(ADDRESS, '06hct2')
    for (const other of [
      ADDRESS,
      `${ADDRESS}/`,
      `${ADDRESS}/open`,
      `${ADDRESS}/open/`,
      `${ADDRESS}/open/06hct3`,
      `${issuer}/`,
      `${issuer}?a`,
      `${issuer}\n`,
      `${ADDRESS}/x/open/06hct2`,
      'urn:deputy:open:06hct3',
      'urn:deputy:open:',
      'ftp://127.0.0.1/open/06hct2',
      '06hct2',
      '',
    ])
      assert.equal(isSameIssuer(issuer, other), false, other)
  })

  test('in keyed mode is compared character by character', () => {
    assert.ok(isSameIssuer('https://deputy.example.com', 'https://deputy.example.com'))
    for (const other of [
      'https://deputy.example.com/',
      'http://deputy.example.com',
      'https://Deputy.example.com',
    ])
      assert.equal(isSameIssuer('https://deputy.example.com', other), false, other)
  })
})
