import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreError } from '../port.ts'

const PATIENCE_MS = 4_000
const PAUSE_MS = 20
const BUSY_MS = 50

/**
 * Clears every copy of what was overwritten or deleted out of the files. The writing connection overwrites with zeros
 * what it deletes, so old copies can lie only in the write-ahead log, which is emptied here. Readers and the checkpoint
 * thread hold that up for moments; other batches are carried out meanwhile.
 */
export async function scrub(db: DatabaseSync): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  let cause: unknown
  do {
    try {
      if (emptyLog(db)) return
      cause = new Error('somebody is reading the store')
    } catch (error) {
      cause = error
    }
    await sleep(PAUSE_MS)
  } while (performance.now() < end)
  throw new StoreError('the log of pages could not be emptied', 'committed', cause)
}

/** A process that was killed may have left copies of what it had just destroyed. Nobody was told that they were gone. */
export function clearLeftovers(db: DatabaseSync): void {
  try {
    emptyLog(db)
  } catch {
    // A disk that refuses is reported by the first write; a repeated erasure clears them as well.
  }
}

/** Whether every page is in the store file and the write-ahead log is empty. */
export function emptyLog(db: DatabaseSync): boolean {
  const patience = db.prepare('PRAGMA busy_timeout').get()?.timeout
  db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
  try {
    return db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0
  } finally {
    db.exec(`PRAGMA busy_timeout = ${patience}`)
  }
}
