import { readFileSync } from 'node:fs'
import { ExpectedFailure } from './expected-failure.ts'

/** What the service opens for itself: the store, its threads, up to 256 deliveries of events, and other calls. */
const OWN_FILES = 512
const LEAST_CONNECTIONS = 256
/** With fewer, hardly any caller could connect. */
const LEAST_FILES = OWN_FILES + LEAST_CONNECTIONS

/** How many files and connections this process may have open at once. Undefined where the system doesn't say or limit it. */
function openFileLimit(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const soft = /^Max open files +(\d+)/m.exec(limits)?.[1]
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined // not Linux
  }
}

/** Refuses a limit that leaves no room for callers. Reaching it fails in the middle of anything. */
export function assertOpenFiles(limit = openFileLimit()): void {
  if (limit === undefined || limit >= LEAST_FILES) return
  throw new ExpectedFailure(
    `This process may open ${limit} files and connections at once, and the service needs at least ${LEAST_FILES}. Raise the limit: LimitNOFILE in the unit of systemd, ulimits in the compose file, or "ulimit -n 4096" in a shell.`,
  )
}

/** As many connections as wanted, or as the limit leaves room for beside other files and the connections to a database. */
export function connectionsWithin(
  wanted: number,
  database_connections: number,
  limit = openFileLimit(),
): number {
  if (limit === undefined) return wanted
  return Math.min(wanted, Math.max(limit - OWN_FILES - database_connections, LEAST_CONNECTIONS))
}
