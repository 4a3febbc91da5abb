import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../server/src/store/postgres/connect.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import type { Scope } from './scope.ts'

let server: Promise<Postgres> | undefined

/** The PostgreSQL of this test file, started when it is first asked for. */
function theServer(): Promise<Postgres> {
  server ??= startServer()
  return server
}

/** Ends with this process, and so after everything that a test has opened on it. */
async function startServer(): Promise<Postgres> {
  const directory = mkdtempSync(join(tmpdir(), 'deputy-test-postgres-'))
  const started = await startPostgres({ directory })
  for (const held of [started.process, started.process.stdout, started.process.stderr])
    if (held !== null && 'unref' in held && typeof held.unref === 'function') held.unref()
  process.once('exit', () => {
    void started.kill() // the signal is sent at once, and nobody is left to wait for the end
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  })
  return started
}

export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

/** As `newDatabase`, dropped when the scope ends, whoever is still connected. */
export async function aDatabase(scope: Scope): Promise<string> {
  const { url, drop } = await newDatabase()
  scope.after(drop)
  return url
}

/**
 * A new database on a real PostgreSQL: one of this test file's own, or that of DEPUTY_TEST_DATABASE_URL. It is empty, or a
 * copy of DEPUTY_TEST_TEMPLATE.
 */
export async function newDatabase(): Promise<TestDatabase> {
  const given = process.env.DEPUTY_TEST_DATABASE_URL
  const base = given ?? (await theServer()).url()
  const name = `deputy_test_${randomBytes(6).toString('hex')}`
  const template = process.env.DEPUTY_TEST_TEMPLATE ?? 'template1'
  await command(base, `CREATE DATABASE ${name} TEMPLATE ${template}`)
  const url = new URL(base)
  url.pathname = `/${name}`
  return {
    url: url.href,
    async drop() {
      if (given === undefined) return // it goes with its server
      await command(base, `DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

/** Carries one statement out on a connection of its own, and answers its rows. */
export async function command(url: string, text: string, values?: unknown[]) {
  const client = await connect(url, 'test', () => {})
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}
