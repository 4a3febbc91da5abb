import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type SoftValues, softScore } from '../../src/judge/soft-score.ts'
import { SOFT_FACTORS, type SoftFactorName } from '../../src/judge/thresholds.ts'

const NAMES = Object.keys(SOFT_FACTORS) as SoftFactorName[] // the keys of a constant table
const value = fc.double({ min: -1, max: 2, noNaN: true })
const anyValues: fc.Arbitrary<SoftValues> = fc.record(
  { voice: value, lip_sync: value, flash: value, liveness_net: value, device: value },
  { requiredKeys: [] },
)

describe('the soft score', () => {
  test('is one half at the thresholds', () => {
    const atThreshold = Object.fromEntries(NAMES.map((name) => [name, SOFT_FACTORS[name].threshold]))
    assert.equal(softScore(atThreshold), 0.5)
  })

  test('is 0 without evidence', () => {
    assert.equal(softScore({}), 0)
  })

  test('has weights that add up to 1', () => {
    const whole = NAMES.reduce((sum, name) => sum + SOFT_FACTORS[name].weight, 0)
    assert.ok(Math.abs(whole - 1) < 1e-12)
  })

  test('never falls when a value rises, and stays between 0 and 1', () => {
    fc.assert(
      fc.property(
        anyValues,
        fc.constantFrom(...NAMES),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (values, name, more) => {
          const lower = softScore(values)
          const present = values[name]
          fc.pre(present !== undefined)
          const higher = softScore({ ...values, [name]: present + more })
          assert.ok(higher >= lower - 1e-12 && lower >= 0 && higher <= 1)
        },
      ),
    )
  })

  test('cannot be decided by a single factor, whatever its value, if all others clearly agree', () => {
    const clear = { voice: 1, lip_sync: 1, flash: 1, liveness_net: 1 }
    assert.ok(softScore({ ...clear, device: -100 }) > 0.5)
  })
})
