import { shownAgent } from '@deputize/protocol'
import { isoInstant } from '../../domain/time.ts'
import type { WorkflowFacts } from '../../store/port.ts'

export function workflowView(facts: WorkflowFacts) {
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
