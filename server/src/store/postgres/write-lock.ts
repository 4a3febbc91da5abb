import { type Client, DatabaseError } from 'pg'
import type { Row } from '../values.ts'
import { HEAD } from './head.ts'
import { LOCKS } from './locks.ts'

const KEPT_MS = 50
/** Longer than several nodes keep it one after another: whoever waits in vain waits for one that hangs. */
const PATIENCE_MS = 250
/** For so long nobody is waited for again. */
const WITHOUT_MS = 5_000
const LOCK_NOT_AVAILABLE = '55P03'

const TAKE = `
  BEGIN; SET LOCAL lock_timeout = ${PATIENCE_MS}; SELECT pg_advisory_lock(${LOCKS.write}); ${HEAD}; COMMIT`

/**
 * A courtesy between nodes that write at once. Whoever has the turn writes a few batches in a row from memory, where it
 * would have to read again what the others changed before each. Nothing but speed depends on it: batches are still in
 * order because each advances the head, and whoever does not get the turn in time writes without it.
 */
export interface WritingTurn {
  /** Whether the turn is held by this connection, with which it also ends. */
  isOurs(database: Client): boolean
  /** Waits for the turn. Answers the head as it is then, or undefined when the turn could not be had. */
  take(database: Client): Promise<Row | undefined>
  /** Call before a batch: the turn is not given back in the middle of it. */
  hold(): void
  /** Call after a batch: the turn is given back when it has been long enough, or soon if nothing else is written. */
  rest(): void
}

export function writingTurn(): WritingTurn {
  let holder: Client | undefined
  let ends_at_ms = 0
  let without_until_ms = 0
  let timer: NodeJS.Timeout | undefined

  function giveBack(): void {
    const database = holder
    holder = undefined
    // It fails only where the connection is lost or about to be closed, and then the lock ends with that.
    database?.query('SELECT pg_advisory_unlock($1)', [LOCKS.write]).catch(() => {})
  }

  return {
    isOurs: (database) => holder === database,
    async take(database) {
      if (performance.now() < without_until_ms) return undefined
      try {
        const answers = (await database.query(TAKE)) as unknown as { rows: Row[] }[]
        holder = database
        ends_at_ms = performance.now() + KEPT_MS
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
      if (left_ms <= 0) giveBack()
      else timer = setTimeout(giveBack, left_ms)
    },
  }
}
