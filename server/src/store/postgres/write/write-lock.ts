import { type Client, DatabaseError } from 'pg'
import type { Row } from '../../values.ts'
import { LOCKS } from '../locks.ts'
import { HEAD } from './head.ts'

const HELD_MS = 50
/** Longer than several nodes in turn keep the lock: a longer wait means that a node hangs. */
const PATIENCE_MS = 250
/** How long a node writes without the lock after it didn't get it in time. */
const WITHOUT_MS = 5_000
const LOCK_NOT_AVAILABLE = '55P03'

const TAKE = `
  BEGIN; SET LOCAL lock_timeout = ${PATIENCE_MS}; SELECT pg_advisory_lock(${LOCKS.write}); ${HEAD}; COMMIT`

/**
 * Lets nodes that write at the same time take turns. The node that holds the lock writes several batches in a row from
 * memory; without it, it would read other nodes' changes before each batch. Only speed depends on the lock: the head
 * keeps batches in order, and a node that doesn't get the lock in time writes without it.
 */
export interface WriteLock {
  /** Whether this connection holds the lock, which ends with the connection. */
  isOurs(database: Client): boolean
  /** Waits for the lock. Returns the head at that time, or undefined if the wait timed out. */
  take(database: Client): Promise<Row | undefined>
  /** Call before a batch, so that the lock isn't released during it. */
  hold(): void
  /** Call after a batch. Releases the lock if its time is up, or once it is, unless another batch begins first. */
  rest(): void
}

export function writeLock(): WriteLock {
  let holder: Client | undefined
  let ends_at_ms = 0
  let without_until_ms = 0
  let timer: NodeJS.Timeout | undefined

  function release(): void {
    const database = holder
    holder = undefined
    // This fails only if the connection is lost or closing, and the lock ends with the connection.
    database?.query('SELECT pg_advisory_unlock($1)', [LOCKS.write]).catch(() => {})
  }

  return {
    isOurs: (database) => holder === database,
    async take(database) {
      if (performance.now() < without_until_ms) return undefined
      try {
        const answers = (await database.query(TAKE)) as unknown as { rows: Row[] }[]
        holder = database
        ends_at_ms = performance.now() + HELD_MS
        return answers[3]?.rows[0]
      } catch (error) {
        if (!(error instanceof DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) throw error
        await database.query('ROLLBACK')
        without_until_ms = performance.now() + WITHOUT_MS
        return undefined
      }
    },
    hold: () => clearTimeout(timer),
    rest() {
      if (holder === undefined) return
      const left_ms = ends_at_ms - performance.now()
      if (left_ms <= 0) release()
      else timer = setTimeout(release, left_ms)
    },
  }
}
