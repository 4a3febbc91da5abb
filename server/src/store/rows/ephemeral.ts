import type { EphemeralEntry } from '../ephemeral.ts'
import { integer, optionalText, type Row, text } from '../values.ts'

/** A row of `ephemeral`. */
export function ephemeralEntryOf(row: Row): EphemeralEntry {
  return {
    key: text(row.key),
    value: text(row.value),
    owner: optionalText(row.owner),
    expires_at_ms: integer(row.expires_at_ms),
  }
}
