import type { Pool } from 'pg'
import type { EphemeralStore } from '../ephemeral.ts'
import { addingTogether, ephemeralName, type NewEphemeral } from '../group-insert.ts'
import { ephemeralEntryOf } from '../rows/ephemeral.ts'
import { text } from '../values.ts'
import type { Database } from './connect.ts'
import { readingFrom, rowsOf } from './reading.ts'

/** How many entries one statement forgets, at most. */
const FORGOTTEN_AT_ONCE = 1_000

/**
 * What passes, on the primary that all nodes share. The pool must lead there, and stays the caller's.
 *
 * Adding does not wait for the disk: other nodes see the entry at once, and a database that stops at that moment may lose
 * it. What is taken or ended waits, and with it all that was added before.
 */
export function postgresEphemeral(pool: Pool, clock: () => number): EphemeralStore {
  const db = readingFrom(pool)

  return {
    add: addingTogether((batch) => addAll(db, batch, clock())),
    async get(kind, key) {
      const [row] = await rowsOf(
        db,
        'SELECT * FROM passing WHERE kind = ? AND key = ? AND expires_at_ms > ?',
        kind,
        key,
        clock(),
      )
      return row && ephemeralEntryOf(row)
    },
    async replace(kind, { key, value, owner, expires_at_ms }) {
      const { rowCount } = await db.query(REPLACE, [kind, key, value, owner ?? null, expires_at_ms, clock()])
      return rowCount === 1
    },
    async take(kind, key) {
      const [row] = await rowsOf(
        db,
        'DELETE FROM passing WHERE kind = ? AND key = ? AND expires_at_ms > ? RETURNING *',
        kind,
        key,
        clock(),
      )
      return row && ephemeralEntryOf(row)
    },
    async ofOwner(kind, owner) {
      const rows = await rowsOf(
        db,
        'SELECT * FROM passing WHERE owner = ? AND kind = ? AND expires_at_ms > ? ORDER BY added DESC',
        owner,
        kind,
        clock(),
      )
      return rows.map(ephemeralEntryOf)
    },
    async endOwner(owner, except) {
      const { rowCount } = await db.query(END_OWNER, [owner, except ?? null, clock()])
      return rowCount ?? 0
    },
    async sweep() {
      for (;;) {
        const { rowCount } = await db.query(SWEEP, [clock(), FORGOTTEN_AT_ONCE])
        if ((rowCount ?? 0) < FORGOTTEN_AT_ONCE) return
      }
    },
    async close() {},
  }
}

/** Rows that wait for each other's never do so in a circle: every statement takes them in the order of their names. */
async function addAll(
  database: Database,
  batch: readonly NewEphemeral[],
  now_ms: number,
): Promise<readonly boolean[]> {
  const columns = [
    batch.map(({ kind }) => kind),
    batch.map(({ entry }) => entry.key),
    batch.map(({ entry }) => entry.value),
    batch.map(({ entry }) => entry.owner ?? null),
    batch.map(({ entry }) => entry.expires_at_ms),
  ]
  const { rows } = await database.query(ADD, [...columns, now_ms])
  const added = new Set(rows.map((row) => ephemeralName(text(row.kind), text(row.key))))
  return batch.map(({ kind, entry }) => added.has(ephemeralName(kind, entry.key)))
}

/** Makes the commit of the statement that it stands in not wait for the disk. */
const QUICKLY = `WITH quickly AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))`

const ADD = `
  ${QUICKLY}
  INSERT INTO passing (kind, key, value, owner, expires_at_ms)
  SELECT one.* FROM quickly, unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[]) AS one
  ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value, owner = excluded.owner,
    expires_at_ms = excluded.expires_at_ms, added = excluded.added WHERE passing.expires_at_ms <= $6
  RETURNING kind, key`
const REPLACE = `
  ${QUICKLY}
  UPDATE passing SET value = $3, owner = $4, expires_at_ms = $5 FROM quickly
  WHERE kind = $1 AND key = $2 AND expires_at_ms > $6`
const END_OWNER = 'DELETE FROM passing WHERE owner = $1 AND key IS DISTINCT FROM $2 AND expires_at_ms > $3'
/** Whatever somebody else is at just now is left for the next time. */
const SWEEP = `
  DELETE FROM passing WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM passing WHERE expires_at_ms <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
  ))`
