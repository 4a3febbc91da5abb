import type { Token } from '../../domain/tokens/token.ts'
import type { WorkflowDelta } from '../port/changes.ts'
import type { WorkflowFacts } from '../port/workflow-reader.ts'
import type { WorkflowCounters } from '../port.ts'
import type { RowOf } from '../tables.ts'
import { integer, optionalInteger, type Row, text } from '../values.ts'
import type { RowKeys } from './row-keys.ts'

/** Kinds of counts in `workflow_tallies`. */
export const TALLY = { records: 0, agents: 1, agent: 2, action: 3, result: 4 } as const

type TallyRow = RowOf<'workflow_tallies'>

/** What a batch adds to the tallies of a workflow. */
export interface TallyRows {
  /** Records of an agent. A new row adds one to the distinct agents of its workflow. */
  readonly agent_tallies: readonly TallyRow[]
  readonly other_tallies: readonly TallyRow[]
}

export function tallyRows(
  provenance_ref: string,
  { records, agents, actions, results }: WorkflowDelta,
  keys: Pick<RowKeys, 'name' | 'agent' | 'workflow'>,
  now_ms: number,
): TallyRows {
  const workflow_key = keys.workflow(provenance_ref)
  const row = (kind: number, subject: number, count: number): TallyRow => ({
    workflow_key,
    kind,
    subject,
    count,
    last_ms: null,
  })
  const agent_tallies = Array.from(agents, ([agent_id, n]) => row(TALLY.agent, keys.agent(agent_id), n))
  const other_tallies = Array.from(actions, ([action, n]) => row(TALLY.action, keys.name(action), n))
  for (const [result, n] of results) other_tallies.push(row(TALLY.result, keys.name(result), n))
  if (records > 0) other_tallies.push({ ...row(TALLY.records, 0, records), last_ms: now_ms })
  return { agent_tallies, other_tallies }
}

/** Reads the tallies of one workflow, with the names of their subjects. */
export function countersOf(rows: readonly Row[]): WorkflowCounters {
  return {
    total_records: totalOf(rows, TALLY.records),
    unique_agents: totalOf(rows, TALLY.agents),
    actions_by_type: countsOf(rows, TALLY.action),
    results_by_type: countsOf(rows, TALLY.result),
  }
}

/** Selects the totals of a workflow as one row. The workflow's key must be appended. */
export const WORKFLOW_TOTALS = `
  SELECT max(CASE WHEN kind = ${TALLY.records} THEN count END) AS total_records,
    max(CASE WHEN kind = ${TALLY.agents} THEN count END) AS unique_agents, max(last_ms) AS last_action_ms
  FROM workflow_tallies WHERE kind IN (${TALLY.records}, ${TALLY.agents}) AND workflow_key =`

/** Returns a workflow's facts from its root token and its totals. */
export function workflowFactsOf(position: number, root: Token, totals: Row | undefined): WorkflowFacts {
  return {
    position,
    provenance_ref: root.provenance_ref,
    root_jti: root.root_jti,
    human_ref: root.human_ref,
    agent_id: root.agent_id,
    assurance_level: root.assurance_level,
    created_at_ms: root.issued_at_ms,
    log_index: root.log_index,
    total_records: optionalInteger(totals?.total_records) ?? 0,
    unique_agents: optionalInteger(totals?.unique_agents) ?? 0,
    last_action_ms: optionalInteger(totals?.last_action_ms),
  }
}

function totalOf(rows: readonly Row[], kind: number): number {
  return optionalInteger(rows.find((row) => row.kind === kind)?.count) ?? 0
}

function countsOf(rows: readonly Row[], kind: number): Record<string, number> {
  return Object.fromEntries(
    rows.filter((row) => row.kind === kind).map((row) => [text(row.name), integer(row.count)]),
  )
}
