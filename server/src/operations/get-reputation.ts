import { type AnswerOf, AuthorityError, type OPERATIONS, shownAgent } from '@deputize/protocol'
import { scores } from '../domain/reputation.ts'
import { isoInstant } from '../domain/time.ts'
import type { AgentFacts } from '../store/port.ts'
import type { Handler } from './operation-context.ts'
import { agentSeen } from './sight.ts'

export const getReputation: Handler<'getReputation'> = async ({ caller, params }, { reader }) => {
  const agent = await reader.agent(agentSeen(caller, params.agent_id))
  if (agent === undefined) throw new AuthorityError('agent_unknown')
  return reputationView(agent)
}

export function reputationView(agent: AgentFacts): AnswerOf<typeof OPERATIONS.getReputation> {
  const { agent_id, tally, first_seen_ms, last_action_ms } = agent
  const { approved, flagged, rejected } = tally
  return {
    agent_id: shownAgent(agent_id),
    total_actions: tally.total_actions,
    ...scores(tally),
    completed_actions: tally.completed_actions,
    ratings: { approved, flagged, rejected },
    first_seen_at: isoInstant(first_seen_ms),
    ...(last_action_ms !== undefined && { last_action_at: isoInstant(last_action_ms) }),
  }
}
