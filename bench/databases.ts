import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from '@deputize/testing/postgres.ts'
import { Client } from 'pg'

/** The peer opens 64 connections and each of three nodes about a dozen. Everything else is PostgreSQL's default. */
const SETTINGS = { max_connections: '200' }

/** A PostgreSQL on the disk of the checkout that syncs every commit. */
export interface Databases {
  /** Creates a database and returns the settings with which a node uses it. */
  database(): Promise<{
    readonly DEPUTY_DATABASE_URL: string
    readonly DEPUTY_MASTER_KEY_FILE: string
    readonly DEPUTY_MAX_WAIT_MS: string
  }>
  /** The process ID of the server, the parent of all its processes. */
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
      await queryDatabase(server.url(), `CREATE DATABASE ${name}`)
      return {
        DEPUTY_DATABASE_URL: server.url(name),
        DEPUTY_MASTER_KEY_FILE: master_key,
        DEPUTY_MAX_WAIT_MS: '0', // tokens are prepared all at once; what is refused under load is measured elsewhere
      }
    },
    stop: () => server.stop(),
  }
}

/** Queries a database directly. */
export async function queryDatabase(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
