import type { DatabaseSync } from 'node:sqlite'
import type { StandingChanges } from '../../port.ts'
import { integer, text } from '../../values.ts'

/** Reads the leaves of revocations, suspensions and resumptions. */
export function standingChangeReader(db: DatabaseSync): (since: number, limit: number) => StandingChanges {
  const lastLeaf = db.prepare('SELECT coalesce(max(log_index), -1) AS last FROM leaves')
  const changesBetween = db.prepare(`
    SELECT c.log_index, l.leaf FROM standing_changes c JOIN leaves l ON l.log_index = c.log_index
    WHERE c.log_index >= ? AND c.log_index < ? ORDER BY c.log_index LIMIT ?`)

  return (since, limit) => {
    // The size is read first: changes written meanwhile belong to the next page.
    const log_size = integer(lastLeaf.get()?.last) + 1
    const leaves = changesBetween
      .all(since, log_size, limit)
      .map((row) => ({ log_index: integer(row.log_index), text: text(row.leaf) }))
    return { log_size, leaves }
  }
}
