import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { afterDecision, type CheckDocument } from '../../src/operations/external/check-entries.ts'
import { readExternals } from '../../src/verification/external/read-external.ts'
import { type ExternalStatus, externalDecision } from '../../src/verification/external/verdict.ts'

const NOW_MS = Date.parse('2027-01-01T00:00:00Z')
describe('a check after a decision', () => {
  const check = (status: ExternalStatus): CheckDocument => ({
    ...externalDecision(new Uint8Array(), status),
    provider: 'id-check',
    external_id: 'x',
    session_id: 'vs_1',
    opening: 1,
    level: 'L2',
    begun_at: '2026-12-31T00:00:00.000Z',
  })
  const after = (before: ExternalStatus, now: ExternalStatus) =>
    afterDecision(check(before), externalDecision(new Uint8Array([1]), now), NOW_MS)

  test('falls when a pass turns into a failure, a review, a retry or a withdrawal, and stays fallen', () => {
    for (const now of ['fail', 'review', 'retry', 'withdrawn'] as const) {
      const fallen = after('pass', now)
      assert.deepEqual(fallen.fallen, { at: '2027-01-01T00:00:00.000Z', status: now, is_done: false })
      const later = afterDecision(fallen, externalDecision(new Uint8Array(), 'pass'), NOW_MS + 1)
      assert.equal(later, fallen)
    }
  })

  test('keeps a pass if pending or expired arrives after it', () => {
    for (const now of ['pending', 'expired', 'pass'] as const) assert.equal(after('pass', now).status, 'pass')
    assert.equal(after('pass', 'pending').fallen, undefined)
  })

  test('follows every decision before a pass', () => {
    for (const before of ['pending', 'review', 'fail', 'retry'] as const)
      assert.equal(after(before, 'pass').status, 'pass')
    assert.equal(after('pending', 'fail').fallen, undefined)
  })
})

describe('the file of identity providers', () => {
  const problems = (providers: unknown) =>
    readExternals(JSON.stringify({ providers }), () => 'secret').problems

  test('names every mistake with its position, but no secret', () => {
    assert.deepEqual(problems([{ name: 'sandbox', kind: 'sandbox', level: 'L2' }]), [])
    assert.match(problems([{ name: 'idv', kind: 'sandbox', level: 'L2' }]).join(), /begin with "sandbox"/)
    assert.match(problems([{ name: 'sandbox-x', kind: 'generic', level: 'L2' }]).join(), /for no other/)
    assert.match(problems([{ name: 'builtin', kind: 'nope', level: 'L4' }]).join(), /"builtin".*kind.*level/s)
    assert.match(
      problems([{ name: 'sandbox', kind: 'sandbox', level: 'L2', x: 1 }]).join(),
      /Unknown member "x"/,
    )
    const twice = { name: 'sandbox', kind: 'sandbox', level: 'L2' }
    assert.match(problems([twice, twice]).join(), /Two providers are named "sandbox"/)
    assert.match(problems('none').join(), /must have the form/)
  })

  test('opens no provider if it contains a mistake', () => {
    const good = { name: 'sandbox', kind: 'sandbox', level: 'L2' }
    const text = JSON.stringify({ providers: [good, { ...good, name: 'sandbox-2', level: 'L1' }] })
    assert.deepEqual(readExternals(text, () => '').entries, [])
  })
})
