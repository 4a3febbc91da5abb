import { shownAgent } from '@deputize/protocol'
import type { Habit, HabitKey } from '../../domain/approval.ts'
import { isoInstant } from '../../domain/time.ts'

export function habitView({ last_human_ms, ...habit }: HabitKey & Habit) {
  return { ...habit, agent_id: shownAgent(habit.agent_id), last_human_at: isoInstant(last_human_ms) }
}
