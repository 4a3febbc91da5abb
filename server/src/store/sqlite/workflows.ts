import type { DatabaseSync } from 'node:sqlite'
import type { Page, PageRequest, WorkflowFacts, WorkflowFilter } from '../port.ts'
import { isOf, WORKFLOW_TOTALS, workflowFactsOf } from '../rows/tallies.ts'
import { tenantCondition } from '../searches.ts'
import { integer, optionalInteger } from '../values.ts'
import { PAGE_WORK_MS } from './pages.ts'
import type { TokenReader } from './tokens.ts'

/** Reads what workflows there are. */
export interface WorkflowLister {
  facts(provenance_ref: string): WorkflowFacts | undefined
  list(filter: WorkflowFilter, page: PageRequest): Page<WorkflowFacts>
}

export function workflowLister(db: DatabaseSync, tokens: TokenReader): WorkflowLister {
  const keyOf = db.prepare('SELECT workflow_key FROM workflows WHERE provenance_ref = ?')
  const rootOf = db.prepare('SELECT min(token_key) AS root FROM tokens WHERE workflow_key = ?')
  const totals = db.prepare(`${WORKFLOW_TOTALS} ?`)
  const newest = db.prepare('SELECT max(workflow_key) AS key FROM workflows WHERE workflow_key < ?')
  const newestOfHuman = db.prepare(`
    SELECT workflow_key AS key FROM tokens
    WHERE human_key = (SELECT human_key FROM humans WHERE human_ref = ?) AND parent_key IS NULL AND workflow_key < ?
    ORDER BY workflow_key DESC LIMIT 1`)
  const newestOfAgent = db.prepare(`
    SELECT workflow_key AS key FROM tokens
    WHERE agent_key = (SELECT agent_key FROM agents WHERE agent_id = ?) AND workflow_key < ?
    ORDER BY workflow_key DESC LIMIT 1`)

  const newestOfTenant = (filter: WorkflowFilter, below: number) => {
    const { sql, values } = tenantCondition('tenant_key', filter)
    const query = db.prepare(`
      SELECT workflow_key AS key FROM tokens WHERE ${sql} AND parent_key IS NULL AND workflow_key < ?
      ORDER BY workflow_key DESC LIMIT 1`)
    return query.get(...values, below)
  }

  /** The newest workflow below a key that the first of the filters lets through. */
  function nextBelow(below: number, filter: WorkflowFilter): number | undefined {
    const { agent_id, human_ref, tenant_id } = filter
    if (agent_id !== undefined) return optionalInteger(newestOfAgent.get(agent_id, below)?.key)
    if (human_ref !== undefined) return optionalInteger(newestOfHuman.get(human_ref, below)?.key)
    if (tenant_id !== undefined) return optionalInteger(newestOfTenant(filter, below)?.key)
    return optionalInteger(newest.get(below)?.key)
  }

  function factsOf(workflow_key: number): WorkflowFacts {
    const root = tokens.byKey(integer(rootOf.get(workflow_key)?.root))
    return workflowFactsOf(root, totals.get(workflow_key))
  }

  /** The first key whose workflow is not older than an instant: keys are in order of time, so halving finds it. */
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

  return {
    facts(provenance_ref) {
      const key = optionalInteger(keyOf.get(provenance_ref)?.workflow_key)
      return key === undefined ? undefined : factsOf(key)
    },
    list(filter, { limit, before }) {
      const { from_ms, to_ms } = filter
      const bottom = from_ms === undefined ? 0 : firstAt(from_ms)
      const entries: WorkflowFacts[] = []
      let below = Math.min(
        before ?? Number.MAX_SAFE_INTEGER,
        to_ms === undefined ? Number.MAX_SAFE_INTEGER : firstAt(to_ms),
      )
      const started = performance.now()
      for (;;) {
        const key = nextBelow(below, filter)
        if (key === undefined || key < bottom) return { entries, before: undefined }
        if (entries.length === limit || performance.now() - started > PAGE_WORK_MS)
          return { entries, before: below }
        const facts = factsOf(key)
        if (isOf(facts, filter)) entries.push(facts)
        below = key
      }
    },
  }
}
