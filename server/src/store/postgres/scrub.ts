import type { Client } from 'pg'
import { type ScrubbedTable, StoreError } from '../port.ts'

/**
 * Rewrites a table, so that no page of it holds an older version of a row. Copies elsewhere (the write-ahead log, backups,
 * standbys) go when those expire.
 */
export async function scrub(table: ScrubbedTable, connected: () => Promise<Client>): Promise<void> {
  try {
    await (await connected()).query(`VACUUM (FULL) ${table}`)
  } catch (cause) {
    throw new StoreError(`the table ${table} could not be rewritten`, 'committed', cause)
  }
}
