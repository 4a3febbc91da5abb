import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Base64urlError, decodeBase64url, encodeBase64url } from '../../src/encoding/base64url.ts'

describe('base64url', () => {
  test('encodes the examples of RFC 4648 without padding', () => {
    const spelled = ['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) =>
      encodeBase64url(Buffer.from(text)),
    )
    assert.deepEqual(spelled, ['', 'Zg', 'Zm8', 'Zm9v', 'Zm9vYg', 'Zm9vYmE', 'Zm9vYmFy'])
  })

  test('uses the URL-safe alphabet', () => {
    assert.equal(encodeBase64url(new Uint8Array([0xfb, 0xff])), '-_8')
    assert.deepEqual(decodeBase64url('-_8'), new Uint8Array([0xfb, 0xff]))
  })

  test('encodes a view, not its whole buffer', () => {
    assert.equal(encodeBase64url(new Uint8Array([1, 2, 3, 4]).subarray(1, 3)), 'AgM')
  })

  for (const [fault, text] of Object.entries({
    'another alphabet': '+/8',
    padding: 'Zg==',
    'half the padding': 'Zg=',
    'a length that cannot be': 'Zm9vY',
    'a single character': 'Z',
    'stray bits after one byte': 'Zh',
    'stray bits after two bytes': 'Zm9',
    'a blank inside': 'Zm 9v',
    'a line feed at the end': 'Zm9v\n',
    'a blank before': ' Zm9v',
    'a character that is skipped elsewhere': 'Zm!9v',
    'a character whose low byte is a letter': 'Zm9\u0176',
    NUL: 'Zm9v\0',
  }))
    test(`refuses ${fault}`, () => {
      assert.throws(() => decodeBase64url(text), Base64urlError)
    })

  test('decodes to the same bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        assert.deepEqual(decodeBase64url(encodeBase64url(bytes)), bytes)
      }),
    )
  })

  test('accepts only the canonical encoding', () => {
    const characters = fc.constantFrom(...'ABCDEFXYZabcz0189-_+/= ')
    fc.assert(
      fc.property(fc.string({ unit: characters, maxLength: 12 }), (text) => {
        let bytes: Uint8Array
        try {
          bytes = decodeBase64url(text)
        } catch {
          return
        }
        assert.equal(encodeBase64url(bytes), text)
        assert.match(text, /^[A-Za-z0-9_-]*$/)
      }),
      { numRuns: 2000 },
    )
  })
})
