import { invalidField, shownAgent } from '@deputize/protocol'
import { readHistory } from '../../alerts/agent-history.ts'
import { findings, firings, isHourly } from '../../domain/alert.ts'
import { DAY_MS, HOUR_MS, isoInstant, MINUTE_MS } from '../../domain/times/time.ts'
import { callersAgent } from '../lists/list-visibility.ts'
import type { Handler } from '../operation-context.ts'
import { readCondition } from './alert-condition.ts'
import { DEFAULT_WINDOW_MINUTES } from './create-alert-rule.ts'

const LONGEST_MS = 7 * DAY_MS
const MOST_AGENTS = 200
const MOST_SHOWN = 100

export const dryRunAlertRule: Handler<'dryRunAlertRule'> = async ({ caller, body }, { reader, clock }) => {
  const now_ms = clock()
  const condition = readCondition(body.condition)
  const rule = { window_minutes: body.window_minutes ?? DEFAULT_WINDOW_MINUTES }
  const from_ms = startOf(body.from, now_ms)
  const unit = isHourly(condition) ? 'hour' : 'minute'
  const from = Math.floor(from_ms / (unit === 'hour' ? HOUR_MS : MINUTE_MS))
  const query = { tenant_id: caller.tenant_id, unit, from, limit: MOST_AGENTS + 1 } as const
  const all = await reader.stats.activeSince(query)
  const active = body.agent_id === undefined ? all : [callersAgent(caller, body.agent_id)]
  const fired = []
  for (const agent_id of active.slice(0, MOST_AGENTS)) {
    const history = await readHistory(reader.stats, agent_id, condition, from_ms, now_ms)
    const found = findings(condition, history, { from_ms, to_ms: now_ms + 1 })
    for (const { at_ms, explanation } of firings(rule, found))
      fired.push({ agent_id: shownAgent(agent_id), at_ms, explanation })
  }
  fired.sort((a, b) => a.at_ms - b.at_ms)
  return {
    from: isoInstant(from_ms),
    to: isoInstant(now_ms),
    count: fired.length,
    truncated: fired.length > MOST_SHOWN || active.length > MOST_AGENTS,
    data: fired.slice(0, MOST_SHOWN).map(({ at_ms, ...firing }) => ({ ...firing, at: isoInstant(at_ms) })),
  }
}

/** Returns where a dry run starts. Minute counters are kept for 7 days, so it goes back no further. */
function startOf(given: string | undefined, now_ms: number): number {
  const from_ms = given === undefined ? now_ms - LONGEST_MS : Date.parse(given)
  if (from_ms < now_ms - LONGEST_MS - MINUTE_MS) throw invalidField('/from', 'must be within the last 7 days')
  if (from_ms > now_ms) throw invalidField('/from', 'must not be in the future')
  return from_ms
}
