import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

/** A page that changes several times in a pause is copied once. */
const PAUSE_MS = 1_000

/** Copies committed pages without blocking readers or the writer, then pauses. */
function main(port: NonNullable<typeof parentPort>, file: string): void {
  const db = new DatabaseSync(file, { timeout: 1000 })
  db.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;')
  const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  const timer = setInterval(() => {
    try {
      checkpoint.get()
    } catch {
      // The writer reports a disk that refuses writes; the next round tries again.
    }
  }, PAUSE_MS)
  port.on('message', () => {
    clearInterval(timer)
    db.close()
    port.close()
  })
}

if (parentPort !== null) main(parentPort, workerData)
