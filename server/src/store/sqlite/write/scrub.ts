import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreError } from '../../port/store-error.ts'
import type { Commits } from './commits.ts'

const PATIENCE_MS = 4_000
const PAUSE_MS = 20
const BUSY_MS = 50

/**
 * Clears every copy of overwritten or deleted data from the files. The writing connection overwrites deleted data with
 * zeros, so old copies can remain only in the write-ahead log and in the journal, which are emptied here. Readers and
 * the checkpoint thread may delay that for moments.
 */
export async function scrub(db: DatabaseSync, commits: Commits): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  let cause: unknown
  do {
    try {
      await commits.publish()
      // In one turn of the event loop, so that no batch begins in between.
      if (!commits.isHidden() && emptyLog(db)) return commits.clear()
      cause = new Error('a reader holds the write-ahead log')
    } catch (error) {
      cause = error
    }
    await sleep(PAUSE_MS)
  } while (performance.now() < end)
  throw new StoreError('the write-ahead log could not be emptied', 'committed', cause)
}

/** Clears copies that a killed process left behind. Its erasure was not acknowledged yet. */
export function clearLeftovers(db: DatabaseSync): void {
  try {
    emptyLog(db)
  } catch {
    // The first write reports a failing disk, and a repeated erasure clears the copies too.
  }
}

/** Empties the write-ahead log. Returns whether every page is in the store's file and the log is empty. */
export function emptyLog(db: DatabaseSync): boolean {
  const patience = db.prepare('PRAGMA busy_timeout').get()?.timeout
  db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
  try {
    return db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0
  } finally {
    db.exec(`PRAGMA busy_timeout = ${patience}`)
  }
}
