import { readFileSync } from 'node:fs'
import { ExpectedFailure } from './expected-failure.ts'

/** What the service itself opens: the store, its threads, up to 256 event deliveries, and other calls. */
const OWN_FILES = 512
const LEAST_CONNECTIONS = 256
/** With fewer, hardly any caller could connect. */
const LEAST_FILES = OWN_FILES + LEAST_CONNECTIONS

/** Returns how many files and connections this process may have open, or undefined if no limit is known. */
function openFileLimit(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const soft = /^Max open files +(\d+)/m.exec(limits)?.[1]
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined // not Linux
  }
}

/** Throws if the limit leaves no room for callers. Anything can fail midway once the limit is reached. */
export function assertOpenFiles(limit = openFileLimit()): void {
  if (limit === undefined || limit >= LEAST_FILES) return
  throw new ExpectedFailure(
    `This process may open ${limit} files and connections at once, and the service needs at least ${LEAST_FILES}. Raise the limit: LimitNOFILE in the systemd unit, ulimits in the compose file, or "ulimit -n 4096" in a shell.`,
  )
}

/** Returns the wanted number, or what other files and the database leave of the limit if that is less, but at least 256. */
export function connectionsWithin(
  wanted: number,
  database_connections: number,
  limit = openFileLimit(),
): number {
  if (limit === undefined) return wanted
  return Math.min(wanted, Math.max(limit - OWN_FILES - database_connections, LEAST_CONNECTIONS))
}
