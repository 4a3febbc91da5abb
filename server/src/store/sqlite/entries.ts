import type { DatabaseSync } from 'node:sqlite'
import type { StoredDenial } from '../../domain/denial.ts'
import type { StoredRecord } from '../../domain/record.ts'
import { denialOf, type EntrySource, recordOf } from '../rows/entries.ts'
import { integer, type Row } from '../values.ts'
import type { NameReader } from './names.ts'
import type { FieldOpener } from './sealed-fields.ts'
import type { TokenReader } from './tokens.ts'

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

  const sourceOf = entrySources(tokens, names, open)
  const record = (row: Row | undefined) => row && recordOf(row, sourceOf(row))
  const denial = (row: Row | undefined) => row && denialOf(row, sourceOf(row))

  return {
    record: (aar_id) => record(recordById.get(aar_id)),
    recordAt: (log_index) => record(recordByIndex.get(log_index)),
    denial: (denial_id) => denial(denialById.get(denial_id)),
    denialAt: (log_index) => denial(denialByIndex.get(log_index)),
  }
}

/** Finds what the rows of entries point to. */
export function entrySources(tokens: TokenReader, names: NameReader, open: FieldOpener) {
  return (row: Row): EntrySource => ({
    token: tokens.byKey(integer(row.token_key)),
    name: (of) => names(integer(row[`${of}_key`])),
    open: (column, place) => open(row[column], place),
  })
}
