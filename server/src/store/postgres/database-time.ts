import type { Database } from './connect.ts'

/** Returns the time of the database, in milliseconds. */
export async function databaseTime(database: Database): Promise<number> {
  const { rows } = await database.query(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms',
  )
  return Number(rows[0]?.now_ms)
}

/**
 * Returns a clock for a command that writes to a database that nodes use now or later: the wall clock of this machine,
 * but never ahead of the database, because a leaf from the future would expire the tokens of all nodes. If it is behind,
 * leaves get the time of the last one.
 */
export async function clockWithin(database: Database): Promise<() => number> {
  const asked_at_ms = performance.now()
  const database_ms = await databaseTime(database)
  return () => Math.min(Date.now(), Math.floor(database_ms + performance.now() - asked_at_ms))
}
