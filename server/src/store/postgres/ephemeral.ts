import type { Pool } from 'pg'
import type { EphemeralStore } from '../ephemeral.ts'
import { ephemeralName, groupInsert, type NewEphemeral } from '../group-insert.ts'
import { ephemeralEntryOf } from '../rows/ephemeral.ts'
import { columnsIn } from '../tables.ts'
import { text } from '../values.ts'
import type { Database } from './connect.ts'
import { keyedRead, readingFrom, rowsOf } from './read/reading.ts'

const ENTRY = keyedRead(
  'ephemeral',
  `SELECT ${columnsIn('ephemeral', 'postgres').join(', ')} FROM ephemeral WHERE kind = ? AND key = ? AND expires_at_ms > ?`,
)

/** The most entries that one statement deletes. */
const SWEPT_AT_ONCE = 1_000

/**
 * Keeps ephemeral data on the primary that all nodes share. The pool must lead to it; the caller closes the pool.
 *
 * Adding doesn't wait for the disk: other nodes see the entry at once, and a database that stops at that moment may
 * lose it. Taking and ending wait for the disk, and so for everything added before.
 */
export function postgresEphemeral(pool: Pool, clock: () => number): EphemeralStore {
  const db = readingFrom(pool)

  return {
    add: groupInsert((batch) => addAll(db, batch, clock())),
    async get(kind, key) {
      const [row] = await ENTRY(db, kind, key, clock())
      return row && ephemeralEntryOf(row)
    },
    async replace(kind, { key, value, owner, expires_at_ms }, known) {
      const values = [value, owner ?? null, expires_at_ms, clock(), known?.value ?? null]
      const { rowCount } = await db.query(REPLACE, [kind, key, ...values])
      return rowCount === 1
    },
    async take(kind, key) {
      const [row] = await rowsOf(
        db,
        'DELETE FROM ephemeral WHERE kind = ? AND key = ? AND expires_at_ms > ? RETURNING *',
        kind,
        key,
        clock(),
      )
      return row && ephemeralEntryOf(row)
    },
    async ofOwner(kind, owner) {
      const rows = await rowsOf(
        db,
        'SELECT * FROM ephemeral WHERE owner = ? AND kind = ? AND expires_at_ms > ? ORDER BY added DESC',
        owner,
        kind,
        clock(),
      )
      return rows.map(ephemeralEntryOf)
    },
    async endOwner(kinds, owner, except) {
      const named = kinds === 'all' ? null : kinds
      const { rowCount } = await db.query(END_OWNER, [owner, except ?? null, clock(), named])
      return rowCount ?? 0
    },
    async sweep() {
      for (;;) {
        const { rowCount } = await db.query(SWEEP, [clock(), SWEPT_AT_ONCE])
        if ((rowCount ?? 0) < SWEPT_AT_ONCE) return
      }
    },
    async close() {},
  }
}

/** Each statement locks its rows in name order, so two statements never deadlock. */
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

/** Lets its statement's commit return before the disk is synced. */
const QUICKLY = `WITH quickly AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))`

const ADD = `
  ${QUICKLY}
  INSERT INTO ephemeral (kind, key, value, owner, expires_at_ms)
  SELECT one.* FROM quickly, unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[]) AS one
  ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value, owner = excluded.owner,
    expires_at_ms = excluded.expires_at_ms, added = excluded.added WHERE ephemeral.expires_at_ms <= $6
  RETURNING kind, key`
const REPLACE = `
  ${QUICKLY}
  UPDATE ephemeral SET value = $3, owner = $4, expires_at_ms = $5 FROM quickly
  WHERE kind = $1 AND key = $2 AND expires_at_ms > $6 AND value = coalesce($7, value)`
const END_OWNER = `
  DELETE FROM ephemeral WHERE owner = $1 AND key IS DISTINCT FROM $2 AND expires_at_ms > $3
    AND ($4::text[] IS NULL OR kind = ANY($4))`
/** Leaves rows that another statement has locked to the next sweep. */
const SWEEP = `
  DELETE FROM ephemeral WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM ephemeral WHERE expires_at_ms <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
  ))`
