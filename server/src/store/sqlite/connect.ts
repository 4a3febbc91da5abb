import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeDirectory } from '../../make-directory.ts'
import { recoverJournal } from './journal/replay.ts'
import { prepareLazily } from './lazy-statements.ts'
import { migrate } from './migrate.ts'

const WRITER_CACHE_KIB = 32 * 1024
const READER_CACHE_KIB = 16 * 1024
/** The checkpoint thread keeps the log short; the writer itself checkpoints only beyond this length. */
const CHECKPOINT_PAGES = 16_000

/**
 * Opens the file for writing, creates it if it is new, and migrates its schema. `onLeftOut` is called with the reason
 * if a batch that the last process left in its journal isn't in the store.
 */
export function openForWriting(file: string, onLeftOut: (refusal: Error) => void = () => {}): DatabaseSync {
  makeDirectory(dirname(file))
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
  const refusal = recoverJournal(db, file) // before anything of a newer schema
  if (refusal !== undefined) onLeftOut(refusal)
  migrate(db)
  prepareLazily(db)
  return db
}

/** Opens a second connection that sees every committed change and can change nothing. */
export function openForReading(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  db.exec(`PRAGMA cache_size = -${READER_CACHE_KIB}; PRAGMA query_only = ON;`)
  db.exec('SELECT 1 FROM sqlite_schema LIMIT 1') // a file that cannot be read is reported now
  prepareLazily(db)
  return db
}

/** Without these two settings a power failure could lose an acknowledged commit. */
function assertDurable(db: DatabaseSync): void {
  const journal = db.prepare('PRAGMA journal_mode').get()?.journal_mode
  const synchronous = db.prepare('PRAGMA synchronous').get()?.synchronous
  if (journal !== 'wal' || synchronous !== 2) {
    throw new Error(
      `the store cannot guarantee durability here (journal_mode ${journal}, synchronous ${synchronous})`,
    )
  }
}
