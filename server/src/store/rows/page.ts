import type { Page } from '../port.ts'
import { integer, type Row } from '../values.ts'

/** A page of rows, of which one more was read than fits: where it goes on is the key of the last that is shown. */
export function pageOf<T>(rows: readonly Row[], limit: number, read: (row: Row) => T, key: string): Page<T> {
  const before = rows.length > limit ? integer(rows[limit - 1]?.[key]) : undefined
  return { entries: rows.slice(0, limit).map(read), before }
}
