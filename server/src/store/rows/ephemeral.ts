import type { EphemeralEntry } from '../ephemeral.ts'
import { rowReader } from '../row-reader.ts'
import type { Row } from '../values.ts'

const readEphemeral = rowReader('ephemeral', ['key', 'value', 'owner', 'expires_at_ms'])

/** Reads a row of `ephemeral`. */
export function ephemeralEntryOf(row: Row): EphemeralEntry {
  const { key, value, owner, expires_at_ms } = readEphemeral(row)
  return { key, value, owner: owner ?? undefined, expires_at_ms }
}
