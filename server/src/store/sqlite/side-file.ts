import { DatabaseSync } from 'node:sqlite'

const CACHE_KIB = 4 * 1024
/** Copying pages from the log into the file syncs both, so it waits until there is much to copy. */
const CHECKPOINT_PAGES = 8_000

export interface SideFile {
  readonly file: string
  /** What of a commit is synced before it is reported: with `NORMAL` nothing, so that a loss of power may undo it. */
  readonly synchronous: 'NORMAL' | 'FULL'
  /** What brings a file from each version to the newest. The first one creates the tables. */
  readonly upgrades: readonly string[]
}

/** Opens a file beside the store, for data that the log does not cover. */
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
    if (version === newest) return db
    const upgrade = upgrades[version]
    if (upgrade === undefined) throw new Error('it was written by another version of Deputy')
    db.exec(`BEGIN IMMEDIATE; ${upgrade} PRAGMA user_version = ${newest}; COMMIT;`)
    return db
  } catch (cause) {
    db.close()
    throw cause
  }
}
