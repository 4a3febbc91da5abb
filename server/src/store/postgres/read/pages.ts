import type { TimeRange } from '../../port/filters.ts'
import { MOST_TOTALLED, type Page, type PageRequest, type Total } from '../../port/pages.ts'
import { totalOf } from '../../rows/page.ts'
import {
  type Condition,
  type Interned,
  KEY_QUERIES,
  type KeyCondition,
  type Search,
  type Searches,
  searches,
} from '../../searches.ts'
import { integer, optionalInteger } from '../../values.ts'
import type { Database } from '../connect.ts'
import type { EntryTable } from './entries.ts'
import { rowsOf, type Statement } from './reading.ts'
import { type Order, type Stretch, searchWindows } from './windows.ts'

/** With more tokens than this, the window is scanned instead. */
const MERGED_TOKENS = 64
/** The most tokens that are examined to find those few. */
const TOKENS_LOOKED_AT = 1_000

/**
 * Reads pages from new to old. A filter may match almost nothing, so the log is searched in growing windows, and a page
 * ends early rather than take long.
 */
export async function entryPage<T extends { readonly log_index: number }>(
  database: Database,
  table: EntryTable<T>,
  search: Search | undefined,
  { limit, before }: PageRequest,
): Promise<Page<T>> {
  if (search === undefined) return { entries: [], before: undefined }
  const bounds = await boundsOf(database, table.name, search.range)
  const stretch = { low: bounds.low, high: Math.min(before ?? bounds.high, bounds.high) }
  const { found, rest } = await entriesIn(database, table, search, { ...stretch, limit, order: 'DESC' })
  const entries = found.slice(0, limit)
  return { entries, before: found.length > limit ? entries.at(-1)?.log_index : rest }
}

/** Counts without reading the entries themselves. */
export async function entryCount(
  database: Database,
  { name }: Pick<EntryTable<unknown>, 'name'>,
  search: Search | undefined,
): Promise<Total> {
  if (search === undefined) return { count: 0, is_exact: true }
  const bounds = await boundsOf(database, name, search.range)
  const find = await finder(database, name, search, 'DESC', madeWithOne)
  const { found, rest } = await searchWindows(
    { ...bounds, limit: MOST_TOTALLED, order: 'DESC' },
    async (window, most) => {
      const { sql, values } = find(window, most)
      return rowsOf(database, sql, ...values)
    },
  )
  return totalOf(found.length, rest === undefined)
}

export async function entriesIn<T>(
  database: Database,
  table: EntryTable<T>,
  search: Search,
  wanted: Stretch & { readonly limit: number; readonly order: Order },
) {
  const find = await finder(database, table.name, search, wanted.order)
  return searchWindows(wanted, async (window, most) => {
    const entries = await table.read(database, find(window, most))
    return wanted.order === 'DESC' ? entries.reverse() : entries
  })
}

/** Builds a statement that finds the first entries of a window, at most `most`. */
type Find = (window: Stretch, most: number) => Statement

/**
 * Entries are indexed by token, and filters on agents, people or workflows apply to their tokens. With few tokens, each
 * has its own ordered search and the results are merged; with many, the window is scanned.
 */
async function finder(
  database: Database,
  table: string,
  search: Search,
  order: Order,
  madeWith: typeof madeWithSome = madeWithSome,
): Promise<Find> {
  if (search.token.length === 0) return walk(table, search.entry, order)
  const keys = await fewTokens(database, search.token)
  if (keys === undefined) return walk(table, [...search.entry, madeWith(search.token)], order)
  const each = walk(table, [{ sql: 'e.token_key = few.token_key', values: [] }, ...search.entry], order)
  return (window, most) => {
    const { sql, values } = each(window, most)
    return {
      sql: `SELECT one.log_index FROM unnest(?::bigint[]) AS few(token_key) CROSS JOIN LATERAL (${sql}) AS one
        ORDER BY one.log_index ${order} LIMIT ?`,
      values: [keys, ...values, most],
    }
  }
}

function walk(table: string, conditions: readonly Condition[], order: Order): Find {
  const where = ['e.log_index >= ?', 'e.log_index < ?', ...conditions.map(({ sql }) => sql)].join(' AND ')
  const values = conditions.flatMap((condition) => condition.values)
  return ({ low, high }, most) => ({
    sql: `SELECT e.log_index FROM ${table} e WHERE ${where} ORDER BY e.log_index ${order} LIMIT ?`,
    values: [low, high, ...values, most],
  })
}

function madeWithSome(conditions: readonly Condition[]): Condition {
  const where = conditions.map(({ sql }) => sql).join(' AND ')
  return {
    sql: `EXISTS (SELECT 1 FROM tokens t WHERE t.token_key = e.token_key AND ${where})`,
    values: conditions.flatMap(({ values }) => values),
  }
}

/** Like `madeWithSome`, but looks up each entry's token. If many are read, a join would read all tokens. */
function madeWithOne(conditions: readonly Condition[]): Condition {
  const where = conditions.map(({ sql }) => sql).join(' AND ')
  return {
    sql: `(SELECT ${where} FROM tokens t WHERE t.token_key = e.token_key)`,
    values: conditions.flatMap(({ values }) => values),
  }
}

/** Returns the keys of all matching tokens. Undefined if there are many, or too many to examine. */
async function fewTokens(
  database: Database,
  [first, ...others]: readonly KeyCondition[],
): Promise<number[] | undefined> {
  if (first?.column === undefined) return undefined
  const most = others.length === 0 ? MERGED_TOKENS + 1 : TOKENS_LOOKED_AT
  const rest = ['true', ...others.map(({ sql }) => sql)].join(' AND ')
  const rows = await rowsOf(
    database,
    // This order, and a range instead of a value, force the planner to use the index on the column.
    `WITH near AS MATERIALIZED (
      SELECT * FROM tokens t WHERE ${first.column} BETWEEN ? AND ? ORDER BY ${first.column}, t.token_key LIMIT ${most}
    )
    SELECT all_near.looked_at, fit.token_key FROM (SELECT count(*) AS looked_at FROM near) AS all_near
      LEFT JOIN LATERAL (SELECT t.token_key FROM near t WHERE ${rest} LIMIT ${MERGED_TOKENS + 1}) AS fit ON true`,
    ...first.values,
    ...first.values,
    ...others.flatMap(({ values }) => values),
  )
  const keys = rows.map(({ token_key }) => optionalInteger(token_key)).filter((key) => key !== undefined)
  return keys.length > MERGED_TOKENS || integer(rows[0]?.looked_at) >= most ? undefined : keys
}

/** Returns the range of log indexes of the entries in a time range. Entries are in time order. */
export async function boundsOf(
  database: Database,
  table: string,
  { from_ms, to_ms }: TimeRange,
): Promise<Stretch> {
  const next = (middle: string) => `
    SELECT log_index AS place, created_at_ms AS at_ms FROM ${table} WHERE log_index >= ${middle}
    ORDER BY log_index LIMIT 1`
  const size = `SELECT coalesce(max(log_index), -1) + 1 FROM ${table}`
  return timeBounds(database, { from_ms, to_ms }, size, next)
}

/**
 * Returns the places `[low, high)` of the rows in a time range. Places must be in time order. `size` selects the first
 * free place, `next` the first row at or after a place.
 */
export async function timeBounds(
  database: Database,
  { from_ms, to_ms }: TimeRange,
  size: string,
  next: (middle: string) => string,
): Promise<Stretch> {
  const [row] = await rowsOf(
    database,
    `SELECT ${from_ms === undefined ? '0::bigint' : firstAt(size, next)} AS low,
      ${to_ms === undefined ? `(${size})` : firstAt(size, next)} AS high`,
    ...[from_ms, to_ms].filter((ms) => ms !== undefined),
  )
  return { low: integer(row?.low), high: integer(row?.high) }
}

/** Finds the first place that is not older than an instant, by binary search in one query. */
function firstAt(size: string, next: (middle: string) => string): string {
  return `(
    WITH RECURSIVE halving(low, high, ms) AS (
      SELECT 0::bigint, (${size})::bigint, ?::bigint
      UNION ALL
      SELECT CASE WHEN is_late THEN low ELSE place + 1 END, CASE WHEN is_late THEN middle ELSE high END, ms
      FROM halving CROSS JOIN LATERAL (SELECT (low + high) / 2 AS middle) AS half
        LEFT JOIN LATERAL (${next('half.middle')}) AS next ON true
        CROSS JOIN LATERAL (SELECT next.place IS NULL OR next.at_ms >= ms AS is_late) AS judged
      WHERE low < high
    ) SELECT max(low) FROM halving
  )`
}

/** Turns a filter into a search. Undefined if nothing can match. Looks up the keys of all texts in one query. */
export async function searchIn<T>(
  database: Database,
  build: (search: Searches) => T | undefined,
): Promise<T | undefined> {
  const asked: [Interned, string][] = []
  build(
    searches((kind, text) => {
      asked.push([kind, text])
      return 0
    }),
  )
  const keys = await keysOf(database, asked)
  return build(searches((kind, text) => keys.get(`${kind} ${text}`)))
}

async function keysOf(
  database: Database,
  asked: readonly (readonly [Interned, string])[],
): Promise<Map<string, number>> {
  if (asked.length === 0) return new Map()
  const columns = asked.map(([kind], place) => `(${KEY_QUERIES[kind]}) AS key_${place}`).join(', ')
  const [row] = await rowsOf(database, `SELECT ${columns}`, ...asked.map(([, text]) => text))
  return new Map(
    asked.flatMap(([kind, text], place) => {
      const key = optionalInteger(row?.[`key_${place}`])
      return key === undefined ? [] : [[`${kind} ${text}`, key] as const]
    }),
  )
}
