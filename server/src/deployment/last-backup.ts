import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDurably } from '../keys/write-durably.ts'

const FILE = 'last-backup'
/** The file holds only a time, and the service may run as a different user than the command. */
const READABLE = 0o644

/**
 * Stores the time of a backup in the data directory, for metrics. Nothing is lost if the directory can't be written.
 */
export function noteBackup(data_dir: string, taken_at: string): void {
  const path = join(data_dir, FILE)
  if (!existsSync(data_dir)) return
  try {
    writeDurably(path, `${taken_at}\n`)
    chmodSync(path, READABLE)
  } catch {
    // A backup may run as a user who can only read the directory.
  }
}

/** Returns when the last backup was taken, as far as the data directory shows. */
export function lastBackup(data_dir: string): number | undefined {
  try {
    const ms = Date.parse(readFileSync(join(data_dir, FILE), 'utf8').trim())
    return Number.isNaN(ms) ? undefined : ms
  } catch {
    return undefined
  }
}
