import type { DatabaseSync } from 'node:sqlite'
import { MOST_TOTALLED, type Page, type PageRequest, type Total } from '../../port/pages.ts'
import { totalOf } from '../../rows/page.ts'
import {
  type Condition,
  KEY_QUERIES,
  PAGE_WORK_MS,
  type Search,
  type Searches,
  searches,
} from '../../searches.ts'
import { integer, optionalInteger } from '../../values.ts'
import type { EntryTable } from './entries.ts'

export const FIRST_WINDOW = 20_000
export const LARGEST_WINDOW = 1_000_000
const MERGED_TOKENS = 64

/** Finds and counts entries of one table. An undefined search matches nothing. */
export interface Pager<T> {
  page(search: Search | undefined, request: PageRequest): Page<T>
  count(search: Search | undefined): Total
}

/**
 * Reads pages from new to old. A filter may match almost nothing, so the log is searched in growing windows, and a page
 * ends early rather than block other requests. Entries are first found by log index, and only those on the page are
 * read.
 */
export function pager<T>(db: DatabaseSync, { name: table, at: entryAt }: EntryTable<T>): Pager<T> {
  const firstAt = timeSearch(db, table)
  const lastOf = db.prepare(`SELECT max(log_index) AS last FROM ${table}`)

  /** Returns the newest matching log indexes, at most one more than `limit`, and where to continue if not done. */
  function newest(search: Search, { limit, before }: PageRequest) {
    const end = (optionalInteger(lastOf.get()?.last) ?? -1) + 1
    const { from_ms, to_ms } = search.range
    const bottom = from_ms === undefined ? 0 : firstAt(from_ms, end)
    const find = finder(db, table, search, 'DESC')
    const found: number[] = []
    const started = performance.now()
    let high = Math.min(before ?? end, to_ms === undefined ? end : firstAt(to_ms, end))
    for (let window = FIRST_WINDOW; high > bottom; window = Math.min(window * 2, LARGEST_WINDOW)) {
      const low = Math.max(bottom, high - window)
      found.push(...find(low, high, limit + 1 - found.length))
      high = low
      if (found.length > limit || performance.now() - started > PAGE_WORK_MS) break
    }
    return { found, rest: high > bottom ? high : undefined }
  }

  return {
    page(search, request) {
      if (search === undefined) return { entries: [], before: undefined }
      const { found, rest } = newest(search, request)
      const shown = found.slice(0, request.limit)
      const entries = shown.flatMap((log_index) => entryAt(log_index) ?? [])
      return { entries, before: found.length > request.limit ? shown.at(-1) : rest }
    },
    count(search) {
      if (search === undefined) return { count: 0, is_exact: true }
      const { found, rest } = newest(search, { limit: MOST_TOTALLED, before: undefined })
      return totalOf(found.length, rest === undefined)
    },
  }
}

/** Finds the first entry that is not older than an instant, by binary search. Entries are in time order. */
export function timeSearch(db: DatabaseSync, table: string): (ms: number, end: number) => number {
  const nextAt = db.prepare(
    `SELECT log_index, created_at_ms FROM ${table} WHERE log_index >= ? ORDER BY log_index LIMIT 1`,
  )
  return (ms, end) => {
    let low = 0
    let high = end
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const row = nextAt.get(middle)
      if (row === undefined || integer(row.created_at_ms) >= ms) high = middle
      else low = integer(row.log_index) + 1
    }
    return low
  }
}

/** Finds the log indexes of matching entries in a window, in the given order, at most `wanted`. */
type Find = (low: number, high: number, wanted: number) => number[]

/**
 * Entries are indexed by token, and filters on agents, people or workflows apply to their tokens. With few tokens, each
 * has its own ordered search and the results are merged; with many, the window is scanned.
 */
export function finder(
  db: DatabaseSync,
  table: string,
  { entry, token }: Search,
  order: 'ASC' | 'DESC',
): Find {
  if (token.length === 0) return walk(db, table, entry, order)
  const where = token.map(({ sql }) => sql).join(' AND ')
  const values = token.flatMap((condition) => condition.values)
  const keys = db
    .prepare(`SELECT token_key FROM tokens t WHERE ${where} LIMIT ${MERGED_TOKENS + 1}`)
    .all(...values)
    .map((row) => integer(row.token_key))
  if (keys.length > MERGED_TOKENS) {
    const sql = `EXISTS (SELECT 1 FROM tokens t WHERE t.token_key = e.token_key AND ${where})`
    return walk(db, table, [...entry, { sql, values }], order)
  }
  const searches = keys.map((key) =>
    walk(db, table, [{ sql: 'e.token_key = ?', values: [key] }, ...entry], order),
  )
  const sign = order === 'ASC' ? 1 : -1
  return (low, high, wanted) =>
    searches
      .flatMap((search) => search(low, high, wanted))
      .sort((a, b) => sign * (a - b))
      .slice(0, wanted)
}

function walk(
  db: DatabaseSync,
  table: string,
  conditions: readonly Condition[],
  order: 'ASC' | 'DESC',
): Find {
  const where = ['e.log_index >= ?', 'e.log_index < ?', ...conditions.map(({ sql }) => sql)].join(' AND ')
  const query = db.prepare(
    `SELECT e.log_index FROM ${table} e WHERE ${where} ORDER BY e.log_index ${order} LIMIT ?`,
  )
  const values = conditions.flatMap((condition) => condition.values)
  return (low, high, wanted) => query.all(low, high, ...values, wanted).map((row) => integer(row.log_index))
}

/** Makes searches from filters. */
export function searchesIn(db: DatabaseSync): Searches {
  const find = {
    name: db.prepare(KEY_QUERIES.name),
    agent: db.prepare(KEY_QUERIES.agent),
    human: db.prepare(KEY_QUERIES.human),
    workflow: db.prepare(KEY_QUERIES.workflow),
  }
  return searches(
    (kind, text) => optionalInteger(find[kind].get(text)?.key),
    (column) => `+${column}`, // SQLite has no statistics on how many rows have a value
  )
}
