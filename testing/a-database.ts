import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openConnection } from '../server/src/store/postgres/connect.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import type { TestScope } from './scope.ts'

let server: Promise<Postgres> | undefined

/** The PostgreSQL of this process, started on first use. */
function theServer(): Promise<Postgres> {
  server ??= startServer()
  return server
}

/** Starts a server that ends with this process, after everything that tests opened on it. */
async function startServer(): Promise<Postgres> {
  const directory = mkdtempSync(join(tmpdir(), 'deputy-test-postgres-'))
  const started = await startPostgres({ directory })
  for (const held of [started.process, started.process.stdout, started.process.stderr])
    if (held !== null && 'unref' in held && typeof held.unref === 'function') held.unref()
  process.once('exit', () => {
    void started.kill() // sends the signal synchronously; the process exits before the server has ended
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  })
  return started
}

export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

/** A new empty database, dropped when the scope ends even if connections are open. */
export async function aDatabase(scope: TestScope): Promise<string> {
  return dropped(scope, await newDatabase())
}

/** Like `aDatabase`, but has the service's tables if the runner has prepared a database to copy. */
export async function aMigratedDatabase(scope: TestScope): Promise<string> {
  return dropped(scope, await newMigratedDatabase())
}

function dropped(scope: TestScope, { url, drop }: TestDatabase): string {
  scope.after(drop)
  return url
}

/** Creates an empty database on the PostgreSQL of DEPUTY_TEST_DATABASE_URL, or on this process's own server. */
export function newDatabase(): Promise<TestDatabase> {
  return copyOf('template1')
}

/** Like `newDatabase`, but copies DEPUTY_TEST_TEMPLATE. */
export function newMigratedDatabase(): Promise<TestDatabase> {
  return copyOf(process.env.DEPUTY_TEST_TEMPLATE ?? 'template1')
}

async function copyOf(template: string): Promise<TestDatabase> {
  const given = process.env.DEPUTY_TEST_DATABASE_URL
  const base = given ?? (await theServer()).url()
  const name = `deputy_test_${randomBytes(6).toString('hex')}`
  await command(base, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`)
  const url = new URL(base)
  url.pathname = `/${name}`
  return {
    url: url.href,
    async drop() {
      if (given === undefined) return // the server ends with this process
      await command(base, `DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

/** Runs one statement on a new connection and returns its rows. */
export async function command(url: string, text: string, values?: unknown[]) {
  const client = await connected(url)
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}

const CONNECT_ATTEMPTS = 5

/** Retries, because connecting times out after three seconds. A longer pause of the machine must not fail a test. */
async function connected(url: string, attempt = 1): ReturnType<typeof openConnection> {
  try {
    return await openConnection(url, 'test', () => {})
  } catch (error) {
    if (attempt === CONNECT_ATTEMPTS || !String(error).includes('timeout expired')) throw error
    return connected(url, attempt + 1)
  }
}
