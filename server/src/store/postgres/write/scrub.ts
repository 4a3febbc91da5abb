import type { Client } from 'pg'
import type { ScrubbedTable } from '../../port/changes.ts'
import { StoreError } from '../../port/store-error.ts'

/**
 * The small table of keys is rewritten, so that no page of it holds an older version of a row. That locks the table, which
 * every caller of the registry would feel (it holds sessions and API keys): there, dead rows are removed in place, and
 * encrypted bytes of them may stay in the free space of pages until new rows take it. Copies elsewhere (the write-ahead log,
 * backups, standbys) go when those expire.
 */
const STATEMENTS: Readonly<Record<ScrubbedTable, string>> = {
  data_keys: 'VACUUM (FULL) data_keys',
  // Giving empty pages back to the file system would lock the table, too.
  registry: 'VACUUM (TRUNCATE false) registry',
}

export async function scrub(table: ScrubbedTable, connected: () => Promise<Client>): Promise<void> {
  try {
    await (await connected()).query(STATEMENTS[table])
  } catch (cause) {
    throw new StoreError(`the table ${table} could not be vacuumed`, 'committed', cause)
  }
}
