import type { StoredRecord } from '../../../domain/record.ts'
import { graphStretch } from '../../graph-stretch.ts'
import { EVERY_DENIAL, EVERY_RECORD } from '../../port/filters.ts'
import type { GraphExtra, GraphPage, GraphPosition, Lineage } from '../../port/workflow-reader.ts'
import { PAGE_WORK_MS } from '../../searches.ts'
import { integer, text } from '../../values.ts'
import type { Database } from '../connect.ts'
import type { Entries, EntryTable } from './entries.ts'
import { searchIn } from './pages.ts'
import { type Reading, rowsOf } from './reading.ts'
import { chainsOf } from './tokens.ts'
import { upwardEntryPage } from './upward-pages.ts'

const TOKENS_AT_A_TIME = 2_000

/** Actions are counted at every token of a chain: if a token has none, neither it nor any descendant has acted. */
const TOKENS = `
  SELECT t.token_key, t.jti, coalesce(s.actions, 0) = 0 AS is_idle
  FROM workflows w JOIN tokens t ON t.workflow_key = w.workflow_key
    LEFT JOIN token_states s ON s.token_key = t.token_key
  WHERE w.provenance_ref = ? AND t.token_key >= ? ORDER BY t.token_key LIMIT ${TOKENS_AT_A_TIME}`

/** Reads a page of the graph of a workflow's actions and tokens, as of one moment. */
export function graphPage(
  reading: Reading,
  tables: Entries,
  request: GraphRequest,
  position: GraphPosition,
): Promise<GraphPage> {
  return reading.atOneMoment(async (database) => {
    const { jtis, ...page } =
      'tokens_from' in position
        ? { ...NO_ENTRIES, ...(await idleTokens(database, request, position.tokens_from)) }
        : await entriesFrom(database, tables, request, position.records_from)
    return { ...page, chains: await chainsOf(database, jtis) }
  })
}

interface GraphRequest {
  readonly provenance_ref: string
  readonly limit: number
  readonly extras: readonly GraphExtra[]
}

const NO_ENTRIES = { records: [], denials: [], approvals: [] }
const NO_PAGE = { entries: [], from: undefined }

/** Reads entries and their tokens; after the last entry, also the first tokens without actions. */
async function entriesFrom(
  database: Database,
  { records, denials, approvals }: Entries,
  request: GraphRequest,
  from: number,
) {
  const { provenance_ref, limit, extras } = request
  const upward = { limit, from, end: undefined }
  const search = await searchIn(database, (searches) => ({
    records: searches.records({ ...EVERY_RECORD, provenance_ref }),
    denials: searches.denials({ ...EVERY_DENIAL, provenance_ref }),
    approvals: searches.approvals({ ...EVERY_DENIAL, provenance_ref, state: undefined }, 0),
  }))
  const stretch = graphStretch({
    records: await upwardEntryPage(database, records, search?.records, upward),
    denials: extras.includes('denials')
      ? await upwardEntryPage(database, denials, search?.denials, upward)
      : NO_PAGE,
    approvals: extras.includes('approvals')
      ? await upwardEntryPage(database, approvals, search?.approvals, upward)
      : NO_PAGE,
  })
  const { from: next, jtis, ...entries } = stretch
  if (next !== undefined) return { ...entries, jtis, next: { records_from: next } }
  const idle = await idleTokens(database, request, 0)
  return { ...entries, jtis: [...new Set([...jtis, ...idle.jtis])], next: idle.next }
}

async function idleTokens(database: Database, { provenance_ref, limit }: GraphRequest, tokens_from: number) {
  const started = performance.now()
  const jtis: string[] = []
  for (let from = tokens_from; ; ) {
    const rows = await rowsOf(database, TOKENS, provenance_ref, from)
    for (const row of rows) {
      from = integer(row.token_key)
      if (row.is_idle !== true) continue
      if (jtis.length === limit) return { jtis, next: { tokens_from: from } }
      jtis.push(text(row.jti))
    }
    if (rows.length < TOKENS_AT_A_TIME) return { jtis, next: undefined }
    from += 1
    if (performance.now() - started > PAGE_WORK_MS) return { jtis, next: { tokens_from: from } }
  }
}

/** A record, then its causes, then its effects, each up to one more than its limit. */
const FAMILY = `
  WITH RECURSIVE causes(log_index, parent_index, step) AS (
    SELECT log_index, parent_index, 0 FROM records WHERE aar_id = ?
    UNION ALL
    SELECT r.log_index, r.parent_index, step + 1 FROM causes JOIN records r ON r.log_index = causes.parent_index
    WHERE step <= ?
  ), effects AS (
    SELECT log_index FROM records WHERE parent_index = (SELECT log_index FROM causes WHERE step = 0)
    ORDER BY log_index LIMIT ?
  )
  SELECT log_index FROM causes UNION ALL SELECT log_index FROM effects`

/** Reads what led to a record and what it led to. Causes precede their effects in the log, so one list is enough. */
export async function lineageOf(
  database: Database,
  records: EntryTable<StoredRecord>,
  aar_id: string,
  most: { readonly causes: number; readonly effects: number },
): Promise<Lineage | undefined> {
  const family = await records.read(database, {
    sql: FAMILY,
    values: [aar_id, most.causes, most.effects + 1],
  })
  const place = family.findIndex((record) => record.aar_id === aar_id)
  const record = family[place]
  if (record === undefined) return undefined
  const causes = family.slice(0, place).reverse()
  const effects = family.slice(place + 1)
  return {
    record,
    causes: causes.slice(0, most.causes),
    has_more_causes: causes.length > most.causes,
    effects: effects.slice(0, most.effects),
    has_more_effects: effects.length > most.effects,
  }
}
