import type { PassingEntry } from '../passing.ts'
import { integer, optionalText, type Row, text } from '../values.ts'

/** A row of `passing`. */
export function passingEntryOf(row: Row): PassingEntry {
  return {
    key: text(row.key),
    value: text(row.value),
    owner: optionalText(row.owner),
    expires_at_ms: integer(row.expires_at_ms),
  }
}
