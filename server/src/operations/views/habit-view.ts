import { shownAgent, toUsd } from '@deputize/protocol'
import { type Habit, type HabitKey, largestCovered } from '../../domain/approvals/habit.ts'
import { isoInstant } from '../../domain/times/time.ts'

export function habitView({ amounts, last_human_ms, ...habit }: HabitKey & Habit) {
  return {
    ...kindView(habit),
    covers_usd: toUsd(largestCovered(amounts)),
    approvals: habit.approvals,
    auto_approvals: habit.auto_approvals,
    last_human_at: isoInstant(last_human_ms),
  }
}

/** Returns the grant of a habit, if it has one. */
export function grantView({ grant, ...habit }: HabitKey & Habit) {
  if (grant === undefined) return []
  return [
    {
      approval_id: grant.approval_id,
      ...kindView(habit),
      expires_at: isoInstant(grant.expires_at_ms),
      max_spend_usd: toUsd(grant.max_spend_micro_usd),
      spent_usd: toUsd(grant.spent_micro_usd),
      uses: grant.uses,
    },
  ]
}

function kindView({ agent_id, human_ref, action, resource, root_jti }: HabitKey) {
  return { agent_id: shownAgent(agent_id), human_ref, action, resource, root_jti }
}
