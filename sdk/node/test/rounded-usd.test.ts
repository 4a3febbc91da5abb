import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isUsd, MAX_USD } from '../../../protocol/src/encoding/money.ts'
import { roundedUsd } from '../src/actions/rounded-usd.ts'

const sum = (amounts: readonly number[]) => amounts.reduce((total, usd) => total + usd, 0)

describe('an amount', () => {
  test('loses the noise of a float sum', () => {
    assert.equal(roundedUsd(0.1 + 0.2), 0.3)
    assert.equal(roundedUsd(0.7 + 0.1), 0.8)
    assert.equal(roundedUsd(sum(Array(10_000).fill(0.1))), 1_000)
    assert.equal(roundedUsd(sum(Array(1_000).fill(0.000001))), 0.001)
  })

  test('is rounded up to micro-dollars', () => {
    assert.equal(roundedUsd(0.0001851), 0.000186)
    assert.equal(roundedUsd(0.00000015), 0.000001)
    assert.equal(roundedUsd(2.0000001), 2.000001)
  })

  test('stays unchanged if the service accepts it', () => {
    for (const usd of [0, 0.000001, 0.29, 1.005, 4.35, 999_999.999999, 123_456_789.123456, MAX_USD])
      assert.equal(roundedUsd(usd), usd)
  })

  test('is always rounded to one that the service accepts', () => {
    for (let at = 0; at < 10_000; at += 1) {
      const usd = Math.sin(at) ** 2 * 10 ** (at % 6)
      const rounded = roundedUsd(usd)
      assert.ok(isUsd(rounded) && rounded - usd < 0.0000011 && rounded - usd > -1e-8, String(usd))
    }
  })

  test('throws if it is not a valid amount', () => {
    for (const wrong of [Number.NaN, Infinity, -Infinity, -0.01, MAX_USD + 1])
      assert.throws(() => roundedUsd(wrong), TypeError)
    assert.throws(() => roundedUsd('0.3' as unknown as number), /It is "0\.3"\.$/) // from a program without types
    assert.ok(Object.is(roundedUsd(-0), 0))
  })
})
