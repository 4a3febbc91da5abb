import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { CallerShares } from '../../src/domain/load/caller-shares.ts'

/** The number of calls that each caller has in progress. */
const anyCounts = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 10 })

function sharesOf(counts: readonly number[]): CallerShares {
  const shares = new CallerShares()
  for (const [caller, count] of counts.entries()) for (let n = 0; n < count; n++) shares.begin(String(caller))
  return shares
}

describe('shares of callers', () => {
  test("compare each caller's calls in progress with the average", () => {
    fc.assert(
      fc.property(anyCounts, (counts) => {
        const shares = sharesOf(counts)
        const average = counts.reduce((sum, count) => sum + count, 0) / counts.length
        for (const [caller, count] of counts.entries())
          assert.equal(Math.sign(shares.excessOf(String(caller))), Math.sign(count - average))
      }),
    )
  })

  test('give a newcomer less than its share as long as any caller has a call in progress', () => {
    fc.assert(fc.property(anyCounts, (counts) => assert.ok(sharesOf(counts).excessOf('newcomer') < 0)))
  })

  test('give a lone caller exactly its share', () => {
    assert.equal(sharesOf([7]).excessOf('0'), 0)
    assert.equal(sharesOf([]).excessOf('0'), 0)
  })

  test('return to zero when all calls end, in any order', () => {
    const shuffled = anyCounts.chain((counts) => {
      const calls = counts.flatMap((count, caller) => Array.from({ length: count }, () => String(caller)))
      return fc.shuffledSubarray(calls, { minLength: calls.length }).map((ends) => ({ counts, ends }))
    })
    fc.assert(
      fc.property(shuffled, ({ counts, ends }) => {
        const shares = sharesOf(counts)
        for (const caller of ends) shares.end(caller)
        assert.equal(shares.excessOf('newcomer'), 0)
      }),
    )
  })
})
