/**
 * Runs the tests that every store must pass on a real PostgreSQL: one of its own, or that of DEPUTY_TEST_DATABASE_URL.
 * They have run on SQLite already.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../cluster/postgres.ts'

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

async function runOn(url: string): Promise<number> {
  const code = await run(ON_TWO_NODES, url, 2)
  return code === 0 ? run([RACES], url, 4) : code
}

async function run(files: readonly string[], url: string, nodes: number): Promise<number> {
  const tests = spawn(process.execPath, ['--test', '--test-concurrency=2', ...files], {
    env: {
      ...process.env,
      DEPUTY_TEST_STORE: 'postgres',
      DEPUTY_TEST_DATABASE_URL: url,
      DEPUTY_TEST_NODES: String(nodes),
    },
    stdio: 'inherit',
  })
  const [code] = await once(tests, 'exit')
  return code ?? 1
}
