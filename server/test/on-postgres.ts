/**
 * Runs the tests that every store must pass on a real PostgreSQL: one of its own, or that of DEPUTY_TEST_DATABASE_URL.
 * They have run on SQLite already.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newDatabase } from '@deputize/testing/a-database.ts'
import { startPostgres } from '@deputize/testing/postgres.ts'
import { migrateDatabase } from '../src/main.ts'

const RACES = 'server/test/e2e/{races,chain-races}.test.ts'
const ON_TWO_NODES = ['server/test/http/*.test.ts', 'server/test/e2e/{seed-contract,errors}.test.ts', RACES]

const given = process.env.DEPUTY_TEST_DATABASE_URL
process.exitCode = given === undefined ? await onOwnServer() : await runOn(given)

async function onOwnServer(): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'deputy-on-postgres-'))
  const server = await startPostgres({ directory, settings: { max_connections: '300' } })
  try {
    return await runOn(server.url())
  } finally {
    await server.kill()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Every test has a database of its own. All of them are copies of one that has the tables already. */
async function runOn(url: string): Promise<number> {
  process.env.DEPUTY_TEST_DATABASE_URL = url
  const model = await newDatabase()
  try {
    await migrateDatabase(model.url)
    process.env.DEPUTY_TEST_TEMPLATE = new URL(model.url).pathname.slice(1)
    const code = await run(ON_TWO_NODES, 2)
    return code === 0 ? await run([RACES], 4) : code
  } finally {
    await model.drop()
  }
}

async function run(files: readonly string[], nodes: number): Promise<number> {
  const tests = spawn(process.execPath, ['--test', '--test-concurrency=2', ...files], {
    env: {
      ...process.env,
      DEPUTY_TEST_STORE: 'postgres',
      DEPUTY_TEST_NODES: String(nodes),
    },
    stdio: 'inherit',
  })
  const [code] = await once(tests, 'exit')
  return code ?? 1
}
