import type { DatabaseSync, StatementResultingChanges } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { EphemeralFileError, type EphemeralStore, UNSEALED_KINDS_SQL } from '../ephemeral.ts'
import { groupInsert, type NewEphemeral } from '../group-insert.ts'
import { ephemeralEntryOf } from '../rows/ephemeral.ts'
import { reportingStoreErrors } from './reporting-store-errors.ts'
import { openSideFile } from './side-file.ts'
import { inOneCommit } from './write/in-one-commit.ts'

/** How many entries one sweep deletes before other calls get a turn. */
const SWEPT_AT_ONCE = 500

const INDEXES = `
  CREATE INDEX ephemeral_by_owner ON ephemeral (owner, kind) WHERE owner IS NOT NULL;
  CREATE INDEX ephemeral_by_expiry ON ephemeral (expires_at_ms);`

/** Earlier versions did not seal values, so those entries end. Marks of things that were seen once count by their key. */
const END_UNSEALED = `DELETE FROM ephemeral WHERE kind NOT IN (${UNSEALED_KINDS_SQL});`

/** The upgrades from each version of the file to the newest. Version 1 called the table `passing`. */
const UPGRADES = [
  `
    CREATE TABLE ephemeral (
      added INTEGER PRIMARY KEY AUTOINCREMENT,
      kind TEXT NOT NULL,
      key TEXT NOT NULL,
      value TEXT NOT NULL,
      owner TEXT,
      expires_at_ms INTEGER NOT NULL,
      UNIQUE (kind, key)
    ) STRICT; ${INDEXES}`,
  `
    ALTER TABLE passing RENAME TO ephemeral;
    DROP INDEX passing_by_owner;
    DROP INDEX passing_by_end; ${INDEXES} ${END_UNSEALED}`,
  END_UNSEALED,
]

/**
 * Keeps ephemeral data in its own file next to the store. The file may be deleted while the service is down.
 *
 * Two connections write to it in turn, on the same thread. Entries that are added or replaced aren't synced: they
 * outlive the process, but a machine that stops at that moment may lose them, and people sign in again. Taking and
 * ending entries is synced, and with it everything written before, because an ended entry must not come back.
 */
export function sqliteEphemeral(file: string, clock: () => number): EphemeralStore {
  const quick = opened(file, 'NORMAL')
  const lasting = opened(file, 'FULL')
  const makeRoom = quick.prepare('DELETE FROM ephemeral WHERE kind = ? AND key = ? AND expires_at_ms <= ?')
  const insert = quick.prepare(
    'INSERT INTO ephemeral (kind, key, value, owner, expires_at_ms) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const find = quick.prepare('SELECT * FROM ephemeral WHERE kind = ? AND key = ? AND expires_at_ms > ?')
  const findOwned = quick.prepare(
    'SELECT * FROM ephemeral WHERE owner = ? AND kind = ? AND expires_at_ms > ? ORDER BY added DESC',
  )
  const forget = quick.prepare(`
    DELETE FROM ephemeral WHERE added IN (SELECT added FROM ephemeral WHERE expires_at_ms <= ? LIMIT ${SWEPT_AT_ONCE})`)
  const update = quick.prepare(`
    UPDATE ephemeral SET value = ?, owner = ?, expires_at_ms = ?
    WHERE kind = ? AND key = ? AND expires_at_ms > ? AND value = coalesce(?, value)`)
  const remove = lasting.prepare(
    'DELETE FROM ephemeral WHERE kind = ? AND key = ? AND expires_at_ms > ? RETURNING *',
  )
  const removeOwned = lasting.prepare(`
    DELETE FROM ephemeral WHERE owner = ?1 AND key IS NOT ?2 AND expires_at_ms > ?3
      AND (?4 IS NULL OR kind IN (SELECT value FROM json_each(?4)))`)

  function isAdded({ kind, entry: { key, value, owner, expires_at_ms } }: NewEphemeral): boolean {
    const isInserted = () => hasChanged(insert.run(kind, key, value, owner ?? null, expires_at_ms))
    return isInserted() || (hasChanged(makeRoom.run(kind, key, clock())) && isInserted())
  }

  const ephemeral: EphemeralStore = {
    add: groupInsert(async (batch) => inOneCommit(quick, () => batch.map(isAdded))),
    async get(kind, key) {
      const row = find.get(kind, key, clock())
      return row && ephemeralEntryOf(row)
    },
    async replace(kind, { key, value, owner, expires_at_ms }, known) {
      const before = known?.value ?? null
      return hasChanged(update.run(value, owner ?? null, expires_at_ms, kind, key, clock(), before))
    },
    async take(kind, key) {
      const [row] = remove.all(kind, key, clock()) // read all rows: only then is the commit known to have succeeded
      return row && ephemeralEntryOf(row)
    },
    ofOwner: async (kind, owner) => findOwned.all(owner, kind, clock()).map(ephemeralEntryOf),
    async endOwner(kinds, owner, except) {
      const named = kinds === 'all' ? null : JSON.stringify(kinds)
      return Number(removeOwned.run(owner, except ?? null, clock(), named).changes)
    },
    async sweep() {
      while (Number(forget.run(clock()).changes) === SWEPT_AT_ONCE) await setImmediate()
    },
    async close() {
      lasting.close()
      quick.close()
    },
  }
  return reportingStoreErrors(ephemeral, 'ephemeral data could not be read or written')
}

function hasChanged({ changes }: StatementResultingChanges): boolean {
  return changes > 0
}

function opened(file: string, synchronous: 'NORMAL' | 'FULL'): DatabaseSync {
  try {
    return openSideFile({ file, synchronous, upgrades: UPGRADES })
  } catch (cause) {
    throw new EphemeralFileError(file, cause)
  }
}
