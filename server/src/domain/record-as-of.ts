import { evidenceIn, toMicroUsd } from '@deputize/protocol'
import type { StoredRecord } from './record.ts'

/** The members of the leaves that opened and closed a record. */
export interface RecordLeaves {
  readonly opened: Readonly<Record<string, unknown>>
  readonly closed: Readonly<Record<string, unknown>>
}

/** Whether the record was open when the log had `size` leaves, and has been closed since. */
export function closedSince({ completed_log_index }: StoredRecord, size: number): boolean {
  return completed_log_index !== undefined && completed_log_index >= size
}

/**
 * Returns a record as it was when the log had `size` leaves. It must have been opened before that. Closing a record
 * replaces its estimate, its evidence and perhaps its metadata. Estimate and evidence are restored from the opening
 * leaf; replaced metadata is lost. `leaves` is needed only if the record is `closedSince`.
 */
export function recordAsOf(record: StoredRecord, size: number, leaves?: RecordLeaves): StoredRecord {
  const isRatedBefore = record.rating !== undefined && record.rating.log_index < size
  const rated = isRatedBefore ? record : { ...record, rating: undefined }
  if (!closedSince(record, size)) return rated
  if (leaves === undefined)
    throw new Error(`record ${record.log_index} was closed since, but its leaves are missing`)
  return {
    ...rated,
    state: 'pending',
    result: undefined,
    result_hash: undefined,
    spend_micro_usd: toMicroUsd(Number(leaves.opened.spend_usd ?? 0)),
    metadata: leaves.closed.metadata_digest === undefined ? record.metadata : undefined,
    completed_at_ms: undefined,
    completed_after_revocation: false,
    over_budget: false,
    exceeded: false,
    completed_log_index: undefined,
    completion_digest: undefined,
    evidence: evidenceIn(leaves.opened),
  }
}
