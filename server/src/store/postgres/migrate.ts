import { readdirSync, readFileSync } from 'node:fs'
import type { Client } from 'pg'
import { integer } from '../values.ts'
import { DatabaseRefused } from './connect.ts'
import { LOCKS } from './locks.ts'

const MIGRATIONS = new URL('../../../migrations/postgres/', import.meta.url)
const MIGRATIONS_TABLE = 'migrations (number BIGINT PRIMARY KEY, name TEXT NOT NULL)'

const NEWER = 'The database was written by a newer version of Deputy. Use that version or a newer one.'

/** The names of all migrations of this version, in order. */
export function migrationFiles(): string[] {
  return readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .sort()
}

/** The statements that create all tables of this version in an empty schema. */
export function wholeSchema(): string[] {
  return [`CREATE TABLE ${MIGRATIONS_TABLE}`, ...migrationFiles().map(textOf)]
}

function textOf(name: string): string {
  return readFileSync(new URL(name, MIGRATIONS), 'utf8')
}

/**
 * Applies the numbered files that this database has not seen, each in a transaction of its own. Forward only. When several
 * nodes start at once, one applies them and the others wait. A crash leaves the database at the last committed file.
 */
export async function migrate(client: Client): Promise<{ readonly applied: string[] }> {
  const files = migrationFiles()
  await client.query('SELECT pg_advisory_lock($1)', [LOCKS.migrate])
  try {
    await client.query(`CREATE TABLE IF NOT EXISTS ${MIGRATIONS_TABLE}`)
    const { rows } = await client.query('SELECT coalesce(max(number), 0) AS last FROM migrations')
    const last = integer(rows[0]?.last)
    if (last > files.length) throw new DatabaseRefused(NEWER)
    const applied = files.slice(last)
    for (const [index, name] of applied.entries()) await apply(client, last + index + 1, name)
    return { applied }
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [LOCKS.migrate])
  }
}

/** The migrations that `migrate` would apply. Changes nothing. */
export async function pendingMigrations(client: Client): Promise<string[]> {
  const { rows } = await client.query(`SELECT to_regclass('migrations') IS NOT NULL AS exists`)
  if (rows[0]?.exists !== true) return migrationFiles()
  const found = await client.query('SELECT coalesce(max(number), 0) AS last FROM migrations')
  const last = integer(found.rows[0]?.last)
  if (last > migrationFiles().length) throw new DatabaseRefused(NEWER)
  return migrationFiles().slice(last)
}

async function apply(client: Client, number: number, name: string): Promise<void> {
  await client.query('BEGIN')
  try {
    await client.query(textOf(name))
    await client.query('INSERT INTO migrations (number, name) VALUES ($1, $2)', [number, name])
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}
