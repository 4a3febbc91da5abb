import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  approversFor,
  type BranchDenial,
  branchOf,
  currentState,
  DENIALS_IN_A_ROW,
  deniedUntil,
  needsApproval,
  pausedUntil,
} from '../../src/domain/approvals/approval.ts'
import { approverRef, isEndorsed, requiredApprovals } from '../../src/domain/approvals/approvers.ts'
import { DAY_MS, MINUTE_MS } from '../../src/domain/times/time.ts'
import { authorityWidening, meet } from '../../src/domain/tokens/narrowing.ts'
import type { Chain } from '../../src/domain/tokens/token.ts'
import { aLink, NOW_MS } from './token-builder.ts'

describe('the state of an approval', () => {
  const open = { expires_at_ms: NOW_MS, used_by: undefined, token_revoked: false }

  test('becomes expired in the millisecond in which it expires, decided or not', () => {
    for (const state of ['pending', 'approved'] as const) {
      assert.equal(currentState({ ...open, state }, NOW_MS - 1), state)
      assert.equal(currentState({ ...open, state }, NOW_MS), 'expired')
    }
  })

  test('becomes expired when its token is revoked', () => {
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
  test('for ten minutes, twice as long after each further one, and at most a day', () => {
    const heldMinutes = [1, 2, 3, 4, 8, 9, 50].map(
      (count) => (deniedUntil({ count, last_ms: NOW_MS }) - NOW_MS) / MINUTE_MS,
    )
    assert.deepEqual(heldMinutes, [10, 20, 40, 80, 1280, 1440, 1440])
    assert.equal(deniedUntil({ count: 0, last_ms: 0 }), 0)
  })
})

describe('the branch of a token', () => {
  const link = (jti: string, agent: string, renews?: string) =>
    aLink({}, {}, { jti, sub: `agent:${agent}`, ...(renews !== undefined && { svc_renews_jti: renews }) })
  const root = link('vat_root_a', 'bot')
  const renewal = link('vat_sub_r', 'bot', 'vat_root_a')
  const child = link('vat_sub_c', 'helper')

  test('is the first token below the root that belongs to another agent', () => {
    assert.equal(branchOf([child, renewal, root]), 'vat_sub_c')
    assert.equal(branchOf([link('vat_sub_d', 'other'), child, root]), 'vat_sub_c')
    assert.equal(branchOf([link('vat_sub_b', 'bot'), child, root]), 'vat_sub_c')
  })

  test("is the root for the root's own agent, whatever it delegates to itself", () => {
    for (const chain of [[root], [renewal, root], [link('vat_sub_s', 'bot'), renewal, root]] as const)
      assert.equal(branchOf(chain), 'vat_root_a')
  })
})

describe('a pause after denials in a row', () => {
  const steps = fc.array(
    fc.record({
      after_ms: fc.constantFrom(1, MINUTE_MS, 11 * MINUTE_MS),
      asking: fc.uniqueArray(fc.nat(30).map(String), { minLength: 1 }),
    }),
    { maxLength: 80 },
  )

  /** The denials if branches ask at these times and a person immediately denies every request that reaches them. */
  function deniedOf(asked: readonly { asking: readonly string[]; after_ms: number }[]): BranchDenial[] {
    const denials: BranchDenial[] = []
    let at_ms = NOW_MS
    for (const { asking, after_ms } of asked) {
      at_ms += after_ms
      const reaching = asking.filter((branch_jti) => at_ms >= pausedUntil(denials, branch_jti))
      denials.push(...reaching.map((branch_jti) => ({ branch_jti, at_ms })))
    }
    return denials
  }

  test('is never caused by one branch for another', () => {
    fc.assert(
      fc.property(steps, (asked) => {
        const denials = deniedOf(asked.map((one) => ({ ...one, asking: ['one'] })))
        assert.equal(pausedUntil(denials, 'two'), 0)
      }),
    )
  })

  test('is not prolonged for other branches by a branch that was denied more than five times', () => {
    const denials: BranchDenial[] = []
    const deny = (branch_jti: string) => {
      const last_ms = denials.at(-1)?.at_ms ?? NOW_MS
      denials.push({ branch_jti, at_ms: Math.max(last_ms + 1, pausedUntil(denials, branch_jti)) })
    }
    for (const branch_jti of ['one', 'two', 'three', 'four'])
      for (let count = 0; count < DENIALS_IN_A_ROW.branch; count += 1) deny(branch_jti)
    const until_ms = pausedUntil(denials, 'other')
    for (let count = 0; count < 10; count += 1) deny('four')
    assert.equal(pausedUntil(denials, 'other'), until_ms)
  })

  test('lets a person be bothered ten times in ten minutes at most, however many branches there are', () => {
    fc.assert(
      fc.property(steps, (asked) => {
        const times = [...new Set(deniedOf(asked).map(({ at_ms }) => at_ms))]
        for (const [place, at_ms] of times.entries()) {
          const tenth_before_ms = times[place - 10]
          if (tenth_before_ms !== undefined) assert.ok(at_ms - tenth_before_ms >= 10 * MINUTE_MS)
        }
      }),
    )
  })

  test('lets no more requests through once the denials of many branches no longer count', () => {
    const branches = Array.from({ length: 20 }, (_, number) => String(number))
    const denials = branches.flatMap((branch_jti, number) =>
      [1, 2, 3, 4, 5].map((count) => ({ branch_jti, at_ms: NOW_MS + (5 * number + count) * DAY_MS })),
    )
    const start_ms = NOW_MS + 200 * DAY_MS
    for (const [number, branch_jti] of branches.entries()) {
      const at_ms = start_ms + number
      if (at_ms >= pausedUntil(denials, branch_jti)) denials.push({ branch_jti, at_ms })
    }
    assert.equal(denials.filter(({ at_ms }) => at_ms >= start_ms).length, 10)
  })

  test('counts denials at the same instant as one, whatever their branches', () => {
    const at_once = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'].map((branch_jti) => ({
      branch_jti,
      at_ms: NOW_MS,
    }))
    assert.equal(pausedUntil(at_once, 'a'), 0)
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

  test('have approved once the required number of the named people did', () => {
    assert.equal(isEndorsed([people], [by(anna)]), false)
    assert.equal(isEndorsed([people], [by(anna), by('sha256:stranger')]), false)
    assert.equal(isEndorsed([people], [by(anna), by(carl)]), true)
  })

  test('count with their role only if a role is required', () => {
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

  test('are never just the person that the agent acts for', () => {
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
    assert.deepEqual(approversFor(request, chain, NOW_MS), [people])
    assert.deepEqual(approversFor({ ...request, action: 'read' }, chain, NOW_MS), [])
    assert.equal(needsApproval({ ...request, action: 'read' }, chain, 0), false)
  })

  test('do not stand in for the person whom a token above them or an alert asks', () => {
    const request = { action: 'pay', resource: 'mail:inbox', spend_micro_usd: 0 }
    const names = aLink({ require_approval: { actions: ['pay'], approvers: people } })
    const asks = aLink({ require_approval: { actions: ['pay'] } })
    const alerted = aLink()
    alerted.agent.asks_until_ms = NOW_MS + 1
    const person = { count: 1, people: ['sha256:test'], role: 'person' }
    const required = (chain: Chain, now_ms = NOW_MS) => approversFor(request, chain, now_ms)
    assert.deepEqual(required([names, asks]), [people, person])
    assert.deepEqual(required([names, alerted]), [people, person])
    assert.deepEqual(required([names, alerted], NOW_MS + 1), [people])
    assert.deepEqual(required([asks, alerted]), [])
    assert.deepEqual(required([asks, names]), [people])
    assert.deepEqual(required([alerted, names]), [people])
    const both = required([names, asks])
    const owner = by('sha256:test', { owner: true })
    assert.equal(isEndorsed(both, [by(anna), by(bert)]), false)
    assert.equal(isEndorsed(both, [owner]), false)
    assert.equal(isEndorsed(both, [by(anna), by(bert), owner]), true)
    assert.equal(requiredApprovals(required([aLink({ require_approval: { approvers: role } }), asks])), 2)
  })

  test('may only become stricter along a chain', () => {
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
