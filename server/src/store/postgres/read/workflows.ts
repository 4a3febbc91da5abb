import { tenantOf } from '@deputize/protocol'
import { EVERY_TOKEN, type TokenFilter, type WorkflowFilter } from '../../port/filters.ts'
import { MOST_TOTALLED, type Page, type PageRequest, type Total } from '../../port/pages.ts'
import type { WorkflowFacts } from '../../port/workflow-reader.ts'
import { MOST_LISTED_TOKENS, type WorkflowCounters } from '../../port.ts'
import { totalOf } from '../../rows/page.ts'
import { countersOf, TALLY, WORKFLOW_TOTALS, workflowFactsOf } from '../../rows/tallies.ts'
import { storedToken } from '../../rows/tokens.ts'
import type { Condition } from '../../searches.ts'
import { PAGE_WORK_MS } from '../../searches.ts'
import { integer, optionalInteger, type Row, text } from '../../values.ts'
import type { Database } from '../connect.ts'
import { searchIn, timeBounds } from './pages.ts'
import { keyedRead, rowsOf } from './reading.ts'
import type { Stretch } from './windows.ts'

/** How many of an agent's workflows are examined together to find those of one person. */
const LOOKED_AT = 500

/** The facts of the workflows whose keys are in `w`: each one's root token and totals. */
const FACTS = `
  SELECT w.workflow_key, root.claims, root.jwt_hash, root.issued_at_ms, root.log_index, totals.*
  FROM w CROSS JOIN LATERAL (
      SELECT t.claims, t.jwt_hash, t.issued_at_ms, t.log_index FROM tokens t
      WHERE t.workflow_key = w.workflow_key ORDER BY t.token_key LIMIT 1
    ) AS root CROSS JOIN LATERAL (${WORKFLOW_TOTALS} w.workflow_key) AS totals
  ORDER BY w.workflow_key DESC`

export async function workflowKey(database: Database, provenance_ref: string): Promise<number | undefined> {
  const [row] = await rowsOf(
    database,
    'SELECT workflow_key FROM workflows WHERE provenance_ref = ?',
    provenance_ref,
  )
  return optionalInteger(row?.workflow_key)
}

const TALLIES = keyedRead(
  'workflow_tallies',
  `SELECT tally.kind, tally.count, name FROM workflows w
    LEFT JOIN workflow_tallies tally ON tally.workflow_key = w.workflow_key AND tally.kind <> ${TALLY.agent}
    LEFT JOIN names ON tally.kind >= ${TALLY.action} AND name_key = tally.subject
  WHERE w.provenance_ref = ? ORDER BY tally.kind, name COLLATE "C"`,
)

export async function workflowCounters(
  database: Database,
  provenance_ref: string,
): Promise<WorkflowCounters | undefined> {
  const rows = await TALLIES(database, provenance_ref)
  return rows.length === 0 ? undefined : countersOf(rows)
}

const FACTS_OF_WORKFLOW = keyedRead(
  'workflow_facts',
  `WITH w AS (SELECT workflow_key FROM workflows WHERE provenance_ref = ?) ${FACTS}`,
)

export async function workflowFacts(
  database: Database,
  provenance_ref: string,
): Promise<WorkflowFacts | undefined> {
  const [row] = await FACTS_OF_WORKFLOW(database, provenance_ref)
  return row && factsOf(row)
}

function factsOf(row: Row): WorkflowFacts {
  return workflowFactsOf(integer(row.workflow_key), storedToken(row), row)
}

/** Reads a page, newest first. Ends early rather than take long if few of an agent's workflows are the person's. */
export async function workflowPage(
  database: Database,
  filter: WorkflowFilter,
  { limit, before }: PageRequest,
): Promise<Page<WorkflowFacts>> {
  const source = await sourceOf(database, filter)
  if (source === undefined) return { entries: [], before: undefined }
  const bounds = await boundsOf(database, filter)
  const { human_ref } = filter
  const at_a_time = source.fits_all ? limit + 1 : Math.max(limit + 1, LOOKED_AT)
  const entries: WorkflowFacts[] = []
  const started = performance.now()
  let below = Math.min(before ?? bounds.high, bounds.high)
  for (;;) {
    const rows = await newestBelow(database, source, { low: bounds.low, high: below }, at_a_time)
    for (const row of rows) {
      if (entries.length === limit) return { entries, before: below }
      const facts = factsOf(row)
      if (human_ref === undefined || facts.human_ref === human_ref) entries.push(facts)
      below = integer(row.workflow_key)
    }
    if (rows.length < at_a_time) return { entries, before: undefined }
    if (performance.now() - started > PAGE_WORK_MS) return { entries, before: below }
  }
}

/** Counts by stepping from one workflow to the next, as pages do. */
export async function countWorkflows(database: Database, filter: WorkflowFilter): Promise<Total> {
  const source = await sourceOf(database, filter)
  if (source === undefined) return { count: 0, is_exact: true }
  if (!source.fits_all) {
    const { entries, before } = await workflowPage(database, filter, {
      limit: MOST_TOTALLED,
      before: undefined,
    })
    return totalOf(entries.length, before === undefined)
  }
  const steps = stepsBelow(source, await boundsOf(database, filter), MOST_TOTALLED + 1)
  const [row] = await rowsOf(database, `${steps.sql} SELECT count(*) AS counted FROM w`, ...steps.values)
  return totalOf(integer(row?.counted), true)
}

export async function liveTokensIn(
  database: Database,
  provenance_refs: readonly string[],
  now_ms: number,
): Promise<Map<string, number>> {
  const rows = await rowsOf(
    database,
    `SELECT w.provenance_ref, counts.live FROM workflows w CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE is_live) AS live FROM (
        SELECT t.expires_at_ms > ? AND
          t.log_index >= (SELECT revoked_below FROM agents a WHERE a.agent_key = t.agent_key) AND
          (SELECT revoked_at_ms FROM token_states s WHERE s.token_key = t.token_key) IS NULL AS is_live
        FROM tokens t WHERE t.workflow_key = w.workflow_key ORDER BY t.token_key DESC LIMIT ${MOST_LISTED_TOKENS}
      ) AS newest
    ) AS counts
    WHERE w.provenance_ref = ANY(?)`,
    now_ms,
    provenance_refs,
  )
  return new Map(rows.map((row) => [text(row.provenance_ref), integer(row.live)]))
}

/** A table that contains workflows, and a condition that selects its rows. */
interface Source extends Condition {
  /** Whether every workflow that is found matches the filter. */
  readonly fits_all: boolean
}

/** Returns where to look for a filter's workflows. Undefined if there are none. */
async function sourceOf(
  database: Database,
  { agent_id, human_ref, tenant_id }: WorkflowFilter,
): Promise<Source | undefined> {
  if (agent_id !== undefined) {
    if (tenant_id !== undefined && tenantOf(agent_id) !== tenant_id) return undefined
    return keyedSource(database, { agent_id }, 'tokens c WHERE agent_key = ?', human_ref === undefined)
  }
  const named = [
    ...(human_ref === undefined ? [] : ['human_key = ?']),
    ...(tenant_id === undefined ? [] : ['tenant_key = ?']),
  ]
  if (named.length === 0) return { sql: 'workflows c WHERE true', values: [], fits_all: true }
  const roots = `tokens c WHERE ${named.join(' AND ')} AND parent_key IS NULL`
  return keyedSource(database, { human_ref, tenant_id }, roots, true)
}

/** Returns a source whose values are the keys of what the filter names. */
async function keyedSource(
  database: Database,
  named: Partial<TokenFilter>,
  sql: string,
  fits_all: boolean,
): Promise<Source | undefined> {
  const conditions = await searchIn(database, (search) => search.tokens({ ...EVERY_TOKEN, ...named }))
  return conditions && { sql, values: conditions.flatMap(({ values }) => values), fits_all }
}

/** Steps from each workflow to the next below it, so that one with many tokens costs no more than any other. */
function newestBelow(database: Database, source: Source, stretch: Stretch, most: number): Promise<Row[]> {
  const steps = stepsBelow(source, stretch, most)
  return rowsOf(database, `${steps.sql} ${FACTS}`, ...steps.values)
}

/** Selects the keys of a stretch's newest workflows as `w`. */
function stepsBelow({ sql, values }: Source, { low, high }: Stretch, most: number): Condition {
  const next = (below: string) => `
    SELECT c.workflow_key FROM ${sql} AND c.workflow_key >= ? AND c.workflow_key < ${below}
    ORDER BY c.workflow_key DESC LIMIT 1`
  return {
    sql: `WITH RECURSIVE steps(workflow_key, number) AS (
      SELECT (${next('?')}), 1
      UNION ALL
      SELECT (${next('steps.workflow_key')}), number + 1 FROM steps WHERE workflow_key IS NOT NULL AND number < ?
    ), w AS (SELECT workflow_key FROM steps WHERE workflow_key IS NOT NULL)`,
    values: [...values, low, high, ...values, low, most],
  }
}

/** Returns the keys of workflows in a time range. Workflows get their keys in the order in which they begin. */
function boundsOf(database: Database, range: WorkflowFilter): Promise<Stretch> {
  const next = (middle: string) => `
    SELECT w.workflow_key AS place, t.issued_at_ms AS at_ms FROM workflows w JOIN LATERAL (
      SELECT issued_at_ms FROM tokens WHERE workflow_key = w.workflow_key ORDER BY token_key LIMIT 1
    ) AS t ON true
    WHERE w.workflow_key >= ${middle} ORDER BY w.workflow_key LIMIT 1`
  return timeBounds(database, range, 'SELECT coalesce(max(workflow_key), 0) + 1 FROM workflows', next)
}
