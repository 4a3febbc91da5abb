import { shownAgent } from '@deputize/protocol'
import { scores } from '../../domain/reputation.ts'
import { DAY_MS, isoInstant } from '../../domain/time.ts'
import { callersAgent } from '../list-visibility.ts'
import { loadAgent } from '../load-agent.ts'
import type { Handler } from '../operation-context.ts'

const MAX_DAYS = 366

export const getReputationHistory: Handler<'getReputationHistory'> = async ({ caller, params }, context) => {
  const { agent_id } = await loadAgent(callersAgent(caller, params.agent_id), context)
  const days = await context.reader.agentDays(agent_id, MAX_DAYS)
  return {
    agent_id: shownAgent(agent_id),
    data: days.map(({ day, tally }) => {
      const { execution_score, feedback_score } = scores(tally)
      const { total_actions, completed_actions, approved, flagged, rejected } = tally
      return {
        day: isoInstant(day * DAY_MS).slice(0, 10),
        total_actions,
        completed_actions,
        execution_score,
        feedback_score,
        ratings: { approved, flagged, rejected },
      }
    }),
  }
}
