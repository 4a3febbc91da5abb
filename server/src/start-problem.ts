import { accessSync, constants } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from './config.ts'
import { EXIT_CONFIG, EXIT_FAILED } from './exit-code.ts'
import { isExpectedFailure, isTemporaryFailure, RESTORE_BACKUP } from './expected-failure.ts'
import { isDamagedFile, isFullStore, isRefusedFile } from './sqlite-code.ts'
import { hasNoSpace, isFullDisk } from './store/sqlite/reserve.ts'

/** Why the service does not start, with what to do about it, and the exit code. */
export interface StartProblem {
  readonly text: string
  readonly exit_code: number
}

type Place = Pick<Config, 'host' | 'port' | 'data_dir'>

const REFUSED: readonly unknown[] = ['EACCES', 'EPERM', 'EROFS']

/**
 * Returns why a start failed. A problem that the operator can fix has the exit code 78, after which systemd doesn't
 * retry. Everything else is a failure, including what may resolve itself.
 */
export function startProblem(error: unknown, place: Place): StartProblem {
  if (isExpectedFailure(error) && isTemporaryFailure(error))
    return { text: error.message, exit_code: EXIT_FAILED }
  const text = isExpectedFailure(error)
    ? error.message
    : (addressText(error, place) ?? dataProblem(error, place.data_dir))
  return text === undefined
    ? { text: messageOf(error), exit_code: EXIT_FAILED }
    : { text, exit_code: EXIT_CONFIG }
}

/** Problems with HOST and PORT. */
function addressText(error: unknown, { host, port }: Place): string | undefined {
  const { code, syscall } = detailOf(error)
  if (syscall === 'getaddrinfo') return `HOST=${host} has no address (${code}). Set HOST to an IP address.`
  if (syscall !== 'listen') return undefined
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is in use. Stop the other program, or choose another port: PORT=8421 npm start`
  if (code === 'EADDRNOTAVAIL')
    return `HOST=${host} is not an address of this machine. Set HOST to one of its addresses, or to 0.0.0.0 for all of them.`
  if (REFUSED.includes(code))
    return `This user may not listen on port ${port} of ${host} (${code}). Set PORT to 1024 or above, and let a proxy listen on ${port}.`
  return undefined
}

/** Returns what is wrong with the data directory and how to fix it, or undefined. SQLite's errors name no file. */
export function dataProblem(error: unknown, given: string): string | undefined {
  const data_dir = resolve(given)
  const { code, syscall } = detailOf(error)
  const message = messageOf(error)
  if (isFullDisk(error) || isFullStore(error) || (isDamagedFile(error) && hasNoSpace(data_dir)))
    return `The disk of ${data_dir} is full (${message}). Free space there, then try again.`
  if (isDamagedFile(error)) return `The store in ${data_dir} is damaged: ${message}. ${RESTORE_BACKUP}`
  if (code === 'ENOENT' && syscall === 'mkdir')
    return `The directory ${data_dir} can't be created (${message}). Set DEPUTY_DATA_DIR to a directory on a disk.`
  if (code === 'EROFS' || (isRefusedFile(error) && isReadOnly(data_dir)))
    return `The file system of ${data_dir} is read-only (${message}). Mount it for writing, or set DEPUTY_DATA_DIR to a writable directory. If you did not make it read-only, the system did so after a disk error: check the system log.`
  if (REFUSED.includes(code) || isRefusedFile(error))
    return `This user${userText()} can't access ${data_dir} or a file in it: ${message}. Change the owner or the mode, or set DEPUTY_DATA_DIR to a writable directory.`
  if (code === 'ENOTDIR' || code === 'EEXIST')
    return `DEPUTY_DATA_DIR must be a directory, but ${data_dir} is not: ${message}.`
  return undefined
}

function isReadOnly(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK)
    return false
  } catch (error) {
    return detailOf(error).code === 'EROFS'
  }
}

function userText(): string {
  const user = process.getuid?.()
  return user === undefined ? '' : ` (uid ${user})`
}

function detailOf(error: unknown): { code: unknown; syscall: unknown } {
  if (!(error instanceof Error)) return { code: undefined, syscall: undefined }
  return {
    code: 'code' in error ? error.code : undefined,
    syscall: 'syscall' in error ? error.syscall : undefined,
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
