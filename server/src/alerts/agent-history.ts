import { type AgentHistory, type AlertCondition, isHourly, lookBackMs } from '../domain/alert.ts'
import { HOUR_MS, MINUTE_MS } from '../domain/times/time.ts'
import type { StatsReader } from '../store/port/stats-reader.ts'

/** Reads what a condition needs to know about an agent to be evaluated from one instant to another. */
export async function readHistory(
  stats: StatsReader,
  agent_id: string,
  condition: AlertCondition,
  from_ms: number,
  to_ms: number,
): Promise<AgentHistory> {
  const start_ms = from_ms - lookBackMs(condition)
  if (!isHourly(condition)) {
    const minutes = await stats.signals(agent_id, minuteOf(start_ms), minuteOf(to_ms) + 1)
    return { minutes, hours: [], first_uses: [] }
  }
  const end = hourOf(to_ms) + 1
  const hours = await stats.hours(agent_id, hourOf(start_ms), end)
  const first_uses = condition.kind === 'new_use' ? await stats.firstUses(agent_id, hourOf(from_ms), end) : []
  return { minutes: [], hours, first_uses }
}

function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS)
}

function hourOf(ms: number): number {
  return Math.floor(ms / HOUR_MS)
}
