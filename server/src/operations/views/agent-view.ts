import { shownAgent } from '@deputize/protocol'
import { scores } from '../../domain/reputation.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { AgentFacts } from '../../store/port.ts'

export function agentView(agent: AgentFacts) {
  const { agent_id, profile, suspended_at_ms, tally, first_seen_ms, last_action_ms } = agent
  const { suspended_rank, suspend_reason, owned_by } = agent
  const { combined_reputation, has_human_feedback } = scores(tally)
  return {
    ...(profile === undefined ? {} : JSON.parse(profile)),
    agent_id: shownAgent(agent_id),
    suspended: suspended_at_ms !== undefined,
    ...(owned_by !== undefined && { owned_by: [...owned_by] }),
    total_actions: tally.total_actions,
    combined_reputation,
    has_human_feedback,
    first_seen_at: isoInstant(first_seen_ms),
    ...(suspended_at_ms !== undefined && { suspended_at: isoInstant(suspended_at_ms) }),
    ...(suspended_rank !== undefined && { suspended_by: suspended_rank }),
    ...(suspend_reason !== undefined && { suspend_reason }),
    ...(last_action_ms !== undefined && { last_action_at: isoInstant(last_action_ms) }),
  }
}
