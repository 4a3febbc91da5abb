import type { Page } from '../port.ts'
import { integer, type Row } from '../values.ts'

/** Cuts a page from rows of which one more than `limit` was read. The next page begins below the last row's key. */
export function pageOf<T>(rows: readonly Row[], limit: number, read: (row: Row) => T, key: string): Page<T> {
  const before = rows.length > limit ? integer(rows[limit - 1]?.[key]) : undefined
  return { entries: rows.slice(0, limit).map(read), before }
}
