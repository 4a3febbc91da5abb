import { evidenceIn, toMicroUsd } from '@deputize/protocol'
import type { StoredRecord } from './record.ts'

/** What the log says of a record that was closed after it was opened: the members of both leaves. */
export interface ToldOfRecord {
  readonly opened: Readonly<Record<string, unknown>>
  readonly closed: Readonly<Record<string, unknown>>
}

/** Whether the record was still open when the log had `size` leaves, and is not any more. */
export function closedSince({ completed_log_index }: StoredRecord, size: number): boolean {
  return completed_log_index !== undefined && completed_log_index >= size
}

/**
 * A record, opened before, as it was when the log had `size` leaves. Closing a record replaces the estimate by what was
 * spent, perhaps the metadata, and who vouches for it: estimate and evidence are told by the leaf that opened it, replaced
 * metadata is gone. `told` is needed only for what was `closedSince`.
 */
export function recordAsOf(record: StoredRecord, size: number, told?: ToldOfRecord): StoredRecord {
  const isRatedBefore = record.rating !== undefined && record.rating.log_index < size
  const rated = isRatedBefore ? record : { ...record, rating: undefined }
  if (!closedSince(record, size)) return rated
  if (told === undefined)
    throw new Error(`record ${record.log_index} was closed since, and nothing is told of it`)
  return {
    ...rated,
    state: 'pending',
    result: undefined,
    result_hash: undefined,
    spend_micro_usd: toMicroUsd(Number(told.opened.spend_usd ?? 0)),
    metadata: told.closed.metadata_digest === undefined ? record.metadata : undefined,
    completed_at_ms: undefined,
    completed_after_revocation: false,
    over_budget: false,
    completed_log_index: undefined,
    completion_digest: undefined,
    evidence: evidenceIn(told.opened),
  }
}
