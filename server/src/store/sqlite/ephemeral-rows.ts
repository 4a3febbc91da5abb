import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { UNSEALED_KINDS_SQL } from '../ephemeral.ts'
import { DamagedStore, type TableRow } from '../port/store-tables.ts'
import { EPHEMERAL_FILE } from './ephemeral-file.ts'

/** The first version of the file whose values are sealed. */
const SEALED_SINCE = 3

/** Reads the sealed rows of the ephemeral file in a data directory, for the check. Doesn't change the file. */
export function readEphemeralRows(data_dir: string): TableRow[] {
  const file = join(data_dir, EPHEMERAL_FILE)
  if (!existsSync(file)) return []
  const url = pathToFileURL(file)
  if (!existsSync(`${file}-wal`)) url.searchParams.set('immutable', '1')
  try {
    const db = new DatabaseSync(url, { readOnly: true, timeout: 5000 })
    try {
      const version = Number(db.prepare('PRAGMA user_version').get()?.user_version)
      if (version < SEALED_SINCE) return []
      return db.prepare(`SELECT * FROM ephemeral WHERE kind NOT IN (${UNSEALED_KINDS_SQL})`).all()
    } finally {
      db.close()
    }
  } catch (cause) {
    throw new DamagedStore(`${file}: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}
