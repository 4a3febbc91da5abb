import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  assertChargeable,
  budgetOf,
  charging,
  exceedsAuthorization,
  MAX_TOTAL_MICRO_USD,
  release,
  reserve,
  settle,
  spend,
} from '../../src/domain/budget.ts'
import { aChain, NOW_MS } from './token-builder.ts'

const reservation = (reserved_micro_usd: number) => ({ reserved_micro_usd, allowed_at_ms: NOW_MS })

describe('a budget', () => {
  test('always adds up: allocated = spent + reserved + remaining', () => {
    const step = fc.record({
      kind: fc.constantFrom('spend', 'settle', 'release'),
      micro_usd: fc.nat(1_000_000),
      actual: fc.nat(1_000_000),
    })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const chain = aChain({ max_spend_usd: 10 })
        let spent = 0
        for (const { kind, micro_usd, actual } of steps) {
          if (kind === 'spend') spend(chain, micro_usd, NOW_MS)
          else reserve(chain, micro_usd, NOW_MS)
          if (kind === 'settle') settle(chain, reservation(micro_usd), actual, NOW_MS)
          if (kind === 'release') release(chain, reservation(micro_usd), NOW_MS)
          spent += kind === 'spend' ? micro_usd : kind === 'settle' ? actual : 0
          const [{ token, state }] = chain
          const budget = budgetOf(token.limits, state)
          assert.equal(budget?.spent_micro_usd, spent)
          assert.equal(budget?.reserved_micro_usd, 0)
          assert.equal(budget?.allocated_micro_usd, spent + (budget?.remaining_micro_usd ?? 0))
        }
      }),
    )
  })

  test('is exceeded when a settlement is larger than what remains', () => {
    const chain = aChain({ max_spend_usd: 1 })
    reserve(chain, 900_000, NOW_MS)
    assert.equal(settle(chain, reservation(900_000), 1_000_001, NOW_MS), true)
    reserve(chain, 1, NOW_MS)
    assert.equal(settle(chain, reservation(1), 1, NOW_MS), false) // not more than was reserved
  })

  test('reports 50, 80 and 100 percent once each as spending rises', () => {
    const chain = aChain({ max_spend_usd: 1 })
    const percents = (micro_usd: number) =>
      charging(chain, () => spend(chain, micro_usd, NOW_MS)).map(({ percent }) => percent)
    assert.deepEqual(
      [percents(499_999), percents(1), percents(100_000), percents(400_000), percents(1)],
      [[], [50], [], [80, 100], []],
    )
    assert.deepEqual(
      charging(aChain(), () => {}),
      [],
    )
  })

  test('does not exist for a token without max_spend_usd', () => {
    const [{ token, state }] = aChain()
    assert.equal(budgetOf(token.limits, state), undefined)
  })
})

/** Amounts up to the largest that a request can carry. */
const amount = fc.oneof(fc.nat(1000), fc.integer({ min: 0, max: 1e15 }))
const percent = fc.integer({ min: 0, max: 1000 })

describe('the total of a token', () => {
  test('is bounded exactly at every link, and never refuses a charge that adds nothing', () => {
    fc.assert(
      fc.property(amount, fc.nat(9), amount, (spent, times, added) => {
        const total = BigInt(spent) + BigInt(times) * BigInt(1e15)
        const [child] = aChain()
        const [parent] = aChain({}, { spent_micro_usd: spent, reserved_micro_usd: times * 1e15 })
        const isFull = added > 0 && total + BigInt(added) > BigInt(MAX_TOTAL_MICRO_USD)
        const charge = () => assertChargeable([child, parent], added)
        if (isFull) assert.throws(charge, { code: 'spend_out_of_range' })
        else charge()
        assert.doesNotThrow(() => assertChargeable([child, parent], -added))
      }),
    )
  })
})

describe('a settle above the authorized spend', () => {
  const anAsk = (reserved_micro_usd: number) => ({ reserved_micro_usd, allowed_at_ms: 0 })

  test('exceeds exactly above the smallest percentage of the chain', () => {
    fc.assert(
      fc.property(amount, amount, percent, percent, (asked, spent, one, other) => {
        const chain = [...aChain({ max_overrun_pct: one }), ...aChain({ max_overrun_pct: other })] as const
        const tolerated = BigInt(asked) * BigInt(100 + Math.min(one, other))
        assert.equal(exceedsAuthorization(chain, anAsk(asked), spent), BigInt(spent) * 100n > tolerated)
      }),
    )
  })

  test('exceeds by any amount under a limit on spending, and never without one', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 1, max: 1e15 }), (asked, more) => {
        for (const limits of [
          { max_spend_usd: 5 },
          { max_spend_per_action_usd: 5 },
          { require_approval: {} },
          { require_approval: { above_usd: 1 } },
          { max_spend_usd_per: { day: 5 } },
        ])
          assert.equal(exceedsAuthorization(aChain(limits), anAsk(asked), asked + more), true)
        assert.equal(exceedsAuthorization(aChain({ max_actions: 1 }), anAsk(asked), asked + more), false)
        assert.equal(exceedsAuthorization(aChain({ max_spend_usd: 5 }), anAsk(asked), asked), false)
      }),
    )
  })
})
