import { DatabaseSync, type StatementResultingChanges } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import type { EphemeralStore } from '../ephemeral.ts'
import { addingTogether, type NewEphemeral } from '../group-insert.ts'
import { StoreError } from '../port.ts'
import { ephemeralEntryOf } from '../rows/ephemeral.ts'
import { wrapped } from '../wrap-methods.ts'

const VERSION = 1
const CACHE_KIB = 4 * 1024
/** So many that other calls hardly notice. */
const FORGOTTEN_AT_ONCE = 500
/** Copying pages from the log into the file syncs both, so it waits until there is much to copy. */
const CHECKPOINT_PAGES = 8_000

const SCHEMA = `
  CREATE TABLE passing (
    added INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    owner TEXT,
    expires_at_ms INTEGER NOT NULL,
    UNIQUE (kind, key)
  ) STRICT;
  CREATE INDEX passing_by_owner ON passing (owner, kind) WHERE owner IS NOT NULL;
  CREATE INDEX passing_by_end ON passing (expires_at_ms);`

/**
 * What passes, in a file of its own beside the store: it has no leaves, takes no part in batches, and may be deleted
 * while the service is down.
 *
 * Two connections write to it, one after the other on the same thread. What is added or replaced is not synced: the
 * operating system has it, so it outlives the process, and if the machine stops at that moment people sign in again. What
 * is taken or ended is synced, and with it all that was written before, because it must not come back with the power.
 */
export function sqliteEphemeral(file: string, clock: () => number): EphemeralStore {
  const quick = opened(file, 'NORMAL')
  const lasting = opened(file, 'FULL')
  const makeRoom = quick.prepare('DELETE FROM passing WHERE kind = ? AND key = ? AND expires_at_ms <= ?')
  const insert = quick.prepare(
    'INSERT INTO passing (kind, key, value, owner, expires_at_ms) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const find = quick.prepare('SELECT * FROM passing WHERE kind = ? AND key = ? AND expires_at_ms > ?')
  const findOwned = quick.prepare(
    'SELECT * FROM passing WHERE owner = ? AND kind = ? AND expires_at_ms > ? ORDER BY added DESC',
  )
  const forget = quick.prepare(`
    DELETE FROM passing WHERE added IN (SELECT added FROM passing WHERE expires_at_ms <= ? LIMIT ${FORGOTTEN_AT_ONCE})`)
  const update = quick.prepare(`
    UPDATE passing SET value = ?, owner = ?, expires_at_ms = ? WHERE kind = ? AND key = ? AND expires_at_ms > ?`)
  const remove = lasting.prepare(
    'DELETE FROM passing WHERE kind = ? AND key = ? AND expires_at_ms > ? RETURNING *',
  )
  const removeOwned = lasting.prepare(
    'DELETE FROM passing WHERE owner = ? AND key IS NOT ? AND expires_at_ms > ?',
  )

  function isAdded({ kind, entry: { key, value, owner, expires_at_ms } }: NewEphemeral): boolean {
    const isInserted = () => hasChanged(insert.run(kind, key, value, owner ?? null, expires_at_ms))
    return isInserted() || (hasChanged(makeRoom.run(kind, key, clock())) && isInserted())
  }

  return tellingTrouble({
    add: addingTogether(async (batch) => inOneCommit(quick, () => batch.map(isAdded))),
    async get(kind, key) {
      const row = find.get(kind, key, clock())
      return row && ephemeralEntryOf(row)
    },
    async replace(kind, { key, value, owner, expires_at_ms }) {
      return hasChanged(update.run(value, owner ?? null, expires_at_ms, kind, key, clock()))
    },
    async take(kind, key) {
      const [row] = remove.all(kind, key, clock()) // to the end: only there it shows whether the commit held
      return row && ephemeralEntryOf(row)
    },
    ofOwner: async (kind, owner) => findOwned.all(owner, kind, clock()).map(ephemeralEntryOf),
    endOwner: async (owner, except) => Number(removeOwned.run(owner, except ?? null, clock()).changes),
    async sweep() {
      while (Number(forget.run(clock()).changes) === FORGOTTEN_AT_ONCE) await setImmediate()
    },
    async close() {
      lasting.close()
      quick.close()
    },
  })
}

function inOneCommit<T>(db: DatabaseSync, write: () => T): T {
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

function hasChanged({ changes }: StatementResultingChanges): boolean {
  return changes > 0
}

/** A disk that refuses is told as the store tells it. */
function tellingTrouble(ephemeral: EphemeralStore): EphemeralStore {
  return wrapped(ephemeral, (method) => async (...given) => {
    try {
      return await method(...given)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR')) throw error
      throw new StoreError('what passes could not be read or written', 'nothing_written', error)
    }
  })
}

function opened(file: string, synchronous: 'NORMAL' | 'FULL'): DatabaseSync {
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
    const version = Number(db.prepare('PRAGMA user_version').get()?.user_version)
    if (version === 0) db.exec(`BEGIN IMMEDIATE; ${SCHEMA} PRAGMA user_version = ${VERSION}; COMMIT;`)
    else if (version !== VERSION) throw new Error('it was written by another version of Deputy')
    return db
  } catch (cause) {
    db.close()
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Error(
      `${file} cannot be used: ${why}. It holds only what ends by itself: it may be deleted, and people sign in again`,
      { cause },
    )
  }
}
