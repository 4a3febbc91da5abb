import type { Client } from 'pg'
import { connect, type Database } from './connect.ts'

/** What a node may tell the others. A hint only spares waiting: whoever misses it finds out by looking. */
export const HINTS = ['keys', 'checkpoint'] as const
export type Hint = (typeof HINTS)[number]

const CHANNEL = 'deputy'
const AGAIN_MS = 2_000

export function giveHint(database: Database, hint: Hint): void {
  database.query('SELECT pg_notify($1, $2)', [CHANNEL, hint]).catch(() => {})
}

/** Hears the hints of all nodes, its own too, on a connection that is made anew whenever it is lost. */
export function hearHints(url: string, onHint: (hint: Hint) => void): { close(): Promise<void> } {
  let client: Client | undefined
  let retry: NodeJS.Timeout | undefined
  let isClosed = false

  function again(): void {
    client?.end().catch(() => {})
    client = undefined
    clearTimeout(retry)
    if (!isClosed) retry = setTimeout(() => void open().catch(again), AGAIN_MS)
  }

  async function open(): Promise<void> {
    const opened = await connect(url, 'hints', again)
    if (isClosed) return opened.end()
    client = opened
    opened.on('notification', ({ payload }) => {
      const hint = HINTS.find((known) => known === payload)
      if (hint !== undefined) onHint(hint)
    })
    await opened.query(`LISTEN ${CHANNEL}`)
  }

  const opening = open().catch(again)
  return {
    async close() {
      isClosed = true
      clearTimeout(retry)
      await opening
      await client?.end().catch(() => {})
    },
  }
}
