import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Program, startProgram } from '@deputize/testing/program.ts'
import { CLI } from '@deputize/testing/programs.ts'

export const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** Results and the stores under test, on the disk of the checkout: a file system in memory would hide syncs. */
export const RESULTS = pathOf('./results')

/** Runs `work` with an empty directory on a real disk, and removes the directory afterwards. */
export async function withDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  mkdirSync(RESULTS, { recursive: true })
  const directory = join(RESULTS, `${process.pid}.tmp`)
  mkdirSync(directory)
  try {
    return await work(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

export function startFloor(directory: string): Promise<Program> {
  return startProgram(directory, {}, [process.execPath, pathOf('./floor.ts')])
}

export function startPeer(directory: string): Promise<Program> {
  return startProgram(directory, {}, [process.execPath, pathOf('./peers/sqlite-per-request.ts')])
}

/** An OAuth server that signs tokens and stores nothing on disk. */
export function startOidcPeer(directory: string): Promise<Program> {
  return startProgram(directory, {}, [process.execPath, pathOf('./peers/oidc-token.ts')])
}

export function startPostgresPeer(directory: string, database: string): Promise<Program> {
  return startProgram(directory, { DATABASE_URL: database }, [
    process.execPath,
    pathOf('./peers/postgres-per-request.ts'),
  ])
}

/** Deputy that commits every command separately. */
export function startUnbatched(directory: string, env: Record<string, string>): Promise<Program> {
  return startProgram(join(directory, 'unbatched'), env, [
    process.execPath,
    pathOf('./peers/deputy-per-request.ts'),
  ])
}

export interface DeputyProgramOptions {
  /** Options of Node, such as for a profile. With any, the service runs from its sources, so profiles name them. */
  readonly flags?: readonly string[]
  readonly env?: Record<string, string>
  /** Its data directory, within the directory of the bench. */
  readonly data?: string
}

/** The options of Node that `npm start` uses. */
const START_FLAGS: readonly string[] =
  JSON.parse(readFileSync(pathOf('../package.json'), 'utf8')).scripts.start.match(/--\S+/g) ?? []

/** Starts Deputy with its default settings and those in `env`. */
export function startDeputyProgram(
  directory: string,
  { flags = [], env = {}, data = 'data' }: DeputyProgramOptions = {},
): Promise<Program> {
  return startProgram(join(directory, data), env, [
    process.execPath,
    ...START_FLAGS,
    ...flags,
    ...(flags.length === 0 ? [CLI, 'start'] : [pathOf('../server/src/main.ts')]),
  ])
}
