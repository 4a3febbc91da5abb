import type { Client } from 'pg'
import { StoreError } from '../port.ts'

/**
 * Rewrites the table of data keys, so that no page of it holds an older version of a row. Copies elsewhere (the write-ahead
 * log, backups, standbys) go when those expire.
 */
export async function scrub(connected: () => Promise<Client>): Promise<void> {
  try {
    await (await connected()).query('VACUUM (FULL) data_keys')
  } catch (cause) {
    throw new StoreError('the table of data keys could not be rewritten', 'committed', cause)
  }
}
