import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { integer, type Row } from '../../values.ts'

/** The most rows that a query for `rowsOf` returns. */
export const PAGE = 256

/** Yields all rows of a query that pages by its last parameter. Other requests run between pages. */
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

/** Runs `read` on one snapshot of the store. It must be synchronous. */
export function atOnce<T>(db: DatabaseSync, read: () => T): T {
  db.exec('BEGIN')
  try {
    return read()
  } finally {
    db.exec('COMMIT')
  }
}
