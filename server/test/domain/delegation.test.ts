import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Claims, Constraints } from '@deputize/protocol'
import fc from 'fast-check'
import { planDelegation } from '../../src/domain/tokens/delegation.ts'
import { type Token, tokenOf } from '../../src/domain/tokens/token.ts'
import { aLink, NOW_MS } from './token-builder.ts'

const percent = fc.integer({ min: 0, max: 100 })
const aLevel = fc.constantFrom<Claims['svc_assurance_level']>('L1', 'L2', 'L3')
const someLimits = fc.record(
  { max_overrun_pct: percent, max_spend_usd: fc.constantFrom(5, 10), max_actions: fc.constantFrom(3) },
  { requiredKeys: [] },
)

function aParent(svc_assurance_level: Claims['svc_assurance_level'], constraints: Constraints): Token {
  const svc_scope = { resources: ['mail:*'], actions: ['send', 'delegate'] }
  return aLink(constraints, {}, { svc_assurance_level, svc_scope }).token
}

function planned(parent: Token, constraints: Constraints) {
  const request = { resources: undefined, actions: undefined, expires_in_s: undefined, audience: undefined }
  return planDelegation(parent, { ...request, constraints }, NOW_MS)
}

describe('a delegation', () => {
  test("of an L3 token can't name a tolerance that the token does not give", () => {
    assert.deepEqual(planned(aParent('L3', {}), { max_overrun_pct: 1 }).widening, ['max_overrun_pct'])
    assert.deepEqual(planned(aParent('L3', {}), { max_overrun_pct: 0 }).widening, [])
    assert.deepEqual(planned(aParent('L3', { max_overrun_pct: 5 }), { max_overrun_pct: 5 }).widening, [])
    assert.deepEqual(planned(aParent('L1', {}), { max_overrun_pct: 50 }).widening, [])
  })

  test('that is not refused tolerates no more than its parent', () => {
    fc.assert(
      fc.property(aLevel, someLimits, someLimits, (level, held, asked) => {
        const parent = aParent(level, held)
        const { widening, constraints } = planned(parent, asked)
        const claims = { ...parent.claims, svc_constraints: constraints }
        const child = tokenOf(claims, { jwt_hash: 'sha256:x', issued_at_ms: NOW_MS, log_index: 6 })
        const isWider = child.limits.max_overrun_pct > parent.limits.max_overrun_pct
        assert.equal(widening.includes('max_overrun_pct'), isWider)
      }),
    )
  })
})
