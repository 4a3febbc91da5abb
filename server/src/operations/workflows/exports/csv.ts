import { csvLine } from '@deputize/protocol'
import { type PublicRecord, publicRecord } from './public-record.ts'
import type { Snapshot } from './snapshot.ts'

const CSV_COLUMNS = [
  'aar_id',
  'provenance_ref',
  'token',
  'root_token',
  'agent_id',
  'human_ref',
  'assurance_level',
  'delegation_depth',
  'trust_score',
  'action',
  'resource',
  'state',
  'result',
  'result_hash',
  'spend_usd',
  'parent_aar_id',
  'evidence',
  'metadata',
  'trace_id',
  'created_at',
  'expires_at',
  'completed_at',
  'completed_after_revocation',
  'over_budget',
  'exceeded',
  'rating',
  'feedback_at',
  'note',
  'rater_assurance',
  'log_index',
  'leaf_hash',
  'completed_log_index',
  'rated_log_index',
  'erased',
] as const satisfies readonly (keyof PublicRecord)[]

/** Yields CSV (RFC 4180) with a header line. */
export async function* csv({ records }: Snapshot): AsyncGenerator<string> {
  yield csvLine(CSV_COLUMNS)
  for await (const record of records()) {
    const view = publicRecord(record)
    yield csvLine(CSV_COLUMNS.map((column) => view[column]))
  }
}
