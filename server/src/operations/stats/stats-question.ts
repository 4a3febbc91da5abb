import { invalidField, type StatsBucket, type StatsGroup } from '@deputize/protocol'
import { MINUTES_KEPT, SERIES, type SeriesName } from '../../domain/stats.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/times/time.ts'
import type { CounterQuery } from '../../store/port/stats-reader.ts'

/** A caller's question, with agents named as in the store. */
export interface StatsQuestion {
  readonly from_ms: number | undefined
  readonly to_ms: number
  readonly bucket: StatsBucket
  readonly group_by: StatsGroup | undefined
  readonly agent_id: string | undefined
  readonly action: string | undefined
  readonly resource: string | undefined
  readonly tenants: readonly string[]
}

/** The time range of an answer, and the length of its buckets. */
export interface StatsRange {
  readonly from_ms: number
  /** The end of the last bucket. */
  readonly to_ms: number
  /** Undefined for one bucket over everything. */
  readonly bucket_ms: number | undefined
}

const MOST_BUCKETS = 1_500

const BUCKET_MS: Readonly<Record<StatsBucket, number | undefined>> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  all: undefined,
}

/** Returns full buckets that cover the requested time range. Refuses too many of them. */
export function rangeOf({ from_ms: given, to_ms, bucket }: StatsQuestion): StatsRange {
  const start_ms = given ?? to_ms - DAY_MS
  if (start_ms > to_ms) throw invalidField('?from', 'must not be after ?to')
  const bucket_ms = BUCKET_MS[bucket]
  const step = bucket_ms ?? DAY_MS
  const from_ms = Math.floor(start_ms / step) * step
  const end_ms = (Math.floor(to_ms / step) + 1) * step
  if (bucket_ms !== undefined && (end_ms - from_ms) / step > MOST_BUCKETS)
    throw invalidField(
      '?bucket',
      `makes more than ${MOST_BUCKETS} buckets. Use a shorter time range or a longer bucket`,
    )
  return { from_ms, to_ms: end_ms, bucket_ms }
}

/** Returns the query that answers a question, on the series with the fewest rows that contains the answer. */
export function counterQueryOf(question: StatsQuestion, range: StatsRange, now_ms: number): CounterQuery {
  const { action, resource, bucket } = question
  const series = seriesFor(question)
  const { bucket_ms } = SERIES[series]
  assertKept(bucket, range, now_ms)
  return {
    series,
    of: ownerFor(question, series),
    from: range.from_ms / bucket_ms,
    to: range.to_ms / bucket_ms,
    bucket_size: range.bucket_ms === undefined ? undefined : range.bucket_ms / bucket_ms,
    by: BY[question.group_by ?? 'none'],
    action,
    resource,
  }
}

const BY: Readonly<Record<StatsGroup | 'none', CounterQuery['by']>> = {
  none: [],
  agent: ['owner'],
  tenant: ['owner'],
  action: ['name'],
  reason: ['name'],
  resource: ['resource'],
  'action,resource': ['name', 'resource'],
}

function seriesFor({ bucket, group_by, agent_id, action, resource }: StatsQuestion): SeriesName {
  const isByUse =
    action !== undefined ||
    resource !== undefined ||
    group_by === 'action' ||
    group_by === 'resource' ||
    group_by === 'action,resource'
  const isOfAgents = agent_id !== undefined || group_by === 'agent'
  if (bucket === 'minute') {
    if (isByUse || isOfAgents || group_by === 'reason')
      throw invalidField('?bucket', 'can be minute only for a whole tenant. Use hours')
    return 'tenant_minute'
  }
  if (group_by === 'reason') {
    if (isByUse) throw invalidField('?group_by', 'can be reason only without action and resource')
    return agent_id === undefined ? 'tenant_reason' : 'agent_reason'
  }
  if (group_by === 'tenant' && (isByUse || isOfAgents))
    throw invalidField('?group_by', 'can be tenant only without agent_id, action and resource')
  const isDaily = bucket !== 'hour'
  if (isByUse) return isDaily && !isOfAgents ? 'tenant_day' : 'agent_hour'
  if (isOfAgents) return isDaily ? 'agent_day' : 'agent_hour'
  return 'tenant_hour'
}

function ownerFor({ agent_id, tenants }: StatsQuestion, series: SeriesName): CounterQuery['of'] {
  if (SERIES[series].owner === 'tenant') return { tenants }
  if (agent_id !== undefined) return { agent_id }
  return { agents_of: tenants[0] ?? '' }
}

function assertKept(bucket: StatsBucket, { from_ms }: StatsRange, now_ms: number): void {
  if (bucket === 'minute' && from_ms < now_ms - MINUTES_KEPT * MINUTE_MS)
    throw invalidField('?from', 'is more than 7 days ago. Minutes are kept for 7 days: use hours')
}
