import { COUNT_NAMES, type CounterChange, counterChanges, MINUTES_KEPT, SERIES } from '../../domain/stats.ts'
import type { Changes } from '../port/changes.ts'
import type { RowOf } from '../tables.ts'
import { type RowKeys, tenantNameKey } from './row-keys.ts'

export type CounterRow = RowOf<'counters'>

type CounterKeys = Pick<RowKeys, 'name' | 'agent'>

/** The key for no name. Keys of names begin with 1. */
const NO_NAME = 0

/** Returns what a batch adds to counters, one row for each. */
export function counterRows(
  { activity }: Pick<Changes, 'activity'>,
  keys: CounterKeys,
  now_ms: number,
): CounterRow[] {
  return counterChanges(activity, now_ms).map((change) => ({
    series: SERIES[change.series].key,
    owner_key: ownerKey(change, keys),
    bucket: change.bucket,
    name_key: change.name === undefined ? NO_NAME : keys.name(change.name),
    resource_key: change.resource === undefined ? NO_NAME : keys.name(change.resource),
    ...countValues(change),
    first_index: change.first_index ?? null,
  }))
}

/** Returns the sums and maxima of a counter. Signals count denials separately, because their series has no counts. */
export function countValues({ counts, signals }: Pick<CounterChange, 'counts' | 'signals'>) {
  const { rejected, deepest, budget_percent } = signals
  return { ...counts, denied: counts.denied + signals.denied, rejected, deepest, budget_percent }
}

function ownerKey({ series, owner }: CounterChange, keys: CounterKeys): number {
  return SERIES[series].owner === 'agent' ? keys.agent(owner) : tenantNameKey(owner, keys)
}

/** Called with the names that sums refer to. */
type Named = { readonly [K in 'agent' | 'name' | 'workflow']: (name: string) => unknown }

/** Reports every name in the sums. A batch stores all of them, so deferred sums add rows to no other table. */
export function nameCounted(sums: Pick<Changes, 'workflows' | 'agents' | 'activity'>, told: Named): void {
  const { uses, signals, reasons: all } = sums.activity
  for (const agent_id of sums.agents.keys()) told.agent(agent_id)
  for (const agent_id of signals.keys()) told.agent(agent_id)
  for (const { agent_id, action, resource } of uses.values()) {
    told.agent(agent_id)
    told.name(action)
    told.name(resource)
  }
  for (const reasons of all.values()) for (const reason of reasons.keys()) told.name(reason)
  for (const [provenance_ref, { actions, results }] of sums.workflows) {
    told.workflow(provenance_ref)
    for (const name of actions.keys()) told.name(name)
    for (const name of results.keys()) told.name(name)
  }
}

const SUMMED = [...COUNT_NAMES, 'rejected'] as const
const LARGEST = ['deepest', 'budget_percent'] as const

/** The columns that a batch adds to. */
export const ADDED_COLUMNS = [...SUMMED, ...LARGEST] as const
export const COUNTER_KEY = ['series', 'owner_key', 'bucket', 'name_key', 'resource_key'] as const

/**
 * Returns `a = before.a + more.a` for each column, in the syntax of a dialect. Only sums of money can exceed the safe
 * integers; they stay at the largest one.
 */
export function counterUpdate(
  columns: readonly (typeof ADDED_COLUMNS)[number][],
  before: (column: string) => string,
  more: (column: string) => string,
  { least, greatest }: { readonly least: string; readonly greatest: string },
): string {
  const largest: readonly string[] = LARGEST
  return columns
    .map((column) => {
      if (largest.includes(column)) return `${column} = ${greatest}(${before(column)}, ${more(column)})`
      const sum = `${before(column)} + ${more(column)}`
      return `${column} = ${column === 'spend_micro_usd' ? `${least}(${sum}, ${Number.MAX_SAFE_INTEGER})` : sum}`
    })
    .join(', ')
}

/** The series whose buckets are minutes, for SQL. */
export const MINUTE_SERIES = [SERIES.tenant_minute.key, SERIES.agent_minute.key].join(', ')

/** Deletes minute counters that are past retention, measured from the newest one, whatever the time is now. */
export const FORGET_MINUTES = `
  DELETE FROM counters WHERE series IN (${MINUTE_SERIES})
    AND bucket < (SELECT max(bucket) FROM counters WHERE series IN (${MINUTE_SERIES})) - ${MINUTES_KEPT}`
