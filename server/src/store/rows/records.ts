import { EVIDENCE, RATINGS, STATES } from '@deputize/protocol'
import type { StoredRating, StoredRecord } from '../../domain/record.ts'
import type { NewRating } from '../port/changes.ts'
import { rowReader } from '../row-reader.ts'
import type { RowOf } from '../tables.ts'
import {
  bytes,
  evidenceKey,
  integer,
  member,
  optionalText,
  type Row,
  ratingKey,
  stateKey,
} from '../values.ts'
import type { EntrySource } from './entries.ts'
import { type RowKeys, sealedText } from './row-keys.ts'
import { madeWith } from './tokens.ts'

/** The columns that are read with the row of a record `r`, from `leaf`, `parent` and `rating`. */
export const RECORD_JOINED = `leaf.leaf_hash, parent.aar_id AS parent_aar_id, rating.rating, rating.note,
  rating.rater_assurance, rating.feedback_at_ms, rating.log_index AS rated_index`

const readRecord = rowReader('records')
const readRating = rowReader('ratings', ['rating', 'rater_assurance', 'feedback_at_ms'])

/** Reads a row of `records` with `RECORD_JOINED`. */
export function recordOf(joined: Row, { token, name, open }: EntrySource): StoredRecord {
  const row = readRecord(joined)
  const metadata = open('metadata', { kind: 'record.metadata', row: row.aar_id })
  const note = open('note', { kind: 'rating.note', row: row.aar_id })
  return {
    ...madeWith(token),
    aar_id: row.aar_id,
    action: name('action'),
    resource: name('resource'),
    parent_aar_id: optionalText(joined.parent_aar_id),
    trace_id: row.trace_id ?? undefined,
    created_at_ms: row.created_at_ms,
    log_index: row.log_index,
    leaf_hash: bytes(joined.leaf_hash),
    state: member(STATES, row.state),
    result: row.result_key === null ? undefined : name('result'),
    result_hash: row.result_hash ?? undefined,
    spend_micro_usd: row.spend_micro_usd,
    metadata: metadata.text,
    expires_at_ms: row.expires_at_ms ?? undefined,
    completed_at_ms: row.completed_at_ms ?? undefined,
    completed_after_revocation: row.completed_after_revocation === 1,
    over_budget: row.over_budget === 1,
    exceeded: row.exceeded === 1,
    completed_log_index: row.completed_index ?? undefined,
    completion_digest: row.completion_digest ?? undefined,
    rating: joined.rated_index === null ? undefined : ratingOf(joined, note.text),
    evidence: member(EVIDENCE, row.evidence),
    erased: metadata.erased || note.erased,
  }
}

function ratingOf(joined: Row, note: string | undefined): StoredRating {
  const { rating, rater_assurance, feedback_at_ms } = readRating(joined)
  return {
    rating: member(RATINGS, rating),
    note,
    rater_assurance,
    feedback_at_ms,
    log_index: integer(joined.rated_index),
  }
}

/** Returns a new row of `records`. */
export function recordRow(record: StoredRecord, keys: RowKeys): RowOf<'records'> {
  return {
    log_index: record.log_index,
    aar_id: record.aar_id,
    token_key: keys.token(record.vat_jti).token_key,
    action_key: keys.name(record.action),
    resource_key: keys.name(record.resource),
    state: stateKey(record.state),
    created_at_ms: record.created_at_ms,
    result_key: record.result === undefined ? null : keys.name(record.result),
    result_hash: record.result_hash ?? null,
    spend_micro_usd: record.spend_micro_usd,
    parent_index: record.parent_aar_id === undefined ? null : keys.recordIndex(record.parent_aar_id),
    expires_at_ms: record.expires_at_ms ?? null,
    completed_at_ms: record.completed_at_ms ?? null,
    completed_index: record.completed_log_index ?? null,
    completed_after_revocation: record.completed_after_revocation ? 1 : 0,
    over_budget: record.over_budget ? 1 : 0,
    exceeded: record.exceeded ? 1 : 0,
    completion_digest: record.completion_digest ?? null,
    trace_id: record.trace_id ?? null,
    metadata: sealedMetadata(record, keys),
    evidence: evidenceKey(record.evidence),
  }
}

/** The columns that closing a record replaces. Its metadata stays unless the completion has its own. */
export const CLOSING_COLUMNS = [
  'state',
  'result_key',
  'result_hash',
  'spend_micro_usd',
  'completed_at_ms',
  'completed_index',
  'completed_after_revocation',
  'over_budget',
  'exceeded',
  'completion_digest',
  'evidence',
] as const

export type ClosingRow = Pick<RowOf<'records'>, 'log_index' | 'metadata' | (typeof CLOSING_COLUMNS)[number]>

export function closingRow(record: StoredRecord, keys: RowKeys): ClosingRow {
  return {
    log_index: record.log_index,
    state: stateKey(record.state),
    result_key: record.result === undefined ? null : keys.name(record.result),
    result_hash: record.result_hash ?? null,
    spend_micro_usd: record.spend_micro_usd,
    completed_at_ms: record.completed_at_ms ?? null,
    completed_index: record.completed_log_index ?? null,
    completed_after_revocation: record.completed_after_revocation ? 1 : 0,
    over_budget: record.over_budget ? 1 : 0,
    exceeded: record.exceeded ? 1 : 0,
    completion_digest: record.completion_digest ?? null,
    metadata: sealedMetadata(record, keys),
    evidence: evidenceKey(record.evidence),
  }
}

function sealedMetadata({ human_ref, aar_id, metadata }: StoredRecord, keys: RowKeys): Uint8Array | null {
  return sealedText(keys, human_ref, { kind: 'record.metadata', row: aar_id }, metadata)
}

/** Returns a new row of `ratings`. */
export function ratingRow({ record, rating }: NewRating, keys: RowKeys): RowOf<'ratings'> {
  return {
    record_index: record.log_index,
    rating: ratingKey(rating.rating),
    feedback_at_ms: rating.feedback_at_ms,
    log_index: rating.log_index,
    rater_assurance: rating.rater_assurance,
    note: sealedText(keys, record.human_ref, { kind: 'rating.note', row: record.aar_id }, rating.note),
  }
}
