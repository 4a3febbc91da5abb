import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  approversFor,
  currentState,
  deniedUntil,
  needsApproval,
} from '../../src/domain/approvals/approval.ts'
import { approverRef, isEndorsed, requiredApprovals } from '../../src/domain/approvals/approvers.ts'
import { DAY_MS, MINUTE_MS } from '../../src/domain/times/time.ts'
import { authorityWidening, meet } from '../../src/domain/tokens/narrowing.ts'
import type { Chain } from '../../src/domain/tokens/token.ts'
import { aLink, NOW_MS } from './token-builder.ts'

describe('the state of an approval', () => {
  const open = { expires_at_ms: NOW_MS, used_by: undefined, token_revoked: false }

  test('turns to expired in the millisecond in which it expires, decided or not', () => {
    for (const state of ['pending', 'approved'] as const) {
      assert.equal(currentState({ ...open, state }, NOW_MS - 1), state)
      assert.equal(currentState({ ...open, state }, NOW_MS), 'expired')
    }
  })

  test('turns to expired when its token is revoked', () => {
    for (const state of ['pending', 'approved'] as const)
      assert.equal(currentState({ ...open, state, token_revoked: true }, NOW_MS - 1), 'expired')
  })

  test('stays approved once a record has used it, and denied once denied', () => {
    for (const token_revoked of [false, true]) {
      const used = { ...open, state: 'approved', used_by: 'aar_1', token_revoked } as const
      assert.equal(currentState(used, NOW_MS + DAY_MS), 'approved')
      assert.equal(currentState({ ...open, state: 'denied', token_revoked }, NOW_MS + DAY_MS), 'denied')
    }
  })
})

describe('a denial holds', () => {
  test('for ten minutes, twice as long after each further one, and a day at most', () => {
    const heldMinutes = [1, 2, 3, 4, 8, 9, 50].map(
      (count) => (deniedUntil({ count, last_ms: NOW_MS }) - NOW_MS) / MINUTE_MS,
    )
    assert.deepEqual(heldMinutes, [10, 20, 40, 80, 1280, 1440, 1440])
    assert.equal(deniedUntil({ count: 0, last_ms: 0 }), 0)
  })
})

describe('approvers', () => {
  const [anna, bert, carl] = ['sha256:anna', 'sha256:bert', 'sha256:carl'] as const
  const people = { count: 2, people: [anna, bert, carl] }
  const role = { count: 1, role: 'reviewer' } as const
  const by = (ref: string, more: { reviewer?: boolean; owner?: boolean } = {}) => ({
    by: ref,
    at_ms: NOW_MS,
    reviewer: false,
    owner: false,
    ...more,
  })

  test('have approved when as many as required of the named people did', () => {
    assert.equal(isEndorsed([people], [by(anna)]), false)
    assert.equal(isEndorsed([people], [by(anna), by('sha256:stranger')]), false)
    assert.equal(isEndorsed([people], [by(anna), by(carl)]), true)
  })

  test('count with their role only where a role is required', () => {
    assert.equal(isEndorsed([role], [by(anna)]), false)
    assert.equal(isEndorsed([role], [by(anna, { reviewer: true })]), true)
    assert.equal(isEndorsed([people], [by('sha256:dora', { reviewer: true }), by(anna)]), false)
  })

  test('must satisfy the rule of every link', () => {
    const both = [people, role]
    assert.equal(isEndorsed(both, [by(anna), by(bert)]), false)
    assert.equal(isEndorsed(both, [by(anna), by(bert, { reviewer: true })]), true)
    assert.equal(requiredApprovals(both), 2)
    assert.equal(requiredApprovals([]), 1)
  })

  test('are never only the person that the agent acts for', () => {
    const one = { count: 1, people: [anna, bert] }
    assert.equal(isEndorsed([one], [by(anna, { owner: true })]), false)
    assert.equal(isEndorsed([one], [by(anna, { owner: true }), by(bert)]), true)
    assert.equal(isEndorsed([{ ...one, count: 2 }], [by(anna, { owner: true }), by(bert)]), true)
  })

  test('are found under any of their refs, and by their role', () => {
    assert.equal(approverRef([people], { refs: ['sha256:x', bert], is_reviewer: false }), bert)
    assert.equal(approverRef([people], { refs: ['sha256:x'], is_reviewer: true }), undefined)
    assert.equal(approverRef([role], { refs: ['sha256:x'], is_reviewer: true }), 'sha256:x')
  })

  test('are required by each link whose rule applies, each rule once', () => {
    const rule = { actions: ['pay'], approvers: people }
    const chain: Chain = [aLink({ require_approval: rule }), aLink({ require_approval: rule })]
    const request = { action: 'pay', resource: 'mail:inbox', spend_micro_usd: 0 }
    assert.deepEqual(approversFor(request, chain), [people])
    assert.deepEqual(approversFor({ ...request, action: 'read' }, chain), [])
    assert.equal(needsApproval({ ...request, action: 'read' }, chain, 0), false)
  })

  test('only become more or fewer along a chain, as narrowing demands', () => {
    const scope = { resources: ['mail:inbox'], actions: ['pay'] }
    const widened = (child: object) =>
      authorityWidening(
        { scope, constraints: { require_approval: { approvers: people } } },
        { scope, constraints: { require_approval: { approvers: child as typeof people } } },
      )
    assert.deepEqual(widened({ count: 3, people: [anna, bert, carl] }), [])
    assert.deepEqual(widened({ count: 2, people: [anna, bert] }), [])
    assert.deepEqual(widened({ count: 2, role: 'reviewer' }), [])
    assert.deepEqual(widened({ count: 1, people: [anna] }), ['require_approval.approvers.count'])
    assert.deepEqual(widened({ count: 2, people: [anna, 'sha256:dora'] }), [
      'require_approval.approvers.people: sha256:dora',
    ])
    const rule = { actions: ['pay'], approvers: people }
    assert.deepEqual(meet({ require_approval: rule }, { require_approval: {} }), {
      require_approval: { approvers: people },
    })
  })
})
