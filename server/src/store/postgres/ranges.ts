import { integer, type Row } from '../values.ts'
import type { Database } from './connect.ts'
import { rowsOf } from './reading.ts'

const ROWS_AT_A_TIME = 10_000

/** A part of an index: what belongs to `key` and comes after a place, in whatever sense the question has. */
export interface Range {
  readonly key: number
  readonly after: number | Uint8Array
}

/**
 * Reads many ranges together, however long each is, a bounded number of rows at a time. The question gets the keys, the
 * places, then the values, then how many rows it may answer for each range; it answers them with the `range_key` of
 * their range and their `place`, in order within each range.
 */
export async function* pagesOfRanges(
  database: Database,
  sql: string,
  ranges: readonly Range[],
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
      return own.length < limit ? [] : [{ key, after: own.at(-1)?.place as Range['after'] }] // as it was asked for
    })
  }
}
