import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { integer, type Row } from '../values.ts'

/** How many rows a query for `rowsOf` answers at most. */
export const PAGE = 256

/** All rows of a query that pages by its last parameter. Between pages other requests have their turn. */
export async function* rowsOf(
  query: StatementSync,
  key: string,
  ...parameters: number[]
): AsyncGenerator<Row> {
  let after = 0
  for (;;) {
    const rows = query.all(...parameters, after)
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return
    after = integer(last[key])
    await setImmediate()
  }
}

/** What `read` sees is one moment of the store, whatever is written meanwhile. It must not wait for anything. */
export function atOnce<T>(db: DatabaseSync, read: () => T): T {
  db.exec('BEGIN')
  try {
    return read()
  } finally {
    db.exec('COMMIT')
  }
}
