import type { Client } from 'pg'
import { isDatabaseUnavailable } from './availability.ts'
import { DatabaseAway, DatabaseRefused, openConnection } from './connect.ts'

/** Returns an address's host, port and database for people to read, never the user or the password. */
export function addressOf(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `${hostname}:${port || 5432}${decodeURIComponent(pathname)}`
}

/** Connects at start, or throws an error whose message says why that failed. */
export async function connectAtStart(url: string, name: string, statement_ms?: number): Promise<Client> {
  try {
    return await openConnection(url, name, () => {}, statement_ms)
  } catch (error) {
    const reason = error instanceof Error ? reasonOf(error) : String(error)
    const place = `The database at ${addressOf(url)}`
    if (isDatabaseUnavailable(error))
      throw new DatabaseAway(`${place} cannot be reached: ${reason}.`, { cause: error })
    throw new DatabaseRefused(`${place} rejects the connection: ${reason}.`, { cause: error })
  }
}

/** The error for several addresses of one host has no message of its own. */
function reasonOf(error: Error): string {
  return error instanceof AggregateError ? error.errors.map(String).join(', ') : error.message
}
