import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { APPROVAL_STATES, type ApprovalState } from '../../domain/approval.ts'
import type { ApprovalFilter, Page, PageRequest, RecordFilter, TimeRange, TokenFilter } from '../port.ts'
import { integer, levelKey, optionalInteger, ratingKey, stateKey } from '../values.ts'

export const FIRST_WINDOW = 20_000
export const LARGEST_WINDOW = 1_000_000
export const PAGE_WORK_MS = 50
const MERGED_TOKENS = 64

export interface Condition {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

/** What to look for. `entry` is about the entry itself, `token` about the token it was made with. */
export interface Search {
  readonly entry: readonly Condition[]
  readonly token: readonly Condition[]
  readonly range: TimeRange
}

/** Finds a page of one table. Undefined instead of a search means that nothing can match. */
export type Pager<T> = (search: Search | undefined, request: PageRequest) => Page<T>

/**
 * Pages from new to old. A filter may match almost nothing, so the log is searched in growing windows and a page ends
 * early rather than hold everybody up: it then says where to go on. Entries are found by number first, and only those
 * that make it onto the page are read.
 */
export function pager<T>(
  db: DatabaseSync,
  table: 'records' | 'denials' | 'approvals',
  entryAt: (log_index: number) => T | undefined,
): Pager<T> {
  const firstAt = timeSearch(db, table)
  const lastOf = db.prepare(`SELECT max(log_index) AS last FROM ${table}`)

  return (search, { limit, before }) => {
    if (search === undefined) return { entries: [], before: undefined }
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
    const shown = found.slice(0, limit)
    const entries = shown.flatMap((log_index) => entryAt(log_index) ?? [])
    if (found.length > limit) return { entries, before: shown.at(-1) }
    return { entries, before: high > bottom ? high : undefined }
  }
}

/** The first log index whose entry is not older than an instant: entries are in order of time, so halving finds it. */
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

/** Numbers of matching entries in a window, in the order that was asked for, at most `wanted`. */
type Find = (low: number, high: number, wanted: number) => number[]

/**
 * Entries are indexed by token. A filter on agents, people or workflows is one on their tokens: with a few, each has
 * its own ordered search and the results are merged; with many, their entries are dense enough to be met by walking.
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

/** Makes searches from filters, looking the keys of texts up first. */
export type Searches = ReturnType<typeof searches>

export function searches(db: DatabaseSync) {
  const find = {
    name: db.prepare('SELECT name_key AS key FROM names WHERE name = ?'),
    agent: db.prepare('SELECT agent_key AS key FROM agents WHERE agent_id = ?'),
    human: db.prepare('SELECT human_key AS key FROM humans WHERE human_ref = ?'),
    workflow: db.prepare('SELECT workflow_key AS key FROM workflows WHERE provenance_ref = ?'),
  }

  /** A condition on the key of a text: none without a text, 'nothing' when no such text was ever stored. */
  function keyed(sql: string, kind: keyof typeof find, text: string | undefined): Condition[] | 'nothing' {
    if (text === undefined) return []
    const key = find[kind].get(text)?.key
    return key === undefined || key === null ? 'nothing' : [{ sql, values: [key] }]
  }

  function ofTokens({ agent_id, human_ref, provenance_ref, assurance_level }: TokenFilter) {
    return all([
      keyed('t.agent_key = ?', 'agent', agent_id),
      keyed('t.human_key = ?', 'human', human_ref),
      keyed('t.workflow_key = ?', 'workflow', provenance_ref),
      // The index on levels leaves L1 out, so the condition must say so too.
      assurance_level === undefined
        ? []
        : [
            {
              sql: assurance_level === 'L1' ? 't.level = ?' : 't.level = ? AND t.level > 1',
              values: [levelKey(assurance_level)],
            },
          ],
    ])
  }

  function ofRecords({ action, resource, result, state, rating }: RecordFilter) {
    return all([
      keyed('e.action_key = ?', 'name', action),
      keyed('e.resource_key = ?', 'name', resource),
      // The index on results leaves success out, so the condition must say so too.
      keyed(
        result === 'success' ? 'e.result_key = ?' : 'e.result_key = ? AND e.result_key <> 1',
        'name',
        result,
      ),
      state === undefined ? [] : [stateCondition(state)],
      rating === undefined
        ? []
        : [
            {
              sql: 'e.log_index IN (SELECT record_index FROM ratings WHERE rating = ?)',
              values: [ratingKey(rating)],
            },
          ],
    ])
  }

  return {
    records: (filter: RecordFilter): Search | undefined =>
      search(ofRecords(filter), ofTokens(filter), filter),
    tokens: ofTokens,
    approvals: (filter: ApprovalFilter, now_ms: number): Search | undefined =>
      search(
        filter.state === undefined ? [] : [approvalCondition(filter.state, now_ms)],
        ofTokens(filter),
        filter,
      ),
    denials: (filter: TokenFilter & TimeRange): Search | undefined => search([], ofTokens(filter), filter),
  }
}

function search(
  entry: Condition[] | undefined,
  token: Condition[] | undefined,
  range: TimeRange,
): Search | undefined {
  return entry === undefined || token === undefined ? undefined : { entry, token, range }
}

function all(parts: readonly (Condition[] | 'nothing')[]): Condition[] | undefined {
  return parts.includes('nothing') ? undefined : parts.filter((part) => part !== 'nothing').flat()
}

/** An approval that was not decided or used in time has expired, whether or not anybody has looked since. */
function approvalCondition(state: ApprovalState, now_ms: number): Condition {
  const place = APPROVAL_STATES.indexOf(state)
  const lapsed = 'e.state < 2 AND e.used_by IS NULL AND e.expires_at_ms <= ?'
  if (state === 'denied') return { sql: 'e.state = ?', values: [place] }
  if (state === 'expired') return { sql: `(e.state = ? OR (${lapsed}))`, values: [place, now_ms] }
  return { sql: `e.state = ? AND NOT (${lapsed})`, values: [place, now_ms] }
}

/** Written so that the partial indexes on states other than completed can serve. */
function stateCondition(state: NonNullable<RecordFilter['state']>): Condition {
  if (state === 'pending') return { sql: 'e.state = 0', values: [] }
  if (state === 'completed') return { sql: 'e.state = 1', values: [] }
  return { sql: 'e.state = ? AND e.state > 1', values: [stateKey(state)] }
}
