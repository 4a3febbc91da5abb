import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { budgetOf, charging, isOverBudget, release, reserve, settle, spend } from '../../src/domain/budget.ts'
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

  test('is exceeded when a settlement is larger than the rest', () => {
    const chain = aChain({ max_spend_usd: 1 })
    reserve(chain, 900_000, NOW_MS)
    settle(chain, reservation(900_000), 1_000_001, NOW_MS)
    assert.equal(isOverBudget(chain, 1_000_001), true)
  })

  test('reports 50, 80 and 100 percent once each on the way up', () => {
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
