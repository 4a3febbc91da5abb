/** Runs all tests: of every folder, of every store once more on PostgreSQL, and of the SDK in its frameworks and runtimes. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const STEPS = [
  ['--test', '--test-concurrency=3', '{protocol,server,cli,docs,sdk}/**/*.test.ts'],
  ['server/test/on-postgres.ts'],
  ['integrations/test.ts'],
]

/** Hundreds of programs are started from the same sources. They are compiled once. */
const COMPILED = fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url))
const env = { NODE_COMPILE_CACHE: COMPILED, ...process.env }

for (const step of STEPS) {
  const { status } = spawnSync(process.execPath, step, { env, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
