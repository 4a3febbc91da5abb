import type { DatabaseSync } from 'node:sqlite'
import type { UpwardPage, UpwardRequest } from '../../port/pages.ts'
import type { Search } from '../../searches.ts'
import { PAGE_WORK_MS } from '../../searches.ts'
import { optionalInteger } from '../../values.ts'
import type { EntryTable } from './entries.ts'
import { FIRST_WINDOW, finder, LARGEST_WINDOW, timeSearch } from './pages.ts'

/** Finds a page in log order. An undefined search matches nothing. */
export type UpwardPager<T> = (search: Search | undefined, request: UpwardRequest) => UpwardPage<T>

/** Reads pages from old to new, otherwise like `pager`. */
export function upwardPager<T>(
  db: DatabaseSync,
  { name: table, at: entryAt }: EntryTable<T>,
): UpwardPager<T> {
  const firstAt = timeSearch(db, table)
  const lastOf = db.prepare(`SELECT max(log_index) AS last FROM ${table}`)

  return (search, { limit, from, end }) => {
    if (search === undefined) return { entries: [], from: undefined }
    const size = (optionalInteger(lastOf.get()?.last) ?? -1) + 1
    const { from_ms, to_ms } = search.range
    const top = Math.min(end ?? size, to_ms === undefined ? size : firstAt(to_ms, size))
    const find = finder(db, table, search, 'ASC')
    const found: number[] = []
    const started = performance.now()
    let low = Math.max(from, from_ms === undefined ? 0 : firstAt(from_ms, size))
    for (let window = FIRST_WINDOW; low < top; window = Math.min(window * 2, LARGEST_WINDOW)) {
      const high = Math.min(top, low + window)
      found.push(...find(low, high, limit + 1 - found.length))
      low = high
      if (found.length > limit || performance.now() - started > PAGE_WORK_MS) break
    }
    const entries = found.slice(0, limit).flatMap((log_index) => entryAt(log_index) ?? [])
    if (found.length > limit) return { entries, from: found[limit] }
    return { entries, from: low < top ? low : undefined }
  }
}
