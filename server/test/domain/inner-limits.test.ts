import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { approversFor, needsApproval } from '../../src/domain/approvals/approval.ts'
import { followsHabit, isGranted } from '../../src/domain/approvals/habit.ts'
import {
  HOLDS_NOTHING,
  type InnerLimits,
  innerLimitsFor,
  innerLimitsText,
  isHeld,
  readInnerLimits,
} from '../../src/domain/tokens/inner-limits.ts'
import type { Chain } from '../../src/domain/tokens/token.ts'
import { aLink, NOW_MS } from './token-builder.ts'

const SALT = 'A'.repeat(22)
const HOLDS: InnerLimits = { holds: true, above_micro_usd: undefined }

const limits = fc.record({
  holds: fc.boolean(),
  above_micro_usd: fc.option(fc.nat(Number.MAX_SAFE_INTEGER), { nil: undefined }),
})
const request = fc.record({
  action: fc.oneof(
    fc.constantFrom('read', 'list', 'READ', 'read ', 'buy', 'delete'),
    fc.string({ minLength: 1 }),
  ),
  resource: fc.constant('mail:inbox'),
  spend_micro_usd: fc.oneof(fc.constant(0), fc.nat()),
})

/** A chain whose tokens have these limits, the lowest token first. */
function chainWith(all: readonly (InnerLimits | undefined)[], released_at_ms?: number): Chain {
  const [first, ...above] = all.map((inner_limits) => {
    const link = aLink({}, { released_at_ms })
    return { ...link, token: { ...link.token, inner_limits } }
  })
  assert.ok(first !== undefined)
  return [first, ...above]
}

describe('inner limits', () => {
  test('have the same length whatever they contain, and are read as they were written', () => {
    fc.assert(
      fc.property(limits, (some) => {
        const text = innerLimitsText(some, SALT)
        assert.equal(Buffer.byteLength(text), 192)
        assert.deepEqual(readInnerLimits(text), { ...some })
      }),
    )
  })

  test('of a token under duress and of a sampled one are equal', () => {
    const settings = { sample_pct: 5, above_usd: 20 }
    assert.deepEqual(innerLimitsFor(settings, true, 0.99), innerLimitsFor(settings, false, 0.01))
    assert.notDeepEqual(innerLimitsFor(settings, true, 0.99), innerLimitsFor(settings, false, 0.99))
  })

  test('pick the share of tokens in the settings', () => {
    const picked = (sample_pct: number) =>
      Array.from({ length: 1000 }, (_, n) => innerLimitsFor({ sample_pct }, false, n / 1000)).filter(
        ({ holds }) => holds,
      ).length
    assert.deepEqual([picked(0), picked(1), picked(12.5), picked(100)], [0, 10, 125, 1000])
  })

  test('hold every spend and every verb other than a plain read', () => {
    fc.assert(
      fc.property(request, (asked) => {
        const isPlainRead = ['read', 'list'].includes(asked.action) && asked.spend_micro_usd === 0
        if (isPlainRead) assert.equal(isHeld(HOLDS, asked), false)
        if (asked.spend_micro_usd > 0) assert.equal(isHeld(HOLDS, asked), true)
        assert.equal(isHeld(HOLDS_NOTHING, asked), false)
      }),
    )
    for (const action of ['write', 'buy', 'delete', 'READ', 'read ', 'reads', 'query', ''])
      assert.equal(isHeld(HOLDS, { action, spend_micro_usd: 0 }), true, action)
  })

  test("hold what spends more than the organisation's limit for review", () => {
    const above = { holds: false, above_micro_usd: 5_000_000 }
    assert.equal(isHeld(above, { action: 'buy', spend_micro_usd: 5_000_000 }), false)
    assert.equal(isHeld(above, { action: 'read', spend_micro_usd: 5_000_001 }), true)
  })

  test('of any token of a chain apply to the whole chain, and add only the review desk', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(limits, { nil: undefined }), { minLength: 1, maxLength: 5 }),
        request,
        (all, asked) => {
          const chain = chainWith(all)
          const expected = all.some((some) => some !== undefined && isHeld(some, asked))
          assert.equal(needsApproval(asked, chain, NOW_MS), expected)
          assert.deepEqual(
            approversFor(asked, chain, NOW_MS),
            expected ? [{ count: 1, role: 'review_desk' }] : [],
          )
        },
      ),
    )
  })

  test('hold nothing once the review desk has released the token', () => {
    const chain = chainWith([HOLDS], NOW_MS)
    assert.equal(
      needsApproval({ action: 'buy', resource: 'shop:orders', spend_micro_usd: 1 }, chain, NOW_MS),
      false,
    )
  })

  test('are satisfied by no habit and by no grant', () => {
    const asked = { action: 'buy', resource: 'shop:orders', spend_micro_usd: 0 }
    const grant = {
      approval_id: 'apr_1',
      vat_jti: 'vat_1',
      expires_at_ms: NOW_MS + 1,
      max_spend_micro_usd: 9,
      spent_micro_usd: 0,
      uses: 0,
    }
    const habit = {
      approvals: 100,
      auto_approvals: 0,
      unasked: 0,
      is_due: false,
      amounts: [9],
      last_human_ms: NOW_MS,
      vat_jti: 'vat_1',
      grant,
    }
    assert.equal(isGranted(asked, chainWith([HOLDS_NOTHING]), habit, NOW_MS), true)
    assert.equal(isGranted(asked, chainWith([HOLDS]), habit, NOW_MS), false)
    assert.equal(followsHabit(asked, chainWith([HOLDS]), habit, NOW_MS), false)
  })
})
