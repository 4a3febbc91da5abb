import { shownAgent, toUsd } from '@deputize/protocol'
import { livenessReasons } from '../../domain/decision.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { Chain } from '../../domain/tokens/token.ts'
import type { WorkflowFacts } from '../../store/port/workflow-reader.ts'

function workflowView(facts: WorkflowFacts) {
  return {
    provenance_ref: facts.provenance_ref,
    human_ref: facts.human_ref,
    agent_id: shownAgent(facts.agent_id),
    assurance_level: facts.assurance_level,
    created_at: isoInstant(facts.created_at_ms),
    total_records: facts.total_records,
    unique_agents: facts.unique_agents,
    ...(facts.last_action_ms !== undefined && { last_action_at: isoInstant(facts.last_action_ms) }),
  }
}

/** Returns a workflow for a list, with the sums of its root token, where every action below it is charged too. */
export function listedWorkflowView(facts: WorkflowFacts, root: Chain, now_ms: number) {
  const [{ state }] = root
  return {
    ...workflowView(facts),
    state: workflowState(root, now_ms),
    spent_usd: toUsd(state.spent_micro_usd),
    reserved_usd: toUsd(state.reserved_micro_usd),
  }
}

/** Returns whether a workflow is open, which its root token decides: no token outlives it. */
export function workflowState(root: Chain, now_ms: number): 'open' | 'closed' {
  const reasons = livenessReasons(root, now_ms)
  return reasons.includes('token_revoked') || reasons.includes('token_expired') ? 'closed' : 'open'
}
