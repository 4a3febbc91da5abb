import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { StoredRecord } from '../../src/domain/record.ts'
import { closedSince, recordAsOf } from '../../src/domain/record-as-of.ts'

/** Opened at 10 with an estimate of two dollars, completed at 20 with three, rated at 30. */
function aRecord(changes: Partial<StoredRecord> = {}): StoredRecord {
  return {
    aar_id: 'aar_1',
    vat_jti: 'vat_root_1',
    root_jti: 'vat_root_1',
    provenance_ref: 'prov_1',
    agent_id: 'bot',
    human_ref: 'sha256:someone',
    assurance_level: 'L1',
    delegation_depth: 0,
    action: 'read',
    resource: 'mail:inbox',
    parent_aar_id: undefined,
    trace_id: undefined,
    created_at_ms: 1,
    log_index: 10,
    leaf_hash: new Uint8Array(32),
    state: 'completed',
    result: 'success',
    result_hash: 'sha256:x',
    spend_micro_usd: 3_000_000,
    metadata: '{"a":1}',
    expires_at_ms: 100,
    completed_at_ms: 2,
    completed_after_revocation: true,
    over_budget: true,
    exceeded: true,
    completed_log_index: 20,
    completion_digest: 'd',
    evidence: 'observed',
    erased: false,
    rating: {
      rating: 'approved',
      note: 'good',
      rater_assurance: 'none',
      feedback_at_ms: 3,
      log_index: 30,
    },
    ...changes,
  }
}

const TOLD = { opened: { spend_usd: 2 }, closed: { result: 'success' } }
const PENDING = {
  state: 'pending',
  result: undefined,
  result_hash: undefined,
  spend_micro_usd: 2_000_000,
  completed_at_ms: undefined,
  completed_after_revocation: false,
  over_budget: false,
  exceeded: false,
  completed_log_index: undefined,
  completion_digest: undefined,
  evidence: 'self_reported',
  rating: undefined,
} as const

describe('a record as of an earlier size of the log', () => {
  test('is unchanged if every change is below the size', () => {
    assert.deepEqual(recordAsOf(aRecord(), 31), aRecord())
    assert.equal(closedSince(aRecord(), 21), false)
  })

  test('has no rating from a leaf at or above the size', () => {
    for (const size of [30, 21]) assert.deepEqual(recordAsOf(aRecord(), size), aRecord({ rating: undefined }))
  })

  test('is pending with its estimate when it was closed at or above the size', () => {
    for (const size of [20, 11]) {
      assert.equal(closedSince(aRecord(), size), true)
      assert.deepEqual(recordAsOf(aRecord(), size, TOLD), aRecord(PENDING))
    }
    const free = recordAsOf(aRecord(), 20, { ...TOLD, opened: {} })
    assert.equal(free.spend_micro_usd, 0)
  })

  test('has the evidence of its opening leaf when it was closed at or above the size', () => {
    const opened = { ...TOLD.opened, evidence: 'observed' }
    const own = aRecord({ evidence: 'self_reported' })
    assert.equal(recordAsOf(own, 20, { ...TOLD, opened }).evidence, 'observed')
    assert.equal(recordAsOf(own, 20, { ...TOLD, opened: { evidence: 'sworn' } }).evidence, 'self_reported')
  })

  test('lacks metadata that its completion replaced', () => {
    const told = { ...TOLD, closed: { metadata_digest: 'x' } }
    assert.equal(recordAsOf(aRecord(), 20, told).metadata, undefined)
  })

  test('keeps an early rating of a record that was closed later', () => {
    const rating = { ...aRecord().rating, log_index: 15 } as NonNullable<StoredRecord['rating']>
    assert.deepEqual(recordAsOf(aRecord({ rating }), 16, TOLD), aRecord({ ...PENDING, rating }))
  })

  test('shows a cancelled or expired record as pending', () => {
    for (const state of ['cancelled', 'expired'] as const) {
      const given_up = aRecord({ state, result: undefined, spend_micro_usd: 0 })
      assert.deepEqual(recordAsOf(given_up, 20, TOLD), aRecord(PENDING))
    }
  })

  test("can't be restored without the leaves of a record that was closed since", () => {
    assert.throws(() => recordAsOf(aRecord(), 20))
  })
})
