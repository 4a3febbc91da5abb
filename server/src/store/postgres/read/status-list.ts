import { afterAll } from '../../paths.ts'
import type { Silenced } from '../../port.ts'
import { bytes, integer, type Row } from '../../values.ts'
import type { Database } from '../connect.ts'
import { pagesOfRanges } from './ranges.ts'
import { pagesOf } from './reading.ts'

const OWNERS_AT_A_TIME = 256

const STATES = `
  SELECT s.token_key, s.revoked_at_ms IS NOT NULL AS is_revoked, t.path
  FROM token_states s JOIN tokens t ON t.token_key = s.token_key
  WHERE (s.revoked_at_ms IS NOT NULL OR s.suspended_at_ms IS NOT NULL) AND s.token_key > ? ORDER BY s.token_key LIMIT ?`

const AGENTS = `
  SELECT agent_key AS key FROM agents
  WHERE (revoked_below > 0 OR suspended_at_ms IS NOT NULL) AND agent_key > ? ORDER BY agent_key LIMIT ?`

/** Keys of tokens grow with the log, so revoked tokens come first. */
const TOKENS_OF_AGENTS = `
  SELECT g.key AS range_key, one.token_key AS place, one.path, one.log_index < a.revoked_below AS is_revoked
  FROM unnest(?::bigint[], ?::bigint[]) AS g(key, place) JOIN agents a ON a.agent_key = g.key CROSS JOIN LATERAL (
    SELECT token_key, path, log_index FROM tokens
    WHERE agent_key = g.key AND token_key > g.place ORDER BY token_key LIMIT ?
  ) AS one WHERE one.log_index < a.revoked_below OR a.suspended_at_ms IS NOT NULL ORDER BY 1, 2`

const HUMANS = `
  SELECT human_key AS key FROM humans WHERE revoked_below > 0 AND human_key > ? ORDER BY human_key LIMIT ?`

const TOKENS_OF_HUMANS = `
  SELECT g.key AS range_key, one.token_key AS place, one.path, true AS is_revoked
  FROM unnest(?::bigint[], ?::bigint[]) AS g(key, place) JOIN humans p ON p.human_key = g.key CROSS JOIN LATERAL (
    SELECT token_key, path, log_index FROM tokens
    WHERE human_key = g.key AND token_key > g.place ORDER BY token_key LIMIT ?
  ) AS one WHERE one.log_index < p.revoked_below ORDER BY 1, 2`

/** The next place after a path is the path followed by a zero byte. */
const BELOW = `
  SELECT g.number AS range_key, one.path || '\\x00' AS place, one.status_index
  FROM unnest(?::bigint[], ?::bytea[]) AS g(number, place)
    JOIN unnest(?::bytea[]) WITH ORDINALITY AS ends(after_last, number) ON ends.number = g.number
    CROSS JOIN LATERAL (
      SELECT path, status_index FROM tokens
      WHERE path >= g.place AND path < ends.after_last AND expires_at_ms > ? AND status_index IS NOT NULL
      ORDER BY path LIMIT ?
    ) AS one ORDER BY 1, 2`

/** Finds the status list places of revoked and suspended tokens, a bounded number of rows at a time. */
export async function silencedTokens(database: Database, now_ms: number): Promise<Silenced> {
  const silenced = { revoked: new Set<number>(), suspended: new Set<number>() }

  /** Adds the places of tokens and their descendants. */
  async function add(tops: readonly Row[]): Promise<void> {
    for (const [is_revoked, rows] of Map.groupBy(tops, (row) => row.is_revoked === true)) {
      const paths = rows.map(({ path }) => bytes(path))
      const places = is_revoked ? silenced.revoked : silenced.suspended
      for await (const status_index of placesBelow(database, paths, now_ms)) places.add(status_index)
    }
  }

  for await (const rows of pagesOf(database, { sql: STATES, values: [] }, 'token_key', OWNERS_AT_A_TIME))
    await add(rows)
  for (const [owners, tokens] of [
    [AGENTS, TOKENS_OF_AGENTS],
    [HUMANS, TOKENS_OF_HUMANS],
  ] as const)
    for await (const page of pagesOf(database, { sql: owners, values: [] }, 'key', OWNERS_AT_A_TIME)) {
      const ranges = page.map(({ key }) => ({ key: integer(key), after: 0 }))
      for await (const rows of pagesOfRanges(database, tokens, ranges, () => [])) await add(rows)
    }
  return silenced
}

/** Yields the places of tokens at or below some paths. */
async function* placesBelow(
  database: Database,
  paths: readonly Uint8Array[],
  now_ms: number,
): AsyncGenerator<number> {
  const ends = paths.map(afterAll)
  const ranges = paths.map((path, index) => ({ key: index + 1, after: path }))
  for await (const rows of pagesOfRanges(database, BELOW, ranges, () => [ends, now_ms]))
    for (const { status_index } of rows) yield integer(status_index)
}
