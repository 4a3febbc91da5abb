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
  /** By the text that names each. */
  readonly rows: Map<string, CounterChange>
  /** Counters of minutes, which are kept for some time only. */
  readonly minutes: Map<string, CounterChange>
  newest_minute: number
}

export function noCounters(): ExpectedCounters {
  return { rows: new Map(), minutes: new Map(), newest_minute: 0 }
}

/** How many more counters of minutes than needed are held before the old ones are dropped. */
const MINUTES_BETWEEN = 1440

/** Counts what a leaf says. */
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

/** Minutes below this one may be deleted, and are read by no one. */
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
