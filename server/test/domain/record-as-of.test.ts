import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { StoredRecord } from '../../src/domain/record.ts'
import { closedSince, recordAsOf } from '../../src/domain/record-as-of.ts'
import { aRecord, PENDING } from '../a-record.ts'

const TOLD = { opened: { spend_usd: 2 }, closed: { result: 'success' } }

describe('a record as of an earlier size of the log', () => {
  test('is unchanged if every change is below the size', () => {
    assert.deepEqual(recordAsOf(aRecord(), 31), aRecord())
    assert.equal(closedSince(aRecord(), 21), false)
  })

  test('lacks a rating whose leaf is at or above the size', () => {
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
