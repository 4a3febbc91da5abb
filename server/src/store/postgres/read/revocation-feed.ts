import type { StandingChanges } from '../../port.ts'
import { integer, text } from '../../values.ts'
import type { Database } from '../connect.ts'
import { rowsOf } from './reading.ts'

export async function standingChanges(
  database: Database,
  since: number,
  limit: number,
): Promise<StandingChanges> {
  // The size is read first: changes written meanwhile belong to the next page.
  const [head] = await rowsOf(database, 'SELECT coalesce(max(log_index), -1) + 1 AS log_size FROM leaves')
  const log_size = integer(head?.log_size)
  const rows = await rowsOf(
    database,
    `SELECT c.log_index, l.leaf FROM standing_changes c JOIN leaves l ON l.log_index = c.log_index
    WHERE c.log_index >= ? AND c.log_index < ? ORDER BY c.log_index LIMIT ?`,
    since,
    log_size,
    limit,
  )
  const leaves = rows.map((row) => ({ log_index: integer(row.log_index), text: text(row.leaf) }))
  return { log_size, leaves }
}
