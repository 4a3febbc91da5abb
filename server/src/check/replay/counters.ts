import {
  type Activity,
  addCounts,
  addSignals,
  type CounterChange,
  counterChanges,
  counterName,
  isKeptShortly,
  MINUTES_KEPT,
  noActivity,
} from '../../domain/stats.ts'

/** The counters that follow from the log. */
export interface ExpectedCounters {
  /** By counter name. */
  readonly rows: Map<string, CounterChange>
  /** Minute counters, which are kept only for a limited time. */
  readonly minutes: Map<string, CounterChange>
  newest_minute: number
}

export function noCounters(): ExpectedCounters {
  return { rows: new Map(), minutes: new Map(), newest_minute: 0 }
}

/** Old minute counters are dropped once per this many minutes, so at most this many more than needed are held. */
const MINUTES_BETWEEN = 1440

/** Adds what a leaf counts. */
export function countLeaf(
  counters: ExpectedCounters,
  at_ms: number,
  count: (activity: Activity) => void,
): void {
  const activity = noActivity()
  count(activity)
  for (const change of counterChanges(activity, at_ms)) {
    const isMinute = isKeptShortly(change.series)
    if (isMinute) noteMinute(counters, change.bucket)
    merge(isMinute ? counters.minutes : counters.rows, change)
  }
}

/** The first minute that must be kept. Earlier ones may be deleted and are never read. */
export function firstMinuteKept({ newest_minute }: ExpectedCounters): number {
  return newest_minute - MINUTES_KEPT
}

function noteMinute(counters: ExpectedCounters, minute: number): void {
  const isLater = Math.floor(minute / MINUTES_BETWEEN) > Math.floor(counters.newest_minute / MINUTES_BETWEEN)
  counters.newest_minute = Math.max(counters.newest_minute, minute)
  if (!isLater) return
  for (const [name, { bucket }] of counters.minutes)
    if (bucket < firstMinuteKept(counters)) counters.minutes.delete(name)
}

function merge(rows: Map<string, CounterChange>, change: CounterChange): void {
  const name = counterName(change)
  const known = rows.get(name)
  if (known === undefined) {
    rows.set(name, { ...change, counts: { ...change.counts }, signals: { ...change.signals } })
    return
  }
  addCounts(known.counts, change.counts)
  addSignals(known.signals, change.signals)
  if (known.first_index === undefined && change.first_index !== undefined)
    rows.set(name, { ...known, first_index: change.first_index })
}
