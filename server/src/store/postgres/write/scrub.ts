import type { Client } from 'pg'
import type { ScrubbedTable } from '../../port/changes.ts'
import { StoreError } from '../../port/store-error.ts'

/**
 * `data_keys` is small and is rewritten, so that none of its pages holds an older version of a row. That locks the
 * table. Doing so with the registry, which holds sessions and API keys, would affect every caller. Its dead rows are
 * removed in place, and their encrypted bytes may stay in the free space of pages until new rows take it. Copies
 * elsewhere (the write-ahead log, backups, standbys) disappear when those expire.
 */
const STATEMENTS: Readonly<Record<ScrubbedTable, string>> = {
  data_keys: 'VACUUM (FULL) data_keys',
  // Returning empty pages to the file system would lock the table, too.
  registry: 'VACUUM (TRUNCATE false) registry',
}

export async function scrub(table: ScrubbedTable, connected: () => Promise<Client>): Promise<void> {
  try {
    await (await connected()).query(STATEMENTS[table])
  } catch (cause) {
    throw new StoreError(`the table ${table} could not be vacuumed`, 'committed', cause)
  }
}
