import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { aProgram, type Program } from '@deputize/testing/program.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'

const CLI = fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url))
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** A program whose disk can be filled and freed again. */
export interface SmallDisk {
  readonly program: Program
  /** Runs `deputy stop` on the same disk, and returns its exit code and output. */
  stop(...args: string[]): readonly [number | null, string]
  /** Uses up the space, except for `leave_mib` MiB if the kind of disk allows that. */
  fill(leave_mib?: number): void
  free(): void
  /** Copies the store for inspection. Call it only while nothing is being written. */
  copyStore(): string
}

/** A way to run out of space for real, or undefined if this machine doesn't allow it. */
export type SmallDiskKind = ((scope: TestScope) => Promise<SmallDisk>) | undefined

/** A file system of a few megabytes that only the program sees: the disk is full (ENOSPC). */
export function ownFileSystem(): SmallDiskKind {
  const namespace = ownNamespace()
  if (namespace === undefined) return undefined
  const joining = namespace.includes('--user') ? ['--mount', '--user', '--preserve-credentials'] : ['--mount']

  return async (scope) => {
    const directory = temporaryDirectory(scope)
    const copies = temporaryDirectory(scope)
    const mountAndRun = 'mount -t tmpfs -o size=48m,mode=700 tmpfs "$1" && shift && exec "$@"'
    const command = [...namespace, 'sh', '-c', mountAndRun, 'sh', directory, process.execPath, MAIN]
    const program = await aProgram(scope, directory, {}, command)
    const inside = `/proc/${program.process.pid}/root${directory}`
    const filler = join(inside, 'filler')
    return {
      program,
      stop: (...args) => runStop(['nsenter', ...joining, `--target=${program.process.pid}`], directory, args),
      fill(leave_mib = 0) {
        const { bavail, bsize } = statfsSync(inside)
        fillWith(filler, bavail * bsize - leave_mib * 1024 * 1024)
      },
      free: () => rmSync(filler),
      copyStore: () => copyStore(inside, copies),
    }
  }
}

/** The command that runs another one with its own mounts, or undefined if this machine doesn't allow it. */
function ownNamespace(): readonly string[] | undefined {
  return [
    ['unshare', '--mount'],
    ['unshare', '--user', '--map-root-user', '--mount'],
  ].find((way) => succeeds([...way, 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp']))
}

/**
 * Copies a data directory to a disk, fills it to the last byte, and runs a `deputy` command, without a service. With
 * `readOnly`, the disk then refuses all writes, as the system arranges after a disk error.
 */
export function runOnFullDisk(
  whole: string,
  disk: string,
  args: readonly string[],
  { readOnly = false, env = {} }: { readonly readOnly?: boolean; readonly env?: Record<string, string> } = {},
): readonly [number | null, string] {
  const fill =
    'mount -t tmpfs -o size=24m,mode=700 tmpfs "$2" && cp -a "$1/." "$2" && dd if=/dev/zero of="$2/filler" bs=4k'
  const script = `${fill}; ${readOnly ? 'mount -o remount,ro "$2"; ' : ''}shift 2; exec "$@"`
  const command = [process.execPath, CLI, ...args]
  const [first = '', ...rest] = [...(ownNamespace() ?? []), 'sh', '-c', script, 'sh', whole, disk, ...command]
  const { status, stdout, stderr } = spawnSync(first, rest, {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  return [status, stdout + stderr]
}

/** Fills the disk. The program may use the last space first, and then the disk is as full as intended. */
function fillWith(file: string, size: number): void {
  try {
    writeFileSync(file, Buffer.alloc(size))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
}

/** A limit on the file size of the program: writes beyond it fail (EFBIG). */
export function limitedFileSize(): SmallDiskKind {
  if (!succeeds(['prlimit', '--version'])) return undefined

  return async (scope) => {
    const directory = temporaryDirectory(scope)
    const copies = temporaryDirectory(scope)
    const program = await aProgram(scope, directory)
    const limit = (soft: string) =>
      spawnSync('prlimit', ['--pid', String(program.process.pid), `--fsize=${soft}:`])
    return {
      program,
      stop: (...args) => runStop(['prlimit', '--fsize=4096:'], directory, args),
      // Less than any commit needs, wherever in the WAL it would begin.
      fill: () => limit('4096'),
      free: () => limit('unlimited'),
      copyStore: () => copyStore(directory, copies),
    }
  }
}

function runStop(within: readonly string[], directory: string, args: readonly string[]) {
  const [command = '', ...rest] = [...within, process.execPath, CLI, 'stop', '--data', directory, ...args]
  const { status, stdout, stderr } = spawnSync(command, rest, { encoding: 'utf8' })
  return [status, stdout + stderr] as const
}

function succeeds([command, ...args]: readonly string[]): boolean {
  return spawnSync(command ?? '', args).status === 0
}

function copyStore(from: string, copies: string): string {
  const to = join(copies, String(process.hrtime.bigint()))
  mkdirSync(to)
  // The store must contain everything that the checkpoint covers, so the checkpoint is copied first.
  for (const name of ['checkpoint', 'keys.json', 'deputy.db', 'deputy.db-wal'])
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name))
  return to
}
