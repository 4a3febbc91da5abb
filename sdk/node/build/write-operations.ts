/** Writes `src/generated/operations.ts`. A part of `npm run generate`. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { operationsSource } from './operations-source.ts'

export const OPERATIONS_FILE = fileURLToPath(new URL('../src/generated/operations.ts', import.meta.url))

/** The text as it is checked in: written like everything else here. */
export async function formattedOperations(): Promise<string> {
  const biome = fileURLToPath(new URL('bin/biome', import.meta.resolve('@biomejs/biome/package.json')))
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [biome, 'format', `--stdin-file-path=${OPERATIONS_FILE}`],
    {
      input: await operationsSource(),
      encoding: 'utf8',
      cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    },
  )
  if (status !== 0) throw new Error(stderr)
  return stdout
}

if (import.meta.main) writeFileSync(OPERATIONS_FILE, await formattedOperations())
