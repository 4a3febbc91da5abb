import { lowestIndexes, type Places } from '../../lowest-indexes.ts'
import type { StoredLeaf } from '../../port/log-reader.ts'
import { integer, optionalInteger, text } from '../../values.ts'
import type { Database } from '../connect.ts'
import { pagesOfRanges } from './ranges.ts'
import { pagesOf, rowsOf } from './reading.ts'
import { tokensOfWorkflow } from './workflow-names.ts'

/** The most places in the log that are held in memory at a time. */
const MOST_PLACES = 250_000
const LEAVES_AT_A_TIME = 500
const LONE_AT_A_TIME = 5_000

const LONE = `
  SELECT l.log_index FROM workflow_leaves l JOIN workflows w ON w.workflow_key = l.workflow_key
  WHERE w.provenance_ref = ? AND l.log_index < ? AND l.log_index > ? ORDER BY l.log_index LIMIT ?`

const TOKEN_OF_LEAF = `
  SELECT t.jti FROM workflows w JOIN workflow_leaves l ON l.workflow_key = w.workflow_key
  JOIN tokens t ON t.token_key = l.token_key WHERE w.provenance_ref = ? AND l.log_index = ?`

/** For each thing that a token did or asked for: its leaf, and the leaves that record its outcome. */
const DEEDS = [
  'SELECT r.log_index, r.completed_index AS second, rating.log_index AS third FROM records r LEFT JOIN ratings rating ON rating.record_index = r.log_index',
  'SELECT r.log_index, NULL::bigint AS second, NULL::bigint AS third FROM denials r',
  'SELECT r.log_index, r.decided_index AS second, NULL::bigint AS third FROM approvals r',
].map(
  (deeds) => `
    SELECT g.key AS range_key, one.log_index AS place, one.second, one.third
    FROM unnest(?::bigint[], ?::bigint[]) AS g(key, place) CROSS JOIN LATERAL (
      ${deeds} WHERE r.token_key = g.key AND r.log_index > g.place AND r.log_index < ? ORDER BY r.log_index LIMIT ?
    ) AS one ORDER BY 1, 2`,
)

/**
 * Finds every leaf of a workflow through the tables that refer to it, without scanning the log. A completion, rating or
 * decision may come long after the entry it is about, so places are collected before they are read: first the lowest
 * ones that fit, then the next, until all have been read.
 */
export async function* leavesOfWorkflow(
  database: Database,
  provenance_ref: string,
  end: number,
  most_places: number = MOST_PLACES,
): AsyncGenerator<StoredLeaf> {
  let from: number | undefined = 0
  while (from !== undefined) {
    const { sorted, next }: Places = await collect(database, provenance_ref, { from, end, most_places })
    for (let start = 0; start < sorted.length; start += LEAVES_AT_A_TIME)
      yield* await leavesAt(database, sorted.slice(start, start + LEAVES_AT_A_TIME))
    from = next
  }
}

/** Returns the token that a leaf without its own row is about. */
export async function tokenOfLeaf(
  database: Database,
  provenance_ref: string,
  log_index: number,
): Promise<string | undefined> {
  const [row] = await rowsOf(database, TOKEN_OF_LEAF, provenance_ref, log_index)
  return row && text(row.jti)
}

/** Collects the lowest places in `[from, end)`, ascending. Leaves about an entry never precede it in the log. */
async function collect(
  database: Database,
  provenance_ref: string,
  { from, end, most_places }: { from: number; end: number; most_places: number },
): Promise<Places> {
  const places = lowestIndexes(from, end, most_places)
  const lone = { sql: LONE, values: [provenance_ref, end] }
  for await (const rows of pagesOf(database, lone, 'log_index', LONE_AT_A_TIME)) {
    for (const { log_index } of rows) places.takes(integer(log_index))
    if (integer(rows.at(-1)?.log_index) >= places.bound()) break
  }
  for await (const tokens of tokensOfWorkflow(database, provenance_ref, end)) {
    const taken = tokens.filter(({ log_index }) => places.takes(integer(log_index)))
    const ranges = taken.map(({ token_key }) => ({ key: integer(token_key), after: -1 }))
    for (const deeds of DEEDS)
      for await (const rows of pagesOfRanges(database, deeds, ranges, () => [places.bound()]))
        for (const { place, second, third } of rows)
          for (const one of [place, second, third]) places.takes(optionalInteger(one) ?? end)
    if (taken.length < tokens.length) break // keys grow with the log
  }
  return places.taken()
}

async function leavesAt(database: Database, places: readonly number[]): Promise<StoredLeaf[]> {
  const rows = await rowsOf(
    database,
    'SELECT log_index, leaf FROM leaves WHERE log_index = ANY(?) ORDER BY log_index',
    places,
  )
  return rows.map((row) => ({ log_index: integer(row.log_index), text: text(row.leaf) }))
}
