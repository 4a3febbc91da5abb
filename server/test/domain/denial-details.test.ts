import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Reason } from '@deputize/protocol'
import { denialDetails } from '../../src/domain/denial-details.ts'
import type { Chain } from '../../src/domain/tokens/token.ts'
import { aChain, aLink, NOW_MS } from './token-builder.ts'

function detailsOf(chain: Chain, reasons: readonly Reason[], spend_micro_usd: number, now_ms = NOW_MS) {
  const request = { action: 'write', resource: 'a:b', spend_micro_usd, metadata: undefined }
  return denialDetails(request, chain, reasons, { now_ms, kept: undefined })
}

describe('the details of a denial', () => {
  test('name the limit on spending that an action exceeds, and what remains of it', () => {
    const limits = { max_spend_usd: 5, max_spend_per_action_usd: 3 }
    const one = { reason: 'budget_exceeded', limit: 'max_spend_per_action_usd', remaining_usd: 3 }
    const total = (remaining_usd: number) => ({
      reason: 'budget_exceeded',
      limit: 'max_spend_usd',
      remaining_usd,
    })
    const spent = aChain(limits, { spent_micro_usd: 1_500_000, reserved_micro_usd: 1_000_000 })
    assert.deepEqual(detailsOf(aChain(limits), ['budget_exceeded'], 4_000_000), [one])
    assert.deepEqual(detailsOf(spent, ['budget_exceeded'], 3_000_000), [total(2.5)])
    assert.deepEqual(detailsOf(spent, ['budget_exceeded'], 4_000_000), [total(2.5), one])
    const overspent = aChain(limits, { spent_micro_usd: 6_000_000 })
    assert.deepEqual(detailsOf(overspent, ['budget_exceeded'], 0), [total(0)])
    assert.deepEqual(detailsOf(spent, ['action_limit'], 4_000_000), [])
  })

  test('give the smallest remainder of any token in the chain, without saying which', () => {
    const chain: Chain = [
      aLink({ max_spend_usd: 3 }),
      aLink({ max_spend_usd: 10 }, { spent_micro_usd: 9_000_000 }),
    ]
    assert.deepEqual(detailsOf(chain, ['budget_exceeded'], 4_000_000), [
      { reason: 'budget_exceeded', limit: 'max_spend_usd', remaining_usd: 1 },
    ])
  })

  test('give the end of the minute of a rate limit', () => {
    const chain = aChain(
      { max_actions_per_minute: 2 },
      { minute: Math.floor((NOW_MS + 20_000) / 60_000), minute_actions: 2 },
    )
    assert.deepEqual(detailsOf(chain, ['rate_limit'], 0, NOW_MS + 20_000), [
      { reason: 'rate_limit', resets_at: new Date(NOW_MS + 60_000).toISOString() },
    ])
  })
})
