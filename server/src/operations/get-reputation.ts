import { AuthorityError } from '@deputy/protocol'
import { scores } from '../domain/reputation.ts'
import { isoInstant } from '../domain/time.ts'
import type { Handler } from './operation-context.ts'

export const getReputation: Handler<'getReputation'> = async ({ params }, { reader }) => {
  const agent = await reader.agent(params.agent_id)
  if (agent === undefined) throw new AuthorityError('agent_unknown')
  const { tally, first_seen_ms, last_action_ms } = agent
  const { approved, flagged, rejected } = tally
  return {
    agent_id: `agent:${params.agent_id}`,
    total_actions: tally.total_actions,
    ...scores(tally),
    completed_actions: tally.completed_actions,
    ratings: { approved, flagged, rejected },
    first_seen_at: isoInstant(first_seen_ms),
    ...(last_action_ms !== undefined && { last_action_at: isoInstant(last_action_ms) }),
  }
}
