import type { DatabaseSync } from 'node:sqlite'

/** Runs `write` in one transaction: either everything that it writes takes effect, or nothing. */
export function inOneCommit<T>(db: DatabaseSync, write: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = write()
    db.exec('COMMIT')
    return result
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}
