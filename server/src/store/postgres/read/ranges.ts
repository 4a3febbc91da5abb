import { integer, type Row } from '../../values.ts'
import type { Database } from '../connect.ts'
import { rowsOf } from './reading.ts'

const ROWS_AT_A_TIME = 10_000

/** A range of an index: the rows of `key` after a place. */
export interface IndexRange {
  readonly key: number
  readonly after: number | Uint8Array
}

/**
 * Reads many ranges together, a bounded number of rows at a time. The query gets the keys, the places, the values, and
 * the limit for each range. It returns rows with the `range_key` of their range and their `place`, in order within each
 * range.
 */
export async function* pagesOfRanges(
  database: Database,
  sql: string,
  ranges: readonly IndexRange[],
  values: () => readonly unknown[],
): AsyncGenerator<Row[]> {
  let open = ranges
  while (open.length > 0) {
    const limit = Math.ceil(ROWS_AT_A_TIME / open.length)
    const keys = open.map(({ key }) => key)
    const places = open.map(({ after }) => after)
    const rows = await rowsOf(database, sql, keys, places, ...values(), limit)
    yield rows
    const byRange = Map.groupBy(rows, (row) => integer(row.range_key))
    open = open.flatMap(({ key }) => {
      const own = byRange.get(key) ?? []
      return own.length < limit ? [] : [{ key, after: own.at(-1)?.place as IndexRange['after'] }] // as queried
    })
  }
}
