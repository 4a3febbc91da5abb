import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AuthorityError } from '@deputize/protocol'
import { assertLive, countAction, objections } from '../../src/domain/decision.ts'
import { noMarks } from '../../src/domain/tokens/token.ts'
import { aChain, aLink, NOW_MS } from './token-builder.ts'

const read = { action: 'read', resource: 'mail:inbox', spend_micro_usd: 0 }
const spend = (micro_usd: number) => ({ ...read, spend_micro_usd: micro_usd })

const at = (now_ms: number, reputation = 1) => ({
  now_ms,
  reputation: () => reputation,
  vouchScore: () => assert.fail('unexpected lookup'),
  breaksLimits: () => assert.fail('unexpected lookup'),
})

describe('a decision', () => {
  test('is yes when the token is live and the action in scope', () => {
    assert.deepEqual(objections(read, aChain(), at(NOW_MS)), [])
  })

  test('names the action and the resource that are out of scope', () => {
    const asked = { action: 'delete', resource: 'calendar:events', spend_micro_usd: 0 }
    assert.deepEqual(objections(asked, aChain(), at(NOW_MS)), [
      'action_not_in_scope',
      'resource_not_in_scope',
    ])
  })

  test('is no from the millisecond in which the token expires', () => {
    const chain = aChain()
    assert.deepEqual(objections(read, chain, at(NOW_MS + 3_599_999)), [])
    assert.deepEqual(objections(read, chain, at(NOW_MS + 3_600_000)), ['token_expired'])
  })

  test('applies the times of the constraints in addition to those of the token', () => {
    const chain = aChain({ not_before: '2027-01-01T00:10:00Z', expires_at: '2027-01-01T00:20:00Z' })
    assert.deepEqual(objections(read, chain, at(NOW_MS)), ['token_not_yet_valid'])
    assert.deepEqual(objections(read, chain, at(NOW_MS + 600_000)), [])
    assert.deepEqual(objections(read, chain, at(NOW_MS + 1_200_000)), ['token_expired'])
  })

  test('is no after revocation, whatever else holds', () => {
    assert.deepEqual(objections(read, aChain({}, { revoked_at_ms: NOW_MS }), at(NOW_MS)), ['token_revoked'])
  })

  test('allows spending up to the last micro-dollar and no further', () => {
    const chain = aChain({ max_spend_usd: 1 }, { spent_micro_usd: 400_000, reserved_micro_usd: 100_000 })
    assert.deepEqual(objections(spend(500_000), chain, at(NOW_MS)), [])
    assert.deepEqual(objections(spend(500_001), chain, at(NOW_MS)), ['budget_exceeded'])
  })

  test('is no for everything once the budget is used up, even for free actions', () => {
    for (const state of [
      { spent_micro_usd: 1_000_000 },
      { spent_micro_usd: 2_000_000 },
      { spent_micro_usd: 400_000, reserved_micro_usd: 600_000 },
    ]) {
      const chain = aChain({ max_spend_usd: 1 }, state)
      assert.deepEqual(objections(read, chain, at(NOW_MS)), ['budget_exceeded'])
      assert.deepEqual(objections(spend(1), chain, at(NOW_MS)), ['budget_exceeded'])
    }
    assert.deepEqual(
      objections(read, aChain({ max_spend_usd: 1 }, { spent_micro_usd: 999_999 }), at(NOW_MS)),
      [],
    )
  })

  test('lets a token with a budget of zero act without spending, until it has spent anyway', () => {
    assert.deepEqual(objections(read, aChain({ max_spend_usd: 0 }), at(NOW_MS)), [])
    assert.deepEqual(objections(spend(1), aChain({ max_spend_usd: 0 }), at(NOW_MS)), ['budget_exceeded'])
    const overspent = aChain({ max_spend_usd: 0 }, { spent_micro_usd: 1 })
    assert.deepEqual(objections(read, overspent, at(NOW_MS)), ['budget_exceeded'])
  })

  test('follows the rules of earlier versions when their log is checked', () => {
    const chain = aChain({ max_spend_usd: 1 }, { spent_micro_usd: 1_000_000 })
    assert.deepEqual(objections(read, chain, { ...at(NOW_MS), by_earlier_rules: true }), [])
  })

  test('limits what one action may spend', () => {
    const chain = aChain({ max_spend_per_action_usd: 0.5 })
    assert.deepEqual(objections(spend(500_000), chain, at(NOW_MS)), [])
    assert.deepEqual(objections(spend(500_001), chain, at(NOW_MS)), ['budget_exceeded'])
  })

  test('limits how many actions a token may take', () => {
    assert.deepEqual(objections(read, aChain({ max_actions: 3 }, { actions: 2 }), at(NOW_MS)), [])
    assert.deepEqual(objections(read, aChain({ max_actions: 3 }, { actions: 3 }), at(NOW_MS)), [
      'action_limit',
    ])
  })

  test('checks every link: a limit of an ancestor applies too', () => {
    const [child] = aChain()
    const [revokedParent] = aChain({}, { revoked_at_ms: NOW_MS })
    const [poorParent] = aChain({ max_spend_usd: 0.000001 })
    assert.deepEqual(objections(read, [child, revokedParent], at(NOW_MS)), ['token_revoked'])
    assert.deepEqual(objections(spend(2), [child, poorParent], at(NOW_MS)), ['budget_exceeded'])
  })

  test('is no while the token, an ancestor or their agent is suspended', () => {
    assert.deepEqual(objections(read, aChain({}, { suspended_at_ms: NOW_MS }), at(NOW_MS)), [
      'token_suspended',
    ])
    const held = aLink()
    const suspended = { ...aLink(), agent: { ...noMarks(), suspended_at_ms: NOW_MS } }
    assert.deepEqual(objections(read, [held, suspended], at(NOW_MS)), ['agent_suspended'])
  })

  test('is no for tokens of an agent or a person from before a mass revocation, and not for later ones', () => {
    const marked = (revoked_below: number) => ({ ...noMarks(), revoked_below })
    assert.deepEqual(objections(read, [{ ...aLink(), agent: marked(6) }], at(NOW_MS)), ['token_revoked'])
    assert.deepEqual(objections(read, [{ ...aLink(), human: marked(6) }], at(NOW_MS)), ['token_revoked'])
    assert.deepEqual(objections(read, [{ ...aLink(), agent: marked(5), human: marked(5) }], at(NOW_MS)), [])
  })

  test('limits the number of actions per clock minute', () => {
    const chain = aChain({ max_actions_per_minute: 2 })
    for (let i = 0; i < 2; i++) {
      assert.deepEqual(objections(read, chain, at(NOW_MS + 59_000)), [])
      countAction(chain, NOW_MS + 59_000)
    }
    assert.deepEqual(objections(read, chain, at(NOW_MS + 59_999)), ['rate_limit'])
    assert.deepEqual(objections(read, chain, at(NOW_MS + 60_000)), [])
  })

  test('reads the reputation only if a link requires one', () => {
    const unasked = { ...at(NOW_MS), reputation: () => assert.fail('unexpected lookup') }
    assert.deepEqual(objections(read, aChain(), unasked), [])
    assert.deepEqual(objections(read, aChain({ min_reputation: 0.6 }), at(NOW_MS, 0.59)), [
      'reputation_too_low',
    ])
    assert.deepEqual(objections(read, aChain({ min_reputation: 0.6 }), at(NOW_MS, 0.6)), [])
  })

  test('lets a renewed token outlive the one it renews, but not its revocation', () => {
    const old = aLink({}, {}, { jti: 'old', exp: NOW_MS / 1000 + 10 })
    const renewed = aLink({}, {}, { jti: 'new', svc_renews_jti: 'old' })
    const stranger = aLink({}, {}, { jti: 'new' })
    assert.deepEqual(objections(read, [renewed, old], at(NOW_MS + 20_000)), [])
    assert.deepEqual(objections(read, [stranger, old], at(NOW_MS + 20_000)), ['token_expired'])
    old.state.revoked_at_ms = NOW_MS
    assert.deepEqual(objections(read, [renewed, old], at(NOW_MS)), ['token_revoked'])
  })
})

describe('assertLive', () => {
  test('accepts a live chain even if its limits are used up', () => {
    assert.doesNotThrow(() => assertLive(aChain({ max_actions: 1 }, { actions: 1 }), NOW_MS))
  })

  test('refuses with every reason of every link, most final first', () => {
    const chain = [
      aLink({ expires_at: '2027-01-01T00:00:00Z' }),
      aLink({}, { revoked_at_ms: NOW_MS }),
    ] as const
    assert.throws(
      () => assertLive(chain, NOW_MS),
      (error) => {
        assert.ok(error instanceof AuthorityError)
        assert.equal(error.code, 'token_not_live')
        assert.deepEqual(error.members, {
          reason: 'token_revoked',
          reasons: ['token_revoked', 'token_expired'],
        })
        return true
      },
    )
  })
})
