import type { Client } from 'pg'
import { isDatabaseUnavailable } from './availability.ts'
import { DatabaseRefused, openConnection } from './connect.ts'

/** Host, port and database of an address, for people to read: never the user and the password. */
export function addressOf(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `${hostname}:${port || 5432}${decodeURIComponent(pathname)}`
}

/** A connection at the start, or a sentence about why there is none. */
export async function connectAtStart(url: string, name: string, statement_ms?: number): Promise<Client> {
  try {
    return await openConnection(url, name, () => {}, statement_ms)
  } catch (error) {
    throw new DatabaseRefused(`The database at ${addressOf(url)} ${problemOf(error)}.`, { cause: error })
  }
}

function problemOf(error: unknown): string {
  const reason = error instanceof Error ? reasonOf(error) : String(error)
  return isDatabaseUnavailable(error) ? `cannot be reached: ${reason}` : `rejects the connection: ${reason}`
}

/** Errors of several addresses of one host have no message of their own. */
function reasonOf(error: Error): string {
  return error instanceof AggregateError ? error.errors.map(String).join(', ') : error.message
}
