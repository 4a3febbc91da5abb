import { ACTIVITY_DAYS, type AnswerOf, type OPERATIONS, toUsd } from '@deputize/protocol'
import { addCounts, type Counts, noCounts } from '../../domain/stats.ts'
import { DAY_MS, isoInstant } from '../../domain/times/time.ts'
import { EVERY_DENIAL } from '../../store/port/filters.ts'
import type { CounterSum } from '../../store/port/stats-reader.ts'
import type { ReadStore } from '../../store/port.ts'

type AgentActivity = NonNullable<AnswerOf<typeof OPERATIONS.listAgents>['data'][number]['activity']>

/**
 * Returns what agents did in recent days, from one read of their counters. Denials are searched only for agents whose
 * counters show some.
 */
export async function agentActivity(
  agent_ids: readonly string[],
  reader: ReadStore,
  now_ms: number,
): Promise<ReadonlyMap<string, AgentActivity>> {
  if (agent_ids.length === 0) return new Map()
  const today = Math.floor(now_ms / DAY_MS)
  const from = today - ACTIVITY_DAYS + 1
  const { sums } = await reader.stats.sums({
    series: 'agent_day',
    of: { agent_ids },
    from,
    to: today + 1,
    bucket_size: 1,
    by: ['owner'],
  })
  const days = Map.groupBy(sums, ({ owner }) => owner ?? '')
  const found = agent_ids.map(async (agent_id) => {
    const own = days.get(agent_id) ?? []
    const total = totalOf(own)
    const last_denied_ms = total.denied === 0 ? undefined : await lastDenial(agent_id, reader, from * DAY_MS)
    return [agent_id, activityView(total, own, last_denied_ms)] as const
  })
  return new Map(await Promise.all(found))
}

function totalOf(sums: readonly CounterSum[]): Counts {
  const total = noCounts()
  for (const { counts } of sums) addCounts(total, counts)
  return total
}

async function lastDenial(agent_id: string, reader: ReadStore, from_ms: number): Promise<number | undefined> {
  const { entries } = await reader.denials(
    { ...EVERY_DENIAL, agent_id, from_ms },
    { limit: 1, before: undefined },
  )
  return entries[0]?.created_at_ms
}

function activityView(
  total: Counts,
  days: readonly CounterSum[],
  last_denied_ms: number | undefined,
): AgentActivity {
  return {
    ...shown(total),
    ...(last_denied_ms !== undefined && { last_denied_at: isoInstant(last_denied_ms) }),
    days: days.map(({ bucket, counts }) => ({ start: isoInstant(bucket * DAY_MS), ...shown(counts) })),
  }
}

function shown({ allowed, denied, spend_micro_usd }: Counts) {
  return { allowed, denied, spend_usd: toUsd(spend_micro_usd) }
}
