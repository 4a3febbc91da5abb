import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { hmacSha256 } from '../../src/encoding/hmac-sha256.ts'

describe('hmacSha256', () => {
  test('computes examples of RFC 4231', () => {
    assert.equal(
      hmacSha256(new Uint8Array(20).fill(0x0b))('Hi There'),
      'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    )
    assert.equal(
      hmacSha256(Buffer.from('Jefe'))('what do ya want for nothing?'),
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
    assert.equal(
      hmacSha256(new Uint8Array(131).fill(0xaa))('Test Using Larger Than Block-Size Key - Hash Key First'),
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    )
  })

  test('agrees with Node for any key and any texts, one after another', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.integer({ min: 1300, max: 1400 }).map((length) => 'é'.repeat(length)),
      fc.integer({ min: 4000, max: 4100 }).map((length) => 'x'.repeat(length)),
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.array(anyText, { maxLength: 5 }), (key, texts) => {
        const hmac = hmacSha256(key)
        for (const text of texts)
          assert.equal(hmac(text), createHmac('sha256', key).update(text).digest('hex'))
      }),
    )
  })
})
