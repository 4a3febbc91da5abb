import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { noChanges } from '../../src/clerk/changes.ts'
import type { StoredRecord } from '../../src/domain/record.ts'
import { PendingRecords } from '../../src/store/pending-records.ts'
import type { Changes } from '../../src/store/port/changes.ts'
import { aRecord, PENDING } from '../a-record.ts'

describe('pending records that a writer caches', () => {
  test('are copies, which judges may change', () => {
    const pending = remembering(pendingRecord('aar_1'))
    const judged = pending.get('aar_1')
    assert.ok(judged)
    judged.state = 'completed'
    assert.equal(pending.get('aar_1')?.state, 'pending')
  })

  test('are those that are open and have no metadata', () => {
    const pending = remembering(
      aRecord({ aar_id: 'aar_1' }),
      { ...pendingRecord('aar_2'), metadata: '"m"' },
      pendingRecord('aar_3'),
    )
    assert.deepEqual(known(pending, 3), ['aar_3'])
  })

  test('are read again once they are closed or rated', () => {
    const records = [1, 2, 3].map((number) => pendingRecord(`aar_${number}`))
    const pending = remembering(...records)
    const [closed, rated] = records as [StoredRecord, StoredRecord]
    pending.note({ ...changes(), closed: new Set([closed]) })
    assert.deepEqual(known(pending, 3), ['aar_2', 'aar_3'])
    const rating = aRecord().rating as NonNullable<StoredRecord['rating']>
    pending.note({ ...changes(), ratings: [{ record: rated, rating }] })
    assert.deepEqual(known(pending, 3), ['aar_3'])
  })

  test('are the newest 10,000', () => {
    const pending = remembering(
      ...Array.from({ length: 10_002 }, (_, index) => pendingRecord(`aar_${index + 1}`)),
    )
    assert.equal(known(pending, 10_002).length, 10_000)
    assert.deepEqual(known(pending, 3), ['aar_3'])
  })
})

function remembering(...created: StoredRecord[]): PendingRecords {
  const pending = new PendingRecords()
  pending.note({ ...changes(), created: new Set(created) })
  return pending
}

function known(pending: PendingRecords, most: number): string[] {
  const ids = Array.from({ length: most }, (_, index) => `aar_${index + 1}`)
  return ids.filter((aar_id) => pending.get(aar_id) !== undefined)
}

function changes(): Changes {
  return noChanges({ size: 0, peaks: [] })
}

function pendingRecord(aar_id: string): StoredRecord {
  return aRecord({ ...PENDING, aar_id, metadata: undefined })
}
