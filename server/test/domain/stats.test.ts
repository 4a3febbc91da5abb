import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { addCounts, COUNT_NAMES, type Counts, noCounts } from '../../src/domain/stats.ts'

const amount = fc.maxSafeNat()
const counts = fc.record(
  Object.fromEntries(COUNT_NAMES.map((name) => [name, amount])) as Record<keyof Counts, typeof amount>,
)
const some = fc.dictionary(fc.constantFrom(...COUNT_NAMES), amount) as fc.Arbitrary<Partial<Counts>>

describe('counts', () => {
  test('are added name by name, up to the largest safe integer', () => {
    fc.assert(
      fc.property(counts, some, (before, more) => {
        const after = { ...before }
        addCounts(after, more)
        for (const name of COUNT_NAMES)
          assert.equal(after[name], Math.min(before[name] + (more[name] ?? 0), Number.MAX_SAFE_INTEGER), name)
        assert.deepEqual(Object.keys(after), Object.keys(noCounts()))
      }),
    )
  })
})
