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

/** RFC 4180 with a header line. */
export async function* csv({ records }: Snapshot): AsyncGenerator<string> {
  yield csvLine(CSV_COLUMNS)
  for await (const record of records()) {
    const view = publicRecord(record)
    yield csvLine(CSV_COLUMNS.map((column) => view[column]))
  }
}

function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

/** A spreadsheet runs a cell that starts with one of these characters, even after blanks or quotes. */
const FORMULA = /^[\s"'`]*[=+\-@\t\r\n＝＋－＠]/
const MUST_QUOTE = /[",\r\n]/

/**
 * Numbers and booleans are written unchanged. Text that a spreadsheet might run gets a leading apostrophe, and so does
 * text that already starts with one: removing one leading apostrophe always restores the text.
 */
export function csvCell(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = text.startsWith("'") || FORMULA.test(text) ? `'${text}` : text
  return MUST_QUOTE.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
