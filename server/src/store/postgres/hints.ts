import type { Client } from 'pg'
import { type Database, openConnection } from './connect.ts'

/** Hints between nodes. A hint only saves waiting: a node that misses one finds the change by polling. */
export const HINTS = ['keys', 'checkpoint', 'log'] as const
export type Hint = (typeof HINTS)[number]

const CHANNEL = 'deputy'
const AGAIN_MS = 2_000

export function giveHint(database: Database, hint: Hint): void {
  database.query('SELECT pg_notify($1, $2)', [CHANNEL, hint]).catch(() => {})
}

/** Receives the hints of all nodes, including its own, and reconnects when the connection is lost. */
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
    const opened = await openConnection(url, 'hints', again)
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
