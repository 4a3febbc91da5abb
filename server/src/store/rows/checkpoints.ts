import type { StoredCheckpoint } from '../port.ts'
import { bytes, integer, type Row, text } from '../values.ts'

/** A row of `checkpoints`. */
export function checkpointOf(row: Row): StoredCheckpoint {
  return {
    size: integer(row.size),
    root: bytes(row.root),
    signed_at_ms: integer(row.signed_at_ms),
    note: text(row.note),
  }
}
