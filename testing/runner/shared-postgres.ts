import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateDatabase } from '../../server/src/database.ts'
import { newDatabase } from '../a-database.ts'
import { startPostgres } from '../postgres.ts'
import { memoryDisk } from './memory-disk.ts'

/**
 * Starts one PostgreSQL for all test processes and creates a database that already has the tables, which tests copy.
 * Uses the server of DEPUTY_TEST_DATABASE_URL if it is set.
 */
export async function sharePostgres(): Promise<() => Promise<void>> {
  const stop = process.env.DEPUTY_TEST_DATABASE_URL === undefined ? await startShared() : async () => {}
  const template = await newDatabase()
  await migrateDatabase(template.url)
  process.env.DEPUTY_TEST_TEMPLATE = new URL(template.url).pathname.slice(1)
  return async () => {
    await template.drop()
    await stop()
  }
}

async function startShared(): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(memoryDisk ?? tmpdir(), 'deputy-test-postgres-'))
  const server = await startPostgres({ directory, settings: { max_connections: '400' } })
  process.env.DEPUTY_TEST_DATABASE_URL = server.url()
  return async () => {
    await server.kill()
    rmSync(directory, { recursive: true, force: true })
  }
}
