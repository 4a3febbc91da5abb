import { shownAgent } from '@deputize/protocol'
import { type AgentTally, combinedInterval, scores, subtractTally } from '../../domain/reputation.ts'
import { DAY_MS, isoInstant } from '../../domain/times/time.ts'
import { callersAgent } from '../lists/list-visibility.ts'
import { loadAgent } from '../loading/load-agent.ts'
import type { Handler } from '../operation-context.ts'

const MAX_DAYS = 366

interface AgentDay {
  readonly day: number
  readonly tally: AgentTally
}

export const getReputationHistory: Handler<'getReputationHistory'> = async ({ caller, params }, context) => {
  // Read before the total: an action in between is then in the total, which belongs to the newest day.
  const scoped = callersAgent(caller, params.agent_id)
  const days = await context.reader.agentDays(scoped, MAX_DAYS)
  const { agent_id, tally: total } = await loadAgent(scoped, context)
  return { agent_id: shownAgent(agent_id), data: withTotals(days, total).map(dayView) }
}

/** Adds to each day the sums up to its end: today's sums minus the days that follow it. */
function withTotals(days: readonly AgentDay[], total: AgentTally): (AgentDay & { until: AgentTally })[] {
  let until = total
  return days
    .toReversed()
    .map((day) => {
      const entry = { ...day, until }
      until = subtractTally(until, day.tally)
      return entry
    })
    .reverse()
}

function dayView({ day, tally, until }: AgentDay & { until: AgentTally }) {
  const { execution_score, feedback_score } = scores(tally)
  const { total_actions, completed_actions, approved, flagged, rejected } = tally
  const all = scores(until)
  return {
    day: isoInstant(day * DAY_MS).slice(0, 10),
    total_actions,
    completed_actions,
    execution_score,
    feedback_score,
    ratings: { approved, flagged, rejected },
    combined_reputation: all.combined_reputation,
    combined_interval: combinedInterval(all),
  }
}
