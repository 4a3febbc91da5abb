import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '@deputize/protocol'
import fc from 'fast-check'
import {
  followsHabit,
  type Habit,
  habitAfterApproval,
  habitAfterGrantedUse,
  habitAfterUse,
  habitName,
  isGranted,
  isSampled,
  largestCovered,
  MOST_UNASKED,
} from '../../src/domain/approvals/habit.ts'
import { metadataShape } from '../../src/domain/metadata-shape.ts'
import { DAY_MS, MINUTE_MS } from '../../src/domain/times/time.ts'
import { aChain, NOW_MS } from './token-builder.ts'

const REQUEST = { action: 'send', resource: 'mail:inbox', spend_micro_usd: 0 }
const CHAIN = aChain({ require_approval: { actions: ['send'], auto_approve_after: 2 } })
const HABIT: Habit = {
  approvals: 2,
  auto_approvals: 0,
  unasked: 0,
  is_due: false,
  amounts: [0, 0],
  last_human_ms: NOW_MS,
  vat_jti: 'vat_1',
  grant: undefined,
}
const amount = fc.nat(1_000_000)

const approvalOf = (spend_micro_usd: number) => ({
  approval_id: 'apr_1',
  vat_jti: 'vat_1',
  spend_micro_usd,
  granted: undefined,
})

describe('a habit', () => {
  test('replaces asking a person after enough approvals, for 30 days', () => {
    assert.equal(followsHabit(REQUEST, CHAIN, { ...HABIT, approvals: 1 }, NOW_MS), false)
    assert.equal(followsHabit(REQUEST, CHAIN, HABIT, NOW_MS + 30 * DAY_MS - 1), true)
    assert.equal(followsHabit(REQUEST, CHAIN, HABIT, NOW_MS + 30 * DAY_MS), false)
    assert.equal(habitAfterApproval(HABIT, approvalOf(0), NOW_MS + 30 * DAY_MS).approvals, 1)
  })

  test('covers at most the largest amount approved by hand and twice their median', () => {
    assert.equal(largestCovered([]), 0)
    assert.equal(largestCovered([1, 1, 1]), 1)
    assert.equal(largestCovered([1, 1, 1, 900]), 2)
    assert.equal(largestCovered([5, 10]), 10)
    assert.equal(largestCovered([8, 10, 12]), 12)
    const habit = { ...HABIT, amounts: [1_000_000, 1_000_000, 3_000_000] }
    assert.equal(followsHabit({ ...REQUEST, spend_micro_usd: 2_000_000 }, CHAIN, habit, NOW_MS), true)
    assert.equal(followsHabit({ ...REQUEST, spend_micro_usd: 2_000_001 }, CHAIN, habit, NOW_MS), false)
  })

  test('covers an amount if more than half of the last 20 approved by hand were at least half of it, and one all of it', () => {
    fc.assert(
      fc.property(fc.array(amount, { minLength: 2, maxLength: 40 }), amount, (approved, spend) => {
        let habit: Habit | undefined
        for (const spent of approved) habit = habitAfterApproval(habit, approvalOf(spent), NOW_MS)
        const last = approved.slice(-20)
        const isUsual = last.filter((one) => 2 * one >= spend).length * 2 > last.length
        const isCovered = followsHabit({ ...REQUEST, spend_micro_usd: spend }, CHAIN, habit, NOW_MS)
        assert.equal(isCovered, isUsual && last.some((one) => one >= spend))
      }),
    )
  })

  test('asks a person again after at most 19 automatic approvals in a row', () => {
    let habit: Habit = HABIT
    for (let n = 0; n < MOST_UNASKED; n++) {
      assert.equal(followsHabit(REQUEST, CHAIN, habit, NOW_MS), true)
      habit = habitAfterUse(habit)
    }
    assert.equal(followsHabit(REQUEST, CHAIN, habit, NOW_MS), false)
    assert.equal(followsHabit(REQUEST, CHAIN, habitAfterApproval(habit, approvalOf(0), NOW_MS), NOW_MS), true)
  })

  test('picks about one request in eleven for a person, by the ID that the service draws', () => {
    const drawn = Array.from({ length: 20_000 }, () => isSampled(newId('approval', NOW_MS)))
    const share = drawn.filter(Boolean).length / drawn.length
    assert.ok(share > 0.08 && share < 0.11, String(share))
  })

  test('that waits for a person approves nothing', () => {
    const due = { ...HABIT, is_due: true }
    assert.equal(followsHabit(REQUEST, CHAIN, due, NOW_MS), false)
    assert.equal(followsHabit(REQUEST, CHAIN, habitAfterApproval(due, approvalOf(0), NOW_MS), NOW_MS), true)
  })

  test('never replaces several approvers', () => {
    const several = aChain({
      require_approval: { auto_approve_after: 1, approvers: { count: 1, role: 'reviewer' } },
    })
    assert.equal(followsHabit(REQUEST, several, HABIT, NOW_MS), false)
  })

  test('has a different name for every agent, person, action, resource, root and shape', () => {
    const key = { agent_id: 'a', human_ref: 'b', action: 'c', resource: 'd', root_jti: 'e', shape: 'f' }
    const names = [key, ...Object.keys(key).map((member) => ({ ...key, [member]: 'x' }))].map(habitName)
    assert.equal(new Set(names).size, 7)
  })
})

describe('a grant', () => {
  const grant = {
    approval_id: 'apr_1',
    vat_jti: 'vat_1',
    expires_at_ms: NOW_MS + 30 * MINUTE_MS,
    max_spend_micro_usd: 50,
    spent_micro_usd: 10,
    uses: 0,
  }
  const granted = { ...HABIT, approvals: 1, grant }

  test('counts the action that it was given with, and stays when a later approval gives none', () => {
    const { expires_at_ms, max_spend_micro_usd } = grant
    const given = { ...approvalOf(10), granted: { expires_at_ms, max_spend_micro_usd } }
    const first = habitAfterApproval(undefined, given, NOW_MS)
    assert.deepEqual(first.grant, grant)
    assert.deepEqual(habitAfterApproval(first, approvalOf(20), NOW_MS).grant, grant)
  })

  test('approves until it ends or its sum is used', () => {
    const spending = (spend_micro_usd: number, at_ms = NOW_MS) =>
      isGranted({ ...REQUEST, spend_micro_usd }, CHAIN, granted, at_ms)
    assert.equal(spending(40), true)
    assert.equal(spending(41), false)
    assert.equal(spending(0, NOW_MS + 30 * MINUTE_MS - 1), true)
    assert.equal(spending(0, NOW_MS + 30 * MINUTE_MS), false)
    assert.equal(isGranted(REQUEST, CHAIN, HABIT, NOW_MS), false)
  })

  test('never replaces several approvers', () => {
    const several = aChain({ require_approval: { approvers: { count: 2, role: 'reviewer' } } })
    assert.equal(isGranted(REQUEST, several, granted, NOW_MS), false)
  })

  test('never approves more than its sum, whatever the requests', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(60), { maxLength: 30 }), (asked) => {
        let habit: Habit = granted
        let used = grant.spent_micro_usd
        for (const spend_micro_usd of asked) {
          if (!isGranted({ ...REQUEST, spend_micro_usd }, CHAIN, habit, NOW_MS)) continue
          habit = habitAfterGrantedUse(habit, spend_micro_usd)
          used += spend_micro_usd
        }
        assert.ok(used <= grant.max_spend_micro_usd)
        assert.equal(habit.grant?.spent_micro_usd, used)
      }),
    )
  })
})

describe('the shape of metadata', () => {
  const shapeOf = (metadata: unknown) => metadataShape(JSON.stringify(metadata))

  test('is the same for other values, another order of members and other lengths of lists', () => {
    assert.equal(shapeOf({ to: 'anna', n: 1 }), shapeOf({ n: 2, to: 'bert' }))
    assert.equal(shapeOf({ to: ['a'] }), shapeOf({ to: ['b', 'c'] }))
  })

  test('differs with every member at any depth, and with the type of a value', () => {
    const shapes = [
      undefined,
      {},
      { to: 'a' },
      { to: 1 },
      { to: null },
      { to: ['a'] },
      { to: { name: 'a' } },
      { to: { name: 'a', cc: 'b' } },
      { 'to/name': 'a' },
      { 'to/*': 'a' },
      { 'to:string': 1 },
    ].map((one) => (one === undefined ? metadataShape(undefined) : shapeOf(one)))
    assert.equal(new Set(shapes).size, shapes.length)
  })

  test('contains the method, route and tool that a guard names, and no other values', () => {
    const call = { method: 'POST', route: '/pay/:to', target: '/pay/anna', body_sha256: 'x' }
    assert.equal(shapeOf({ request: call }), shapeOf({ request: { ...call, target: '/pay/bert' } }))
    assert.notEqual(shapeOf({ request: call }), shapeOf({ request: { ...call, method: 'DELETE' } }))
    assert.notEqual(shapeOf({ request: call }), shapeOf({ request: { ...call, route: '/refund' } }))
    assert.notEqual(shapeOf({ request: { tool: 'a' } }), shapeOf({ request: { tool: 'b' } }))
  })
})
