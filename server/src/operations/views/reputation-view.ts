import { type AnswerOf, type OPERATIONS, shownAgent } from '@deputize/protocol'
import { gateScore, scores } from '../../domain/reputation.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { AgentFacts } from '../../store/port.ts'

export type ReputationView = AnswerOf<typeof OPERATIONS.getReputation>

export function reputationView(agent: AgentFacts): ReputationView {
  const { agent_id, tally, first_seen_ms, last_action_ms } = agent
  const { approved, flagged, rejected } = tally
  return {
    agent_id: shownAgent(agent_id),
    total_actions: tally.total_actions,
    ...scores(tally),
    gate_score: gateScore(tally),
    completed_actions: tally.completed_actions,
    ratings: { approved, flagged, rejected },
    first_seen_at: isoInstant(first_seen_ms),
    ...(last_action_ms !== undefined && { last_action_at: isoInstant(last_action_ms) }),
  }
}
