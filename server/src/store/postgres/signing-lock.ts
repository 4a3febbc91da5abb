import { connectionPool } from './connect.ts'
import { LOCKS } from './locks.ts'

/** Lets one node at a time sign. A connection of its own holds the lock, which ends with it however that ends. */
export interface SigningTurn {
  /** Does the work unless another node is at it. */
  take(work: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

export function signingTurn(url: string): SigningTurn {
  const pool = connectionPool(url, 'signing', 1)
  return {
    async take(work) {
      const client = await pool.connect()
      let isSound = false
      try {
        const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS is_ours', [LOCKS.sign])
        if (rows[0]?.is_ours === true) {
          await work()
          await client.query('SELECT pg_advisory_unlock($1)', [LOCKS.sign])
        }
        isSound = true
      } finally {
        client.release(!isSound) // a connection that is thrown away gives its lock back
      }
    },
    close: () => pool.end(),
  }
}
