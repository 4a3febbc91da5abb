import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { EphemeralFileError, UNSEALED_KINDS_SQL } from '../ephemeral.ts'
import { text } from '../values.ts'
import { syncDirectory } from './sync-directory.ts'

export const EPHEMERAL_FILE = 'ephemeral.db'
/** The name that earlier versions gave the file and the table in it. */
const OLD_NAME = 'passing.db'

/**
 * Returns the file of ephemeral data in a data directory that this process has locked. Renames a file with the old name
 * in place, once.
 *
 * If both files exist, an older version ran last, because this one leaves no file with the old name. The old file is
 * then the newer one and wins: a session that was ended in it must not come back from the other. From the other, only
 * the marks of things that were seen once are kept, so that none of them is accepted a second time.
 */
export function ephemeralFile(data_dir: string): string {
  const file = join(data_dir, EPHEMERAL_FILE)
  const old = join(data_dir, OLD_NAME)
  if (!existsSync(old)) return file
  if (existsSync(file)) {
    usable(file, foldWal) // a leftover log would be applied to the renamed file
    usable(old, (db) => takeOverMarks(db, file))
  }
  usable(old, foldWal)
  for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
  // A crash before the rename leaves the old file whole, and the next start tries again; one after leaves the new file.
  renameSync(old, file)
  syncDirectory(data_dir)
  return file
}

/** Copies the write-ahead log into the file, syncs the file and removes the log, so that one file is left. */
function foldWal(db: DatabaseSync): void {
  db.exec('PRAGMA synchronous = FULL')
  const mode = db.prepare('PRAGMA journal_mode = DELETE').get()?.journal_mode
  if (mode !== 'delete') throw new Error('another process has it open')
}

function takeOverMarks(db: DatabaseSync, file: string): void {
  db.prepare('ATTACH ? AS other').run(file)
  const tables = db.prepare(`SELECT name FROM other.sqlite_schema WHERE name IN ('ephemeral', 'passing')`)
  for (const { name } of tables.all())
    db.exec(`
      INSERT INTO main.passing (kind, key, value, owner, expires_at_ms)
      SELECT kind, key, value, owner, expires_at_ms FROM other.${text(name)} WHERE kind IN (${UNSEALED_KINDS_SQL})
      ON CONFLICT DO NOTHING`)
  db.exec('DETACH other')
}

function usable(file: string, use: (db: DatabaseSync) => void): void {
  const db = new DatabaseSync(file, { timeout: 5000 })
  try {
    use(db)
  } catch (cause) {
    throw new EphemeralFileError(file, cause)
  } finally {
    db.close()
  }
}
