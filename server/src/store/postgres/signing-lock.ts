import { connectionPool } from './connect.ts'
import { LOCKS } from './locks.ts'

/** Lets one node at a time sign. The lock belongs to its own connection and ends with it. */
export interface SigningLock {
  /** Runs the work, unless another node is doing it. */
  take(work: () => Promise<void>): Promise<void>
  /** Runs the work after any node that is doing it now has finished. Rejects if that takes too long. */
  await(work: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

export function signingLock(url: string): SigningLock {
  const pool = connectionPool(url, 'signing', 1)

  async function locked(lock: string, work: () => Promise<void>): Promise<void> {
    const client = await pool.connect()
    let isSound = false
    try {
      const { rows } = await client.query(lock, [LOCKS.sign])
      if (rows[0]?.is_ours !== false) {
        await work()
        await client.query('SELECT pg_advisory_unlock($1)', [LOCKS.sign])
      }
      isSound = true
    } finally {
      client.release(!isSound) // discarding a connection releases its lock
    }
  }

  return {
    take: (work) => locked('SELECT pg_try_advisory_lock($1) AS is_ours', work),
    await: (work) => locked('SELECT pg_advisory_lock($1)', work),
    close: () => pool.end(),
  }
}
