import { setImmediate } from 'node:timers/promises'
import { MOST_TOTALLED, type Page, type PageRequest, type Total } from '../port/pages.ts'
import { PAGE_WORK_MS } from '../searches.ts'
import { integer, type Row } from '../values.ts'

/** Cuts a page from rows that were read with one more than `limit`. The next page begins below its last row's key. */
export function pageOf<T>(rows: readonly Row[], limit: number, read: (row: Row) => T, key: string): Page<T> {
  const before = rows.length > limit ? integer(rows[limit - 1]?.[key]) : undefined
  return { entries: rows.slice(0, limit).map(read), before }
}

/** Returns a total from a count of at most one more than `MOST_TOTALLED`. */
export function totalOf(counted: number, is_complete: boolean): Total {
  return { count: Math.min(counted, MOST_TOTALLED), is_exact: is_complete && counted <= MOST_TOTALLED }
}

/** An entry that was read, and its place in the order of the list. */
export interface Placed<T> {
  readonly entry: T
  readonly position: number
}

/** Like `pageOf`, with the place of each entry. */
export function placedPage<T>(rows: readonly Row[], limit: number, read: (row: Row) => T, key: string) {
  const { entries, before } = pageOf(rows, limit, read, key)
  const placed = entries.map((entry, place) => ({ entry, position: integer(rows[place]?.[key]) }))
  return { placed, before }
}

/** How many entries are read at a time for a page with a rule. */
const LOOKED_AT = 200

/**
 * Reads a page of the entries that `fits` accepts, in chunks from newest to oldest. Ends the page early rather than
 * take long.
 */
export async function fittingPage<T>(
  read: (
    page: PageRequest,
  ) => Promise<{ readonly placed: readonly Placed<T>[]; readonly before: number | undefined }>,
  fits: (entry: T) => boolean,
  { limit, before }: PageRequest,
): Promise<Page<T>> {
  const entries: T[] = []
  const started = performance.now()
  let from = before
  for (;;) {
    const chunk = await read({ limit: LOOKED_AT, before: from })
    for (const [place, { entry, position }] of chunk.placed.entries()) {
      if (!fits(entry)) continue
      entries.push(entry)
      const isLast = chunk.before === undefined && place === chunk.placed.length - 1
      if (entries.length === limit) return { entries, before: isLast ? undefined : position }
    }
    if (chunk.before === undefined || performance.now() - started > PAGE_WORK_MS)
      return { entries, before: chunk.before }
    from = chunk.before
    await setImmediate()
  }
}
