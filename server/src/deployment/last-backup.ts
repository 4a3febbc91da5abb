import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDurably } from '../keys/write-durably.ts'

const FILE = 'last-backup'
/** It holds a time and nothing else, and the service may run as another user than the command. */
const READABLE = 0o644

/** Leaves the time of a backup in the data directory, for metrics. A directory that cannot be written loses nothing. */
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

/** When the last backup was taken, as far as the data directory says. */
export function lastBackup(data_dir: string): number | undefined {
  try {
    const ms = Date.parse(readFileSync(join(data_dir, FILE), 'utf8').trim())
    return Number.isNaN(ms) ? undefined : ms
  } catch {
    return undefined
  }
}
