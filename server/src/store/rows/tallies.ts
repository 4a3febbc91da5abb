import type { AgentTally } from '../../domain/reputation.ts'
import type { Token } from '../../domain/token.ts'
import type { AgentFacts, WorkflowCounters, WorkflowFacts } from '../port.ts'
import { integer, optionalInteger, optionalText, type Row, text } from '../values.ts'

/** Kinds of counts in `workflow_tallies`. */
export const TALLY = { records: 0, agents: 1, agent: 2, action: 3, result: 4 } as const

/** The sums kept in a row of `agents` or `agent_days`. */
export function tallyOf(row: Row): AgentTally {
  return {
    total_actions: integer(row.total_actions),
    completed_actions: integer(row.completed_actions),
    scored_actions: integer(row.scored_actions),
    outcome_halves: integer(row.outcome_halves),
    approved: integer(row.approved),
    flagged: integer(row.flagged),
    rejected: integer(row.rejected),
  }
}

/** A row of `agents`. */
export function agentOf(row: Row): AgentFacts {
  return {
    agent_id: text(row.agent_id),
    profile: optionalText(row.profile),
    suspended_at_ms: optionalInteger(row.suspended_at_ms),
    tally: tallyOf(row),
    first_seen_ms: integer(row.first_seen_ms),
    last_action_ms: optionalInteger(row.last_action_ms),
  }
}

/** Rows of `workflow_tallies` of one workflow, with the names of their subjects. */
export function countersOf(rows: readonly Row[]): WorkflowCounters {
  return {
    total_records: totalOf(rows, TALLY.records),
    unique_agents: totalOf(rows, TALLY.agents),
    actions_by_type: countsOf(rows, TALLY.action),
    results_by_type: countsOf(rows, TALLY.result),
  }
}

/** How much was done in a workflow, by how many and when last: one row. The key of the workflow follows. */
export const WORKFLOW_TOTALS = `
  SELECT max(CASE WHEN kind = ${TALLY.records} THEN count END) AS total_records,
    max(CASE WHEN kind = ${TALLY.agents} THEN count END) AS unique_agents, max(last_ms) AS last_action_ms
  FROM workflow_tallies WHERE kind IN (${TALLY.records}, ${TALLY.agents}) AND workflow_key =`

/** A workflow by its root token and its totals. */
export function workflowFactsOf(root: Token, totals: Row | undefined): WorkflowFacts {
  return {
    provenance_ref: root.provenance_ref,
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
