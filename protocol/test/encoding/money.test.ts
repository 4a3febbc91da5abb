import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isUsd, MAX_USD, toMicroUsd, toUsd } from '../../src/encoding/money.ts'

describe('money', () => {
  test('converts to micro-dollars and back unchanged', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_USD * 1_000_000 }), (micro_usd) => {
        assert.ok(isUsd(toUsd(micro_usd)))
        assert.equal(toMicroUsd(toUsd(micro_usd)), micro_usd)
      }),
      { numRuns: 10_000 },
    )
  })

  test('is accepted with up to six decimal places', () => {
    fc.assert(
      fc.property(fc.nat(999_999_999), fc.nat(999_999), (dollars, micros) => {
        const text = `${dollars}.${String(micros).padStart(6, '0')}`
        assert.equal(toMicroUsd(Number(text)), dollars * 1_000_000 + micros)
        assert.ok(isUsd(Number(text)))
      }),
      { numRuns: 10_000 },
    )
  })

  test('is refused with more decimal places, or if it is negative, too large or not a number', () => {
    for (const bad of [
      0.0000001,
      1.1234567,
      -1,
      -0,
      5e-324,
      MAX_USD + 1,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      2 ** 53 + 2,
    ]) {
      assert.equal(isUsd(bad), false, String(bad))
    }
  })
})
