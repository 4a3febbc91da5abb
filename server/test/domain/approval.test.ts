import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { currentState, followsHabit, habitAfter, habitName } from '../../src/domain/approval.ts'
import { DAY_MS } from '../../src/domain/time.ts'
import { aChain, NOW_MS } from './token-builder.ts'

describe('the state of an approval', () => {
  const open = { expires_at_ms: NOW_MS, used_by: undefined }

  test('turns to expired in the millisecond in which it expires, decided or not', () => {
    for (const state of ['pending', 'approved'] as const) {
      assert.equal(currentState({ ...open, state }, NOW_MS - 1), state)
      assert.equal(currentState({ ...open, state }, NOW_MS), 'expired')
    }
  })

  test('stays approved once a record has used it, and denied once denied', () => {
    assert.equal(currentState({ ...open, state: 'approved', used_by: 'aar_1' }, NOW_MS + DAY_MS), 'approved')
    assert.equal(currentState({ ...open, state: 'denied' }, NOW_MS + DAY_MS), 'denied')
  })
})

describe('a habit', () => {
  const request = { action: 'send', resource: 'mail:inbox', spend_micro_usd: 0 }
  const chain = aChain({ require_approval: { actions: ['send'], auto_approve_after: 2 } })
  const habit = { approvals: 2, auto_approvals: 0, last_human_ms: NOW_MS }

  test('replaces the question after enough approvals, for 30 days', () => {
    assert.equal(followsHabit(request, chain, { ...habit, approvals: 1 }, NOW_MS), false)
    assert.equal(followsHabit(request, chain, habit, NOW_MS + 30 * DAY_MS - 1), true)
    assert.equal(followsHabit(request, chain, habit, NOW_MS + 30 * DAY_MS), false)
  })

  test('asks a person again for every tenth action, and continues after an approval', () => {
    const tenth = { ...habit, auto_approvals: 9 }
    assert.equal(followsHabit(request, chain, tenth, NOW_MS), false)
    const after = habitAfter(tenth, true, NOW_MS)
    assert.deepEqual(after, { approvals: 3, auto_approvals: 10, last_human_ms: NOW_MS })
    assert.equal(followsHabit(request, chain, after, NOW_MS), true)
  })

  test('ends with a denial', () => {
    assert.equal(habitAfter(habit, false, NOW_MS), undefined)
  })

  test('has a different name for every agent, person, action and resource', () => {
    const key = { agent_id: 'a', human_ref: 'b', action: 'c', resource: 'd' }
    const names = [key, ...Object.keys(key).map((member) => ({ ...key, [member]: 'x' }))].map(habitName)
    assert.equal(new Set(names).size, 5)
  })
})
