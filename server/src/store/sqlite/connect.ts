import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const MIGRATIONS = new URL('../../../migrations/sqlite/', import.meta.url)
const WRITER_CACHE_KIB = 32 * 1024
const READER_CACHE_KIB = 16 * 1024
/** The writer checkpoints by itself only when the log has grown this long, whoever else may have done so before. */
const CHECKPOINT_PAGES = 16_000

/** Opens the file for writing, creates it when it is new, and brings its schema up to date. */
export function openForWriting(file: string): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const db = new DatabaseSync(file, { timeout: 5000 })
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = OFF;
    PRAGMA cache_size = -${WRITER_CACHE_KIB};
    PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
    PRAGMA journal_size_limit = 67108864;
    PRAGMA trusted_schema = OFF;
    PRAGMA secure_delete = ON;
    PRAGMA temp_store = MEMORY;
  `)
  assertDurable(db)
  migrate(db)
  return db
}

/** A second connection that sees every committed change and can change nothing. */
export function openForReading(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  db.exec(`PRAGMA cache_size = -${READER_CACHE_KIB}; PRAGMA query_only = ON;`)
  return db
}

/** Without these two settings an acknowledged commit could be lost with the power. */
function assertDurable(db: DatabaseSync): void {
  const journal = db.prepare('PRAGMA journal_mode').get()?.journal_mode
  const synchronous = db.prepare('PRAGMA synchronous').get()?.synchronous
  if (journal !== 'wal' || synchronous !== 2) {
    throw new Error(
      `the store cannot promise durability here (journal_mode ${journal}, synchronous ${synchronous})`,
    )
  }
}

export function schemaVersion(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version)
}

/** Applies the numbered files that this store has not seen, each in a transaction of its own. Forward only. */
export function migrate(db: DatabaseSync): void {
  const applied = schemaVersion(db)
  const files = readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  if (applied > files.length)
    throw new Error('the data was written by a newer version of Deputy; use that version or a newer one')
  for (const [index, name] of files.entries()) {
    if (index < applied) continue
    db.exec(
      `BEGIN IMMEDIATE; ${readFileSync(new URL(name, MIGRATIONS), 'utf8')} PRAGMA user_version = ${index + 1}; COMMIT;`,
    )
  }
}
