import { tenantOf } from '@deputize/protocol'
import { DAY_MS, dayOf, HOUR_MS, MINUTE_MS } from './times/time.ts'

/** What is counted for agents and tenants. Each value is a sum. */
export interface Counts {
  /** Actions that were allowed. */
  allowed: number
  completed: number
  /** Completed with the result `success`. */
  succeeded: number
  cancelled: number
  expired: number
  denied: number
  /** Approvals that were requested, including those that a habit or a grant gave immediately. */
  asked: number
  auto_approved: number
  /** By a person. */
  approved: number
  refused: number
  /** How long people took, in total. */
  decide_ms: number
  spend_micro_usd: number
}

/** Further values that alert rules about an agent watch. The last two are maxima. */
export interface Signals {
  denied: number
  /** Actions that a person rated `rejected`. */
  rejected: number
  /** The depth of the deepest token that the agent received. */
  deepest: number
  /** The highest share of a budget that was reached. */
  budget_percent: number
}

export function noCounts(): Counts {
  return {
    allowed: 0,
    completed: 0,
    succeeded: 0,
    cancelled: 0,
    expired: 0,
    denied: 0,
    asked: 0,
    auto_approved: 0,
    approved: 0,
    refused: 0,
    decide_ms: 0,
    spend_micro_usd: 0,
  }
}

// An empty set of counts has every name as a key.
export const COUNT_NAMES = Object.keys(noCounts()) as (keyof Counts)[]

/** Adds to counts, capping sums at the largest safe integer. Runs for every action; a loop over names is slower. */
export function addCounts(to: Counts, more: Partial<Counts>): void {
  to.allowed = boundedSum(to.allowed, more.allowed)
  to.completed = boundedSum(to.completed, more.completed)
  to.succeeded = boundedSum(to.succeeded, more.succeeded)
  to.cancelled = boundedSum(to.cancelled, more.cancelled)
  to.expired = boundedSum(to.expired, more.expired)
  to.denied = boundedSum(to.denied, more.denied)
  to.asked = boundedSum(to.asked, more.asked)
  to.auto_approved = boundedSum(to.auto_approved, more.auto_approved)
  to.approved = boundedSum(to.approved, more.approved)
  to.refused = boundedSum(to.refused, more.refused)
  to.decide_ms = boundedSum(to.decide_ms, more.decide_ms)
  to.spend_micro_usd = boundedSum(to.spend_micro_usd, more.spend_micro_usd)
}

function boundedSum(a: number, b = 0): number {
  return Math.min(a + b, Number.MAX_SAFE_INTEGER)
}

export function noSignals(): Signals {
  return { denied: 0, rejected: 0, deepest: 0, budget_percent: 0 }
}

export function addSignals(to: Signals, more: Partial<Signals>): void {
  to.denied += more.denied ?? 0
  to.rejected += more.rejected ?? 0
  to.deepest = Math.max(to.deepest, more.deepest ?? 0)
  to.budget_percent = Math.max(to.budget_percent, more.budget_percent ?? 0)
}

/** What an agent did or tried to do. */
export interface Use {
  readonly agent_id: string
  readonly action: string
  readonly resource: string
}

/** What a batch counts for one use. */
export interface CountedUse extends Use {
  readonly counts: Counts
  /** The leaf of the first allowed action of this batch. */
  first_index: number | undefined
}

/** Everything that a batch counts, all at one instant. */
export interface Activity {
  /** By agent, action and resource. */
  readonly uses: Map<string, CountedUse>
  /** By agent. */
  readonly signals: Map<string, Signals>
  /** By agent, then by reason. */
  readonly reasons: Map<string, Map<string, number>>
}

export function noActivity(): Activity {
  return { uses: new Map(), signals: new Map(), reasons: new Map() }
}

/** Counts something that an agent did. */
export function countUse(activity: Activity, use: Use, counts: Partial<Counts>, log_index?: number): void {
  const counted = usedIn(activity, use)
  addCounts(counted.counts, counts)
  counted.first_index ??= log_index
}

/** Counts a denial, and each of its reasons. */
export function countDenial(activity: Activity, use: Use, reasons: readonly string[]): void {
  addCounts(usedIn(activity, use).counts, { denied: 1 })
  countSignal(activity, use.agent_id, { denied: 1 })
  const known = activity.reasons.get(use.agent_id) ?? new Map<string, number>()
  activity.reasons.set(use.agent_id, known)
  for (const reason of reasons) known.set(reason, (known.get(reason) ?? 0) + 1)
}

export function countSignal(activity: Activity, agent_id: string, signals: Partial<Signals>): void {
  const known = activity.signals.get(agent_id) ?? noSignals()
  activity.signals.set(agent_id, known)
  addSignals(known, signals)
}

/** Returns the key of a use in an activity. Neither an action nor a resource contains a line break. */
export function useName({ agent_id, action, resource }: Use): string {
  return `${agent_id}\n${action}\n${resource}`
}

function usedIn({ uses }: Activity, use: Use): CountedUse {
  const name = useName(use)
  const known = uses.get(name)
  if (known !== undefined) return known
  const { agent_id, action, resource } = use
  const counted = { agent_id, action, resource, counts: noCounts(), first_index: undefined }
  uses.set(name, counted)
  return counted
}

/** Returns the counts for how an action ended. */
export function closingCounts({
  state,
  result,
  spend_micro_usd,
}: {
  readonly state: string
  readonly result: string | undefined
  readonly spend_micro_usd: number
}): Partial<Counts> {
  if (state === 'completed') return { completed: 1, succeeded: result === 'success' ? 1 : 0, spend_micro_usd }
  return state === 'cancelled' ? { cancelled: 1 } : { expired: 1 }
}

/** Returns the counts for a decision on an approval. Habits and grants decide immediately. */
export function decisionCounts(
  decision: 'approved' | 'denied',
  by: string,
  took_ms: number,
): Partial<Counts> {
  if (by === 'habit' || by === 'grant') return { auto_approved: 1 }
  return { [decision === 'approved' ? 'approved' : 'refused']: 1, decide_ms: took_ms }
}

/**
 * The series of counters. Each has an owner, which is a tenant or an agent, and a bucket length. Some are split
 * further, by action and resource or by the reason of a denial. They are stored by `key`.
 */
export const SERIES = {
  /** Totals of a tenant. Kept for a week. */
  tenant_minute: { key: 0, owner: 'tenant', bucket_ms: MINUTE_MS },
  tenant_hour: { key: 1, owner: 'tenant', bucket_ms: HOUR_MS },
  /** By action and resource. */
  tenant_day: { key: 2, owner: 'tenant', bucket_ms: DAY_MS },
  agent_day: { key: 3, owner: 'agent', bucket_ms: DAY_MS },
  /** By action and resource. */
  agent_hour: { key: 4, owner: 'agent', bucket_ms: HOUR_MS },
  /** Signals only. Kept for a week. */
  agent_minute: { key: 5, owner: 'agent', bucket_ms: MINUTE_MS },
  /** Denials by reason. */
  tenant_reason: { key: 6, owner: 'tenant', bucket_ms: HOUR_MS },
  agent_reason: { key: 7, owner: 'agent', bucket_ms: HOUR_MS },
} as const

export type SeriesName = keyof typeof SERIES

/** How many minutes the minute counters go back from the newest one. */
export const MINUTES_KEPT = 7 * 24 * 60

/** Whether old counters of the series are deleted. */
export function isKeptShortly(series: SeriesName): boolean {
  return SERIES[series].bucket_ms === MINUTE_MS
}

/** One counter, and what to add to it. */
export interface CounterChange {
  readonly series: SeriesName
  /** A tenant or an agent. */
  readonly owner: string
  readonly bucket: number
  /** An action or a reason. */
  readonly name: string | undefined
  readonly resource: string | undefined
  readonly counts: Counts
  readonly signals: Signals
  readonly first_index: number | undefined
}

type CounterPlace = Pick<CounterChange, 'series' | 'owner' | 'bucket'> &
  Partial<Pick<CounterChange, 'name' | 'resource'>>

const NO_COUNTS: Readonly<Counts> = Object.freeze(noCounts())
const NO_SIGNALS: Readonly<Signals> = Object.freeze(noSignals())

/**
 * Returns the counters that an activity adds to, each once. Because this runs for every batch, they share their counts
 * with the activity and with each other: copy them before you change them.
 */
export function counterChanges(activity: Activity, at_ms: number): CounterChange[] {
  const changes: CounterChange[] = []
  const hour = Math.floor(at_ms / HOUR_MS)
  const day = dayOf(at_ms)
  const agents = new Sums()
  const tenants = new Sums()
  const uses = new Sums()
  for (const { agent_id, action: name, resource, counts, first_index } of activity.uses.values()) {
    const place = { series: 'agent_hour', owner: agent_id, bucket: hour, name, resource } as const
    changes.push({ ...change(place, counts), first_index })
    const owner = tenantOf(agent_id)
    agents.add(agent_id, { series: 'agent_day', owner: agent_id, bucket: day }, counts)
    tenants.add(owner, { series: 'tenant_hour', owner, bucket: hour }, counts)
    const used = `${owner}\n${name}\n${resource}`
    uses.add(used, { series: 'tenant_day', owner, bucket: day, name, resource }, counts)
  }
  const minute = Math.floor(at_ms / MINUTE_MS)
  for (const { owner, counts } of tenants.changes())
    changes.push(change({ series: 'tenant_minute', owner, bucket: minute }, counts))
  changes.push(...tenants.changes(), ...agents.changes(), ...uses.changes())
  for (const [owner, signals] of activity.signals)
    changes.push({ ...change({ series: 'agent_minute', owner, bucket: minute }, NO_COUNTS), signals })
  return [...changes, ...reasonChanges(activity, hour)]
}

function reasonChanges({ reasons: all }: Activity, hour: number): CounterChange[] {
  const sums = new Sums()
  for (const [agent_id, reasons] of all)
    for (const [name, denied] of reasons) {
      const counts = { ...NO_COUNTS, denied }
      const owner = tenantOf(agent_id)
      sums.add(`${owner}\n${name}`, { series: 'tenant_reason', owner, bucket: hour, name }, counts)
      sums.add(
        `${agent_id}\n${name}\n`,
        { series: 'agent_reason', owner: agent_id, bucket: hour, name },
        counts,
      )
    }
  return sums.changes()
}

function change({ series, owner, bucket, name, resource }: CounterPlace, counts: Counts): CounterChange {
  return { series, owner, bucket, name, resource, counts, signals: NO_SIGNALS, first_index: undefined }
}

/** Adds up counts by name. Counts that were added only once aren't copied. */
class Sums {
  readonly #changes = new Map<string, { readonly change: CounterChange; readonly is_own: boolean }>()

  add(name: string, place: CounterPlace, counts: Counts): void {
    const known = this.#changes.get(name)
    if (known === undefined) {
      this.#changes.set(name, { change: change(place, counts), is_own: false })
      return
    }
    const own = known.is_own ? known.change : change(place, { ...known.change.counts })
    addCounts(own.counts, counts)
    if (!known.is_own) this.#changes.set(name, { change: own, is_own: true })
  }

  changes(): CounterChange[] {
    return Array.from(this.#changes.values(), (one) => one.change)
  }
}

/** Returns a unique key for each counter. */
export function counterName({ series, owner, bucket, name = '', resource = '' }: CounterPlace): string {
  return `${series}\n${owner}\n${bucket}\n${name}\n${resource}`
}
