import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { Client } from 'pg'
import { type Postgres, startPostgres } from '../../cluster/postgres.ts'
import type { Scope } from './builders.ts'

let server: Promise<Postgres> | undefined

/** The PostgreSQL of this test file, started when it is first asked for. */
function theServer(): Promise<Postgres> {
  server ??= startPostgres({ directory })
  return server
}

const directory = mkdtempSync(join(tmpdir(), 'deputy-test-postgres-'))

after(async () => {
  await (await server?.catch(() => undefined))?.kill()
  rmSync(directory, { recursive: true, force: true })
})

/** A new, empty database on a real PostgreSQL: one of this test file's own, or that of DEPUTY_TEST_DATABASE_URL. */
export async function aDatabase(scope: Scope): Promise<string> {
  const given = process.env.DEPUTY_TEST_DATABASE_URL
  const base = given ?? (await theServer()).url()
  const name = `deputy_test_${randomBytes(6).toString('hex')}`
  await command(base, `CREATE DATABASE ${name}`)
  scope.after(async () => {
    if (given === undefined) return // it goes with its server
    await command(base, `DROP DATABASE ${name} WITH (FORCE)`)
  })
  const url = new URL(base)
  url.pathname = `/${name}`
  return url.href
}

/** Carries one statement out on a connection of its own, and answers its rows. */
export async function command(url: string, text: string, values?: unknown[]) {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}
