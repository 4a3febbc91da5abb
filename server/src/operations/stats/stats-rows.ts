import { type StatsGroup, shownAgent, toUsd } from '@deputize/protocol'
import { addCounts, type Counts, noCounts } from '../../domain/stats.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { CounterSum } from '../../store/port/stats-reader.ts'
import type { StatsRange } from './stats-question.ts'

interface Shown {
  readonly group_by: StatsGroup | undefined
  readonly limit: number
  readonly range: StatsRange
}

/** Returns sums as rows of an answer. Groups beyond the limit are added up. */
export function statsRows(sums: readonly CounterSum[], { group_by, limit, range }: Shown) {
  const busiest = busiestGroups(sums, limit)
  const cells = new Map<string, { sum: CounterSum; isOther: boolean; counts: Counts }>()
  for (const sum of sums) {
    const isOther = !busiest.has(groupName(sum))
    const key = JSON.stringify([sum.bucket, isOther ? null : groupName(sum)])
    const cell = cells.get(key) ?? { sum, isOther, counts: noCounts() }
    addCounts(cell.counts, sum.counts)
    cells.set(key, cell)
  }
  const rows = [...cells.values()]
    .sort(
      (a, b) =>
        a.sum.bucket - b.sum.bucket || Number(a.isOther) - Number(b.isOther) || activity(b) - activity(a),
    )
    .map(({ sum, isOther, counts }) => ({
      start: isoInstant(range.bucket_ms === undefined ? range.from_ms : sum.bucket * range.bucket_ms),
      ...(isOther ? { other: true as const } : groupMembers(sum, group_by)),
      ...shownCounts([counts]),
    }))
  return { rows, truncated: rows.some((row) => 'other' in row) }
}

function busiestGroups(sums: readonly CounterSum[], limit: number): Set<string> {
  const totals = new Map<string, number>()
  for (const sum of sums) totals.set(groupName(sum), (totals.get(groupName(sum)) ?? 0) + activity(sum))
  const names = [...totals].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([name]) => name)
  return new Set(names.slice(0, limit))
}

function groupName({ owner, name, resource }: CounterSum): string {
  return JSON.stringify([owner, name, resource])
}

function activity({ counts }: Pick<CounterSum, 'counts'>): number {
  return counts.allowed + counts.completed + counts.denied + counts.asked
}

function groupMembers(
  { owner = '', name = '', resource = '' }: CounterSum,
  group_by: StatsGroup | undefined,
) {
  switch (group_by) {
    case undefined:
      return {}
    case 'agent':
      return { agent_id: shownAgent(owner) }
    case 'tenant':
      return { tenant_id: owner }
    case 'action':
      return { action: name }
    case 'reason':
      return { reason: name }
    case 'resource':
      return { resource }
    case 'action,resource':
      return { action: name, resource }
  }
}

/** Returns the sum of counts as an answer shows it. */
export function shownCounts(all: readonly Counts[]) {
  const sum = noCounts()
  for (const counts of all) addCounts(sum, counts)
  const decided = sum.approved + sum.refused
  return {
    allowed: sum.allowed,
    completed: sum.completed,
    succeeded: sum.succeeded,
    cancelled: sum.cancelled,
    expired: sum.expired,
    denied: sum.denied,
    spend_usd: toUsd(sum.spend_micro_usd),
    approvals_asked: sum.asked - sum.auto_approved,
    approvals_automatic: sum.auto_approved,
    approvals_approved: sum.approved,
    approvals_denied: sum.refused,
    ...(decided > 0 && { mean_decision_ms: Math.round(sum.decide_ms / decided) }),
  }
}
