import type { DatabaseSync } from 'node:sqlite'
import { tenantOf } from '@deputize/protocol'
import type { WorkflowFilter } from '../../port/filters.ts'
import { MOST_TOTALLED, type Page, type PageRequest, type Total } from '../../port/pages.ts'
import type { WorkflowFacts } from '../../port/workflow-reader.ts'
import { MOST_LISTED_TOKENS } from '../../port.ts'
import { totalOf } from '../../rows/page.ts'
import { WORKFLOW_TOTALS, workflowFactsOf } from '../../rows/tallies.ts'
import { KEY_QUERIES, PAGE_WORK_MS, tenantCondition } from '../../searches.ts'
import { integer, optionalInteger, type Row } from '../../values.ts'
import type { TokenReader } from './tokens.ts'

/** Lists and counts workflows. */
export interface WorkflowLister {
  facts(provenance_ref: string): WorkflowFacts | undefined
  list(filter: WorkflowFilter, page: PageRequest): Page<WorkflowFacts>
  count(filter: WorkflowFilter): Total
  liveTokens(provenance_ref: string, now_ms: number): number
}

export function workflowLister(db: DatabaseSync, tokens: TokenReader): WorkflowLister {
  const keyOf = db.prepare('SELECT workflow_key FROM workflows WHERE provenance_ref = ?')
  const rootOf = db.prepare('SELECT min(token_key) AS root FROM tokens WHERE workflow_key = ?')
  const totals = db.prepare(`${WORKFLOW_TOTALS} ?`)
  const newest = db.prepare('SELECT max(workflow_key) AS key FROM workflows WHERE workflow_key < ?')
  const newestOfAgent = db.prepare(`
    SELECT workflow_key AS key FROM tokens
    WHERE agent_key = (SELECT agent_key FROM agents WHERE agent_id = ?) AND workflow_key < ?
    ORDER BY workflow_key DESC LIMIT 1`)

  const live = db.prepare(`
    SELECT count(*) AS live FROM (
      SELECT t.token_key, t.agent_key, t.log_index, t.expires_at_ms
      FROM workflows w JOIN tokens t ON t.workflow_key = w.workflow_key
      WHERE w.provenance_ref = ? ORDER BY t.token_key DESC LIMIT ${MOST_LISTED_TOKENS}
    ) newest JOIN agents a ON a.agent_key = newest.agent_key
      LEFT JOIN token_states s ON s.token_key = newest.token_key
    WHERE newest.expires_at_ms > ? AND newest.log_index >= a.revoked_below AND s.revoked_at_ms IS NULL`)

  /** Selects the newest workflow of a person, of a tenant, or of a person in a tenant. */
  function newestRoot({ human_ref, tenant_id }: WorkflowFilter) {
    const ofHuman = human_ref === undefined ? 'true' : `human_key = (${KEY_QUERIES.human})`
    // A person has fewer workflows than a tenant, so if both are named only the index on people is used.
    const ofTenant = tenantCondition(human_ref === undefined ? 'tenant_key' : '+tenant_key', { tenant_id })
    const query = db.prepare(`
      SELECT workflow_key AS key FROM tokens
      WHERE ${ofHuman} AND ${ofTenant.sql} AND parent_key IS NULL AND workflow_key < ?
      ORDER BY workflow_key DESC LIMIT 1`)
    const values = [...(human_ref === undefined ? [] : [human_ref]), ...ofTenant.values]
    return (below: number) => query.get(...values, below)
  }

  /** Finds the newest workflow below a key that matches the filter. With an agent, the person isn't checked. */
  function nextBelow(filter: WorkflowFilter): (below: number) => Row | undefined {
    const { agent_id, human_ref, tenant_id } = filter
    if (agent_id === undefined && human_ref === undefined && tenant_id === undefined)
      return (below) => newest.get(below)
    if (agent_id === undefined) return newestRoot(filter)
    if (tenant_id !== undefined && tenantOf(agent_id) !== tenant_id) return () => undefined
    return (below) => newestOfAgent.get(agent_id, below)
  }

  function factsOf(workflow_key: number): WorkflowFacts {
    const root = tokens.byKey(integer(rootOf.get(workflow_key)?.root))
    return workflowFactsOf(workflow_key, root, totals.get(workflow_key))
  }

  /** Finds the first key whose workflow is not older than an instant, by binary search. Keys are in time order. */
  function firstAt(ms: number): number {
    let low = 0
    let high = (optionalInteger(newest.get(Number.MAX_SAFE_INTEGER)?.key) ?? 0) + 1
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const key = optionalInteger(newest.get(middle + 1)?.key)
      if (key !== undefined && factsOf(key).created_at_ms >= ms) high = key
      else low = middle + 1
    }
    return low
  }

  /** Returns the keys of the workflows in a time range: from `bottom` on and below `top`. */
  function boundsOf({ from_ms, to_ms }: WorkflowFilter) {
    return {
      bottom: from_ms === undefined ? 0 : firstAt(from_ms),
      top: to_ms === undefined ? Number.MAX_SAFE_INTEGER : firstAt(to_ms),
    }
  }

  return {
    facts(provenance_ref) {
      const key = optionalInteger(keyOf.get(provenance_ref)?.workflow_key)
      return key === undefined ? undefined : factsOf(key)
    },
    list(filter, { limit, before }) {
      const { human_ref } = filter
      const { bottom, top } = boundsOf(filter)
      const entries: WorkflowFacts[] = []
      const next = nextBelow(filter)
      let below = Math.min(before ?? top, top)
      const started = performance.now()
      for (;;) {
        const key = optionalInteger(next(below)?.key)
        if (key === undefined || key < bottom) return { entries, before: undefined }
        if (entries.length === limit) return { entries, before: below }
        const facts = factsOf(key)
        if (human_ref === undefined || facts.human_ref === human_ref) entries.push(facts)
        below = key
        if (performance.now() - started > PAGE_WORK_MS) return { entries, before: below }
      }
    },
    liveTokens: (provenance_ref, now_ms) => integer(live.get(provenance_ref, now_ms)?.live),
    count(filter) {
      const { human_ref, agent_id } = filter
      const { bottom, top } = boundsOf(filter)
      const next = nextBelow(filter)
      const isTheirs = (key: number) =>
        agent_id === undefined || human_ref === undefined || factsOf(key).human_ref === human_ref
      let counted = 0
      const started = performance.now()
      for (let below = top; counted <= MOST_TOTALLED; ) {
        const key = optionalInteger(next(below)?.key)
        if (key === undefined || key < bottom) return totalOf(counted, true)
        if (isTheirs(key)) counted += 1
        below = key
        if (performance.now() - started > PAGE_WORK_MS) break
      }
      return totalOf(counted, false)
    },
  }
}
