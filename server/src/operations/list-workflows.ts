import { shownAgent } from '@deputize/protocol'
import { isoInstant } from '../domain/time.ts'
import type { WorkflowFacts } from '../store/port.ts'
import type { Handler } from './operation-context.ts'
import { emptyPage, pageAnswer, pageRequest, timeRange } from './pages.ts'
import { sightOf } from './sight.ts'

export const listWorkflows: Handler<'listWorkflows'> = async ({ caller, query }, { reader }) => {
  const sight = sightOf(caller, query)
  if (sight === undefined) return emptyPage()
  const filter = { ...sight, ...timeRange(query) }
  return pageAnswer(await reader.workflows.list(filter, pageRequest(query)), workflowView)
}

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
