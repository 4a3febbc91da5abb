import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { objections } from '../../src/domain/decision.ts'
import { aChain, NOW_MS } from './token-builder.ts'

const read = { action: 'read', resource: 'mail:inbox', spend_micro_usd: 0 }
const spend = (micro_usd: number) => ({ ...read, spend_micro_usd: micro_usd })

describe('a decision', () => {
  test('is yes when the token is live and the action in scope', () => {
    assert.deepEqual(objections(read, aChain(), NOW_MS), [])
  })

  test('names the action and the resource that are out of scope', () => {
    const asked = { action: 'delete', resource: 'calendar:events', spend_micro_usd: 0 }
    assert.deepEqual(objections(asked, aChain(), NOW_MS), ['action_not_in_scope', 'resource_not_in_scope'])
  })

  test('is no from the very millisecond in which the token expires', () => {
    const chain = aChain()
    assert.deepEqual(objections(read, chain, NOW_MS + 3_599_999), [])
    assert.deepEqual(objections(read, chain, NOW_MS + 3_600_000), ['token_expired'])
  })

  test('heeds the times of the constraints beside those of the token', () => {
    const chain = aChain({ not_before: '2027-01-01T00:10:00Z', expires_at: '2027-01-01T00:20:00Z' })
    assert.deepEqual(objections(read, chain, NOW_MS), ['token_not_yet_valid'])
    assert.deepEqual(objections(read, chain, NOW_MS + 600_000), [])
    assert.deepEqual(objections(read, chain, NOW_MS + 1_200_000), ['token_expired'])
  })

  test('is no after revocation, whatever else holds', () => {
    assert.deepEqual(objections(read, aChain({}, { revoked_at_ms: NOW_MS }), NOW_MS), ['token_revoked'])
  })

  test('allows spending up to the last micro-dollar and not one more', () => {
    const chain = aChain({ max_spend_usd: 1 }, { spent_micro_usd: 400_000, reserved_micro_usd: 100_000 })
    assert.deepEqual(objections(spend(500_000), chain, NOW_MS), [])
    assert.deepEqual(objections(spend(500_001), chain, NOW_MS), ['budget_exceeded'])
  })

  test('allows free actions when the budget is used up', () => {
    const chain = aChain({ max_spend_usd: 1 }, { spent_micro_usd: 2_000_000 })
    assert.deepEqual(objections(read, chain, NOW_MS), [])
    assert.deepEqual(objections(spend(1), chain, NOW_MS), ['budget_exceeded'])
  })

  test('limits what one action may spend', () => {
    const chain = aChain({ max_spend_per_action_usd: 0.5 })
    assert.deepEqual(objections(spend(500_000), chain, NOW_MS), [])
    assert.deepEqual(objections(spend(500_001), chain, NOW_MS), ['budget_exceeded'])
  })

  test('limits how many actions a token may take', () => {
    assert.deepEqual(objections(read, aChain({ max_actions: 3 }, { actions: 2 }), NOW_MS), [])
    assert.deepEqual(objections(read, aChain({ max_actions: 3 }, { actions: 3 }), NOW_MS), ['action_limit'])
  })

  test('asks every link: a limit of an ancestor binds too', () => {
    const [child] = aChain()
    const [revokedParent] = aChain({}, { revoked_at_ms: NOW_MS })
    const [poorParent] = aChain({ max_spend_usd: 0.000001 })
    assert.deepEqual(objections(read, [child, revokedParent], NOW_MS), ['token_revoked'])
    assert.deepEqual(objections(spend(2), [child, poorParent], NOW_MS), ['budget_exceeded'])
  })
})
