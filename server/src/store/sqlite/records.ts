import type { DatabaseSync } from 'node:sqlite'
import { RATINGS, type Reason, STATES } from '@deputy/protocol'
import type { StoredDenial } from '../../domain/denial.ts'
import type { StoredRating, StoredRecord } from '../../domain/record.ts'
import { bytes, integer, member, optionalInteger, optionalText, type Row, text } from '../values.ts'
import type { NameReader } from './names.ts'
import type { FieldOpener } from './sealed-fields.ts'
import { madeWith, type TokenReader } from './tokens.ts'

const RECORD = `
  SELECT r.*, leaf.leaf_hash, parent.aar_id AS parent_aar_id, rating.rating, rating.note, rating.rater_assurance,
    rating.feedback_at_ms, rating.log_index AS rated_index
  FROM records r
  JOIN leaves leaf ON leaf.log_index = r.log_index
  LEFT JOIN records parent ON parent.log_index = r.parent_index
  LEFT JOIN ratings rating ON rating.record_index = r.log_index`

const DENIAL = 'SELECT d.*, leaf.leaf_hash FROM denials d JOIN leaves leaf ON leaf.log_index = d.log_index'

/** Reads what agents did and what they were refused. */
export interface RecordReader {
  record(aar_id: string): StoredRecord | undefined
  recordAt(log_index: number): StoredRecord | undefined
  denial(denial_id: string): StoredDenial | undefined
  denialAt(log_index: number): StoredDenial | undefined
}

export function recordReader(
  db: DatabaseSync,
  tokens: TokenReader,
  names: NameReader,
  open: FieldOpener,
): RecordReader {
  const recordById = db.prepare(`${RECORD} WHERE r.aar_id = ?`)
  const recordByIndex = db.prepare(`${RECORD} WHERE r.log_index = ?`)
  const denialById = db.prepare(`${DENIAL} WHERE d.denial_id = ?`)
  const denialByIndex = db.prepare(`${DENIAL} WHERE d.log_index = ?`)

  function recordOf(row: Row | undefined): StoredRecord | undefined {
    if (row === undefined) return undefined
    const aar_id = text(row.aar_id)
    const metadata = open(row.metadata, { kind: 'record.metadata', row: aar_id })
    const note = open(row.note, { kind: 'rating.note', row: aar_id })
    return {
      ...madeWith(tokens.byKey(integer(row.token_key))),
      aar_id,
      action: names(integer(row.action_key)),
      resource: names(integer(row.resource_key)),
      parent_aar_id: optionalText(row.parent_aar_id),
      trace_id: optionalText(row.trace_id),
      created_at_ms: integer(row.created_at_ms),
      log_index: integer(row.log_index),
      leaf_hash: bytes(row.leaf_hash),
      state: member(STATES, integer(row.state)),
      result: row.result_key === null ? undefined : names(integer(row.result_key)),
      result_hash: optionalText(row.result_hash),
      spend_micro_usd: integer(row.spend_micro_usd),
      metadata: metadata.text,
      expires_at_ms: optionalInteger(row.expires_at_ms),
      completed_at_ms: optionalInteger(row.completed_at_ms),
      completed_after_revocation: row.completed_after_revocation === 1,
      over_budget: row.over_budget === 1,
      completed_log_index: optionalInteger(row.completed_index),
      completion_digest: optionalText(row.completion_digest),
      rating: row.rated_index === null ? undefined : ratingOf(row, note.text),
      erased: metadata.erased || note.erased,
    }
  }

  function denialOf(row: Row | undefined): StoredDenial | undefined {
    if (row === undefined) return undefined
    return {
      ...madeWith(tokens.byKey(integer(row.token_key))),
      denial_id: text(row.denial_id),
      action: names(integer(row.action_key)),
      resource: names(integer(row.resource_key)),
      spend_micro_usd: integer(row.spend_micro_usd),
      // Written from a non-empty list of reasons, and never changed.
      reasons: JSON.parse(text(row.reasons)) as [Reason, ...Reason[]],
      trace_id: optionalText(row.trace_id),
      created_at_ms: integer(row.created_at_ms),
      log_index: integer(row.log_index),
      leaf_hash: bytes(row.leaf_hash),
    }
  }

  return {
    record: (aar_id) => recordOf(recordById.get(aar_id)),
    recordAt: (log_index) => recordOf(recordByIndex.get(log_index)),
    denial: (denial_id) => denialOf(denialById.get(denial_id)),
    denialAt: (log_index) => denialOf(denialByIndex.get(log_index)),
  }
}

function ratingOf(row: Row, note: string | undefined): StoredRating {
  return {
    rating: member(RATINGS, integer(row.rating)),
    note,
    rater_assurance: text(row.rater_assurance),
    feedback_at_ms: integer(row.feedback_at_ms),
    log_index: integer(row.rated_index),
  }
}
