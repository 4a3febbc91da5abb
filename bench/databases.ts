import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from '@deputize/testing/postgres.ts'
import { Client } from 'pg'

/** The peer wants 64 connections, and three nodes about a dozen each. Everything else is as PostgreSQL comes. */
const SETTINGS = { max_connections: '200' }

/** A PostgreSQL on the disk of the checkout that syncs every commit. */
export interface Databases {
  /** A new database, as the settings that lead a node of Deputy to it. */
  database(): Promise<{ readonly DEPUTY_DATABASE_URL: string; readonly DEPUTY_MASTER_KEY_FILE: string }>
  /** The server, below which all its processes are. */
  readonly process: number
  stop(): Promise<void>
}

export async function startDatabases(directory: string): Promise<Databases> {
  const server = await startPostgres({ directory: join(directory, 'postgres'), settings: SETTINGS })
  const master_key = join(directory, 'master.key')
  writeFileSync(master_key, randomBytes(32).toString('base64url'), { mode: 0o600 })
  let made = 0
  return {
    process: server.process.pid ?? 0,
    async database() {
      made += 1
      const name = `bench_${made}`
      await ask(server.url(), `CREATE DATABASE ${name}`)
      return { DEPUTY_DATABASE_URL: server.url(name), DEPUTY_MASTER_KEY_FILE: master_key }
    },
    stop: () => server.stop(),
  }
}

/** Asks a database past any service. */
export async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
