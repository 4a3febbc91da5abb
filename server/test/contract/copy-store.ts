import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import type { Client } from 'pg'
import { text } from '../../src/store/values.ts'

/** Tables that only PostgreSQL has, or that belong to one database. */
const OWN = ['migrations', 'writers', 'status_places', 'sealed_keys']

/** Makes a database on PostgreSQL hold exactly what a store on SQLite holds. The columns are the same. */
export async function copyStore(file: string, client: Client): Promise<void> {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    await client.query('BEGIN')
    for (const table of await tablesOf(client)) {
      await client.query(`TRUNCATE ${table}`)
      for (const row of db.prepare(`SELECT * FROM ${table}`).all()) await insert(client, table, row)
    }
    await client.query('COMMIT')
  } finally {
    db.close()
  }
}

async function tablesOf(client: Client): Promise<string[]> {
  const { rows } = await client.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)
  return rows.map(({ tablename }) => text(tablename)).filter((table) => !OWN.includes(table))
}

async function insert(client: Client, table: string, row: Record<string, SQLOutputValue>): Promise<void> {
  const values = Object.entries(completed(table, row))
  const columns = values.map(([column]) => column).join(', ')
  const places = values.map((_, index) => `$${index + 1}`).join(', ')
  await client.query(
    `INSERT INTO ${table} (${columns}) VALUES (${places})`,
    values.map(([, value]) => value),
  )
}

/** The columns that PostgreSQL has beside those of SQLite. */
function completed(table: string, row: Record<string, SQLOutputValue>): Record<string, unknown> {
  if (table === 'tokens') return { ...row, ancestors: keysIn(row.path) }
  if (table !== 'log_head') return row
  const { only: single, ...rest } = row
  return { single, ...rest, batch: 0, ...NO_KEYS }
}

const NO_KEYS = {
  last_token_key: 0,
  last_agent_key: 0,
  last_human_key: 0,
  last_workflow_key: 0,
  last_name_key: 0,
  last_data_key: 0,
}

/** A path is the keys of all ancestors and the token's own, eight bytes each. */
function keysIn(path: SQLOutputValue | undefined): number[] {
  if (!(path instanceof Uint8Array)) throw new TypeError('a token has no path')
  const all = Buffer.from(path)
  return Array.from({ length: all.length / 8 }, (_, index) => Number(all.readBigUInt64BE(index * 8)))
}
