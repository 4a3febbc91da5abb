import type { Pool, PoolClient } from 'pg'
import type { Row } from '../../values.ts'
import type { Database } from '../connect.ts'
import { storeTrouble } from './store-trouble.ts'

/** A database to read from. Rejects with a `StoreError` while it is unavailable. */
export interface Reading extends Database {
  /** Runs `read` on one snapshot of the database. */
  atOneMoment<T>(read: (database: Database) => Promise<T>): Promise<T>
}

export function readingFrom(pool: Pool): Reading {
  return {
    query: (statement, values) => telling(pool.query<Row>(statement, values)),
    async atOneMoment(read) {
      const client = await telling(pool.connect())
      try {
        return await inTransaction(client, read)
      } catch (error) {
        client.release(true) // its state is unknown
        throw error
      }
    },
  }
}

async function inTransaction<T>(client: PoolClient, read: (database: Database) => Promise<T>): Promise<T> {
  await telling(client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'))
  const result = await read({
    query: (statement, values) => telling(client.query<Row>(statement, values)),
  })
  await telling(client.query('COMMIT'))
  client.release()
  return result
}

async function telling<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw storeTrouble(error)
  }
}

/** SQL with a question mark for each value. */
export interface Statement {
  readonly sql: string
  readonly values: readonly unknown[]
}

export async function rowsOf(database: Database, sql: string, ...values: unknown[]): Promise<Row[]> {
  return (await database.query(numbered(sql), values)).rows
}

function numbered(sql: string): string {
  let number = 0
  return sql.replaceAll('?', () => {
    number += 1
    return `$${number}`
  })
}

/** Reads the rows of a key. */
export type KeyedRead = (database: Database, ...values: unknown[]) => Promise<Row[]>

/**
 * Prepares a read that many calls make. Planning it takes the database several times as long as running it, so each
 * connection plans it once. It must find its rows by an index, so that one plan suits every value, and name its
 * columns: `*` would fail once a migration has added one.
 */
export function keyedRead(name: string, sql: string): KeyedRead {
  const statement = { name: `read_${name}`, text: numbered(sql) }
  return async (database, ...values) => (await database.query({ ...statement, values })).rows
}

/** Yields all rows of a query that pages by key. Its last two parameters are the key and the limit. */
export async function* pagesOf(
  database: Database,
  { sql, values }: Statement,
  key: string,
  at_a_time: number,
): AsyncGenerator<Row[]> {
  let after: unknown = -1
  for (;;) {
    const rows = await rowsOf(database, sql, ...values, after, at_a_time)
    if (rows.length > 0) yield rows
    if (rows.length < at_a_time) return
    after = rows.at(-1)?.[key]
  }
}
