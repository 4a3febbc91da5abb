import type { Chain } from '../../../domain/tokens/token.ts'
import { afterAll, topmost } from '../../paths.ts'
import type { Fitting, TokenFilter } from '../../port/filters.ts'
import { MOST_TOTALLED, type Page, type PageRequest, type Total } from '../../port/pages.ts'
import type { BlastRadius, Usage } from '../../port.ts'
import { fittingPage, totalOf } from '../../rows/page.ts'
import type { KeyCondition } from '../../searches.ts'
import { bytes, integer, text } from '../../values.ts'
import type { Database } from '../connect.ts'
import { searchIn } from './pages.ts'
import { type Reading, rowsOf } from './reading.ts'
import { chainsByKey, tokenByJti } from './tokens.ts'
import { searchWindows } from './windows.ts'

const MOST_AGENTS = 1000
const MOST_RECORDS = 50_000

/** Tokens by number, newest first. */
export async function tokenPage(
  database: Database,
  filter: TokenFilter & Fitting<Chain>,
  page: PageRequest,
): Promise<Page<Chain>> {
  const conditions = await searchIn(database, (search) => search.tokens(filter))
  if (conditions === undefined) return { entries: [], before: undefined }
  const { fits } = filter
  if (fits === undefined) {
    const { found, rest } = await tokenKeys(database, conditions, page)
    return pageOfChains(database, found, page.limit, rest)
  }
  return fittingPage(
    async (chunk) => {
      const { found, rest } = await tokenKeys(database, conditions, chunk)
      const { entries, before } = await pageOfChains(database, found, chunk.limit, rest)
      return { placed: entries.map((entry, place) => ({ entry, position: found[place] ?? 0 })), before }
    },
    fits,
    page,
  )
}

export async function countTokens(database: Database, filter: TokenFilter): Promise<Total> {
  const conditions = await searchIn(database, (search) => search.tokens(filter))
  if (conditions === undefined) return { count: 0, is_exact: true }
  const { found, rest } = await tokenKeys(database, conditions, { limit: MOST_TOTALLED, before: undefined })
  return totalOf(found.length, rest === undefined)
}

/** Returns the newest tokens that meet the conditions, at most one more than `limit`, and where to continue. */
async function tokenKeys(
  database: Database,
  conditions: readonly KeyCondition[],
  { limit, before }: PageRequest,
) {
  const where = ['t.token_key >= ?', 't.token_key < ?', ...conditions.map(({ sql }) => sql)].join(' AND ')
  const values = conditions.flatMap((condition) => condition.values)
  const [row] = await rowsOf(database, 'SELECT coalesce(max(token_key), 0) + 1 AS high FROM tokens')
  const high = Math.min(before ?? Number.MAX_SAFE_INTEGER, integer(row?.high))
  return searchWindows({ low: 0, high, limit, order: 'DESC' }, async (window, most) => {
    const sql = `SELECT t.token_key FROM tokens t WHERE ${where} ORDER BY t.token_key DESC LIMIT ?`
    const rows = await rowsOf(database, sql, window.low, window.high, ...values, most)
    return rows.map(({ token_key }) => integer(token_key))
  })
}

/** Reads everything below a token in tree order. */
export async function descendantPage(
  database: Database,
  jti: string,
  { limit, before }: PageRequest,
): Promise<Page<Chain>> {
  const [path, end] = await rangeOf(database, jti)
  const rows = await rowsOf(
    database,
    `SELECT token_key FROM tokens
    WHERE path > greatest(?::bytea, (SELECT path FROM tokens WHERE token_key = ?)) AND path < ?
    ORDER BY path LIMIT ?`,
    path,
    before ?? null,
    end,
    limit + 1,
  )
  return pageOfChains(
    database,
    rows.map(({ token_key }) => integer(token_key)),
    limit,
    undefined,
  )
}

async function pageOfChains(
  database: Database,
  token_keys: readonly number[],
  limit: number,
  rest: number | undefined,
): Promise<Page<Chain>> {
  const shown = token_keys.slice(0, limit)
  const entries = await chainsByKey(database, shown)
  return { entries, before: token_keys.length > limit ? shown.at(-1) : rest }
}

/** Returns the range of paths of a token and everything below it. An unknown token has nothing there. */
async function rangeOf(database: Database, jti: string): Promise<[Uint8Array, Uint8Array]> {
  const path = (await tokenByJti(database, jti))?.path ?? Buffer.alloc(8)
  return [path, afterAll(path)]
}

/** Reads what revoking a token would affect, as of one moment. */
export function blastRadius(reading: Reading, jti: string, now_ms: number): Promise<BlastRadius> {
  return reading.atOneMoment(async (database) => {
    const range = await rangeOf(database, jti)
    const agents = await rowsOf(
      database,
      `SELECT DISTINCT agent_id COLLATE "C" AS agent_id FROM tokens t JOIN agents a ON a.agent_key = t.agent_key
      WHERE t.path >= ? AND t.path < ? AND t.expires_at_ms > ? ORDER BY 1 LIMIT ${MOST_AGENTS}`,
      ...range,
      now_ms,
    )
    const [pending] = await rowsOf(
      database,
      `SELECT count(*) AS pending FROM records r JOIN tokens t ON t.token_key = r.token_key
      WHERE r.state = 0 AND t.path >= ? AND t.path < ?`,
      ...range,
    )
    return {
      live_tokens: await countLiveIn(database, range, now_ms),
      agents: agents.map(({ agent_id }) => text(agent_id)),
      pending_records: integer(pending?.pending),
    }
  })
}

/** Counts the unexpired tokens in a range of paths, except those at or below a revoked one. */
export async function countLiveIn(
  database: Database,
  range: readonly [Uint8Array, Uint8Array],
  now_ms: number,
): Promise<number> {
  const revoked = await rowsOf(
    database,
    `SELECT t.path FROM token_states s JOIN tokens t ON t.token_key = s.token_key
    WHERE s.revoked_at_ms IS NOT NULL AND t.path >= ? AND t.path < ? ORDER BY t.path`,
    ...range,
  )
  const gone = topmost(revoked.map(({ path }) => bytes(path)))
  const [row] = await rowsOf(
    database,
    `SELECT (SELECT count(*) FROM tokens WHERE path >= ? AND path < ? AND expires_at_ms > ?) -
      (SELECT count(*) FROM unnest(?::bytea[], ?::bytea[]) AS gone(first, after_last)
        JOIN tokens t ON t.path >= gone.first AND t.path < gone.after_last AND t.expires_at_ms > ?) AS live`,
    ...range,
    now_ms,
    gone,
    gone.map(afterAll),
    now_ms,
  )
  return integer(row?.live)
}

/** Reads the actions and resources that a token and everything below it used. */
export async function usageOf(database: Database, jti: string): Promise<Usage> {
  const rows = await rowsOf(
    database,
    `SELECT action.name AS action, resource.name AS resource, used.records FROM (
      SELECT action_key, resource_key, count(*) AS records FROM (
        SELECT r.action_key, r.resource_key FROM tokens t JOIN records r ON r.token_key = t.token_key
        WHERE t.path >= ? AND t.path < ? LIMIT ${MOST_RECORDS}
      ) AS seen GROUP BY action_key, resource_key
    ) AS used JOIN names action ON action.name_key = used.action_key
      JOIN names resource ON resource.name_key = used.resource_key`,
    ...(await rangeOf(database, jti)),
  )
  const named = (column: 'action' | 'resource') => [...new Set(rows.map((row) => text(row[column])))].sort()
  return {
    actions: named('action'),
    resources: named('resource'),
    records_seen: rows.reduce((sum, row) => sum + integer(row.records), 0),
  }
}
