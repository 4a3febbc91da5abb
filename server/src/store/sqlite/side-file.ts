import { DatabaseSync } from 'node:sqlite'
import { prepareLazily } from './lazy-statements.ts'

const CACHE_KIB = 4 * 1024
/** Copying pages from the log into the file syncs both, so it waits until there is much to copy. */
const CHECKPOINT_PAGES = 8_000

export interface SideFile {
  readonly file: string
  /** What a commit syncs before it returns. `NORMAL` syncs nothing, so a power failure may undo the commit. */
  readonly synchronous: 'NORMAL' | 'FULL'
  /** The upgrades from each version of a file to the newest. The first one creates the tables. */
  readonly upgrades: readonly string[]
}

/** Opens a file next to the store, for data that the log doesn't cover. */
export function openSideFile({ file, synchronous, upgrades }: SideFile): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 5000 })
  try {
    db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = ${synchronous};
      PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
      PRAGMA journal_size_limit = 67108864;
      PRAGMA cache_size = -${CACHE_KIB};
      PRAGMA trusted_schema = OFF;
      PRAGMA temp_store = MEMORY;
    `)
    const newest = upgrades.length
    const version = Number(db.prepare('PRAGMA user_version').get()?.user_version)
    if (version !== newest) {
      const upgrade = upgrades[version]
      if (upgrade === undefined) throw new Error('it was written by another version of Deputy')
      db.exec(`BEGIN IMMEDIATE; ${upgrade} PRAGMA user_version = ${newest}; COMMIT;`)
    }
    prepareLazily(db)
    return db
  } catch (cause) {
    db.close()
    throw cause
  }
}
