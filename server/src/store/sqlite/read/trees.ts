import type { DatabaseSync } from 'node:sqlite'
import type { Chain } from '../../../domain/tokens/token.ts'
import { afterAll } from '../../paths.ts'
import type { Fitting, TokenFilter } from '../../port/filters.ts'
import { MOST_TOTALLED, type Page, type PageRequest, type Total } from '../../port/pages.ts'
import type { BlastRadius, Usage } from '../../port.ts'
import { fittingPage, totalOf } from '../../rows/page.ts'
import type { Searches } from '../../searches.ts'
import { integer, type Row, text } from '../../values.ts'
import { liveTokens } from './live-tokens.ts'
import type { NameReader } from './names.ts'
import type { TokenReader } from './tokens.ts'

const MOST_AGENTS = 1000
const MOST_RECORDS = 50_000

/** Reads lists and trees of tokens. */
export interface TreeReader {
  tokens(filter: TokenFilter & Fitting<Chain>, page: PageRequest): Promise<Page<Chain>>
  countTokens(filter: TokenFilter): Total
  descendants(jti: string, page: PageRequest): Page<Chain>
  blastRadius(jti: string, now_ms: number): BlastRadius
  usage(jti: string): Usage
}

export function treeReader(
  db: DatabaseSync,
  tokens: TokenReader,
  names: NameReader,
  search: Searches,
): TreeReader {
  const live = liveTokens(db, tokens)
  const below = db.prepare(
    'SELECT token_key, jti FROM tokens WHERE path > ? AND path < ? ORDER BY path LIMIT ?',
  )
  const pathOf = db.prepare('SELECT path FROM tokens WHERE token_key = ?')
  const agentsBelow = db.prepare(`
    SELECT DISTINCT agent_id FROM tokens t JOIN agents a ON a.agent_key = t.agent_key
    WHERE t.path >= ? AND t.path < ? AND t.expires_at_ms > ? ORDER BY agent_id LIMIT ${MOST_AGENTS}`)
  const pendingBelow = db.prepare(`
    SELECT count(*) AS pending FROM records r JOIN tokens t ON t.token_key = r.token_key
    WHERE r.state = 0 AND t.path >= ? AND t.path < ?`)
  const usedBelow = db.prepare(`
    SELECT action_key, resource_key, count(*) AS records FROM (
      SELECT r.action_key, r.resource_key FROM tokens t JOIN records r ON r.token_key = t.token_key
      WHERE t.path >= ? AND t.path < ? LIMIT ${MOST_RECORDS}
    ) GROUP BY action_key, resource_key`)

  function pageOf(rows: Row[], limit: number): Page<Chain> {
    tokens.forgetStates()
    const entries = rows.slice(0, limit).flatMap((row) => {
      const chain = tokens.chain(text(row.jti))
      return chain === undefined ? [] : [chain]
    })
    return { entries, before: rows.length > limit ? integer(rows[limit - 1]?.token_key) : undefined }
  }

  function rangeOf(jti: string): [Uint8Array, Uint8Array] {
    const path = tokens.find(jti)?.path ?? Buffer.alloc(8)
    return [path, afterAll(path)]
  }

  return {
    async tokens(filter, page) {
      const conditions = search.tokens(filter)
      if (conditions === undefined) return { entries: [], before: undefined }
      const where = ['t.token_key < ?', ...conditions.map(({ sql }) => sql)].join(' AND ')
      const values = conditions.flatMap((condition) => condition.values)
      const query = db.prepare(
        `SELECT t.token_key, t.jti FROM tokens t WHERE ${where} ORDER BY t.token_key DESC LIMIT ?`,
      )
      const rowsOfPage = ({ limit, before }: PageRequest) =>
        query.all(before ?? Number.MAX_SAFE_INTEGER, ...values, limit + 1)
      const { fits } = filter
      if (fits === undefined) return pageOf(rowsOfPage(page), page.limit)
      return fittingPage(
        async (chunk) => {
          const rows = rowsOfPage(chunk)
          const { entries, before } = pageOf(rows, chunk.limit)
          const placed = entries.map((entry, place) => ({ entry, position: integer(rows[place]?.token_key) }))
          return { placed, before }
        },
        fits,
        page,
      )
    },
    countTokens(filter) {
      const conditions = search.tokens(filter)
      if (conditions === undefined) return { count: 0, is_exact: true }
      const where = ['true', ...conditions.map(({ sql }) => sql)].join(' AND ')
      const counting = db.prepare(
        `SELECT count(*) AS counted FROM (SELECT 1 FROM tokens t WHERE ${where} LIMIT ${MOST_TOTALLED + 1})`,
      )
      return totalOf(integer(counting.get(...conditions.flatMap(({ values }) => values))?.counted), true)
    },
    descendants(jti, { limit, before }) {
      const [path, end] = rangeOf(jti)
      const last = before === undefined ? undefined : pathOf.get(before)?.path
      const start = last instanceof Uint8Array && Buffer.compare(last, path) > 0 ? last : path
      return pageOf(below.all(start, end, limit + 1), limit)
    },
    blastRadius(jti, now_ms) {
      const range = rangeOf(jti)
      return {
        live_tokens: live.below(jti, now_ms),
        agents: agentsBelow.all(...range, now_ms).map((row) => text(row.agent_id)),
        pending_records: integer(pendingBelow.get(...range)?.pending),
      }
    },
    usage(jti) {
      const rows = usedBelow.all(...rangeOf(jti))
      const named = (column: 'action_key' | 'resource_key') =>
        [...new Set(rows.map((row) => names(integer(row[column]))))].sort()
      return {
        actions: named('action_key'),
        resources: named('resource_key'),
        records_seen: rows.reduce((sum, row) => sum + integer(row.records), 0),
      }
    },
  }
}
