import type { Frontier } from '@deputize/protocol'
import { increment } from '../domain/counts.ts'
import type { StoredRecord } from '../domain/record.ts'
import { type AgentTally, countCompleted, emptyTally } from '../domain/reputation.ts'
import { closingCounts, countUse, noActivity } from '../domain/stats.ts'
import type { Changes, WorkflowDelta } from '../store/port/changes.ts'

export function noChanges(frontier: Frontier): Changes {
  return {
    tokens: [],
    states: new Map(),
    standings: new Set(),
    reasons: new Map(),
    suspend_reasons: new Map(),
    created: new Set(),
    closed: new Set(),
    ratings: [],
    denials: [],
    leaves: [],
    nodes: [],
    checkpoints: [],
    frontier,
    replays: [],
    workflows: new Map(),
    agents: new Map(),
    activity: noActivity(),
    profiles: new Map(),
    agent_marks: new Map(),
    agent_reasons: new Map(),
    human_marks: new Map(),
    agent_owners: new Map(),
    agent_keys: new Map(),
    approvals: new Set(),
    vouches: new Set(),
    anchors: new Map(),
    vouch_scores: new Map(),
    registry: new Map(),
    habits: new Map(),
    erased: new Map(),
    scrubbed: new Set(),
    probe: false,
    forget_replays_before_ms: undefined,
    forget_minutes: false,
    settles_sums: false,
  }
}

/** What the batch adds to a workflow's counters. Created on the first call, which makes the workflow known. */
export function workflowDelta(changes: Changes, provenance_ref: string): WorkflowDelta {
  let delta = changes.workflows.get(provenance_ref)
  if (delta === undefined) {
    delta = { records: 0, agents: new Map(), actions: new Map(), results: new Map() }
    changes.workflows.set(provenance_ref, delta)
  }
  return delta
}

/** What the batch adds to an agent's sums. Created on the first call, which makes the agent known. */
export function agentTally(changes: Changes, agent_id: string): AgentTally {
  let tally = changes.agents.get(agent_id)
  if (tally === undefined) {
    tally = emptyTally()
    changes.agents.set(agent_id, tally)
  }
  return tally
}

/** Counts a new record in its workflow, for its agent and its tenant. */
export function countNewRecord(changes: Changes, record: StoredRecord): void {
  const { provenance_ref, agent_id, action } = record
  const workflow = workflowDelta(changes, provenance_ref)
  workflow.records += 1
  increment(workflow.agents, agent_id)
  increment(workflow.actions, action)
  const ending = record.state === 'completed' ? closingCounts(record) : {}
  countUse(changes.activity, record, { allowed: 1, ...ending }, record.log_index)
}

/** Counts the result of a completed record in its workflow and for its agent. */
export function countOutcome(changes: Changes, record: StoredRecord): void {
  const { provenance_ref, agent_id, result, evidence, exceeded } = record
  if (result === undefined) return
  increment(workflowDelta(changes, provenance_ref).results, result)
  countCompleted(agentTally(changes, agent_id), { result, evidence, exceeded })
}
