import type { FirstUse, HourUse, MinuteSignals } from '../../domain/alert.ts'
import type { Counts, SeriesName } from '../../domain/stats.ts'

/** Counters as they are committed. Every question reads a bounded number of rows. */
export interface StatsReader {
  sums(query: CounterQuery): Promise<CounterSums>
  /**
   * Agents of a tenant with counters from a minute or hour on, those with the most denials and spend first. With `after`,
   * they come in an order that never changes, so that a caller who goes on after the last one misses none.
   */
  activeSince(query: ActiveQuery): Promise<string[]>
  /**
   * The signals of an agent by minute, in the order of time. Like the two below, it shows at least what `activeSince`
   * counted before.
   */
  signals(agent_id: string, from_minute: number, to_minute: number): Promise<MinuteSignals[]>
  /** The hours in which an agent acted, in the order of time. */
  hours(agent_id: string, from_hour: number, to_hour: number): Promise<HourUse[]>
  /** What an agent did for the first time ever, or acted on for the first time, from one hour to another. */
  firstUses(agent_id: string, from_hour: number, to_hour: number): Promise<FirstUse[]>
}

/** Which counters to add up. */
export interface CounterQuery {
  readonly series: SeriesName
  /** An agent, some agents, the agents of a tenant, or tenants. It must be what the series counts. */
  readonly of:
    | { readonly agent_id: string }
    | { readonly agent_ids: readonly string[] }
    | { readonly agents_of: string }
    | { readonly tenants: readonly string[] }
  /** The first bucket. */
  readonly from: number
  /** The first bucket that is left out. */
  readonly to: number
  /** How many buckets of the series make one of the answer. Undefined: all of them. */
  readonly bucket_size: number | undefined
  /** Sums are kept apart by these. */
  readonly by: readonly ('owner' | 'name' | 'resource')[]
  readonly action?: string | undefined
  readonly resource?: string | undefined
}

export interface CounterSum {
  /** In units of `bucket_size` buckets; 0 without one. */
  readonly bucket: number
  /** A tenant or an agent. */
  readonly owner: string | undefined
  /** An action or a reason. */
  readonly name: string | undefined
  readonly resource: string | undefined
  readonly counts: Counts
}

export interface CounterSums {
  /** False if the query would read too many counters. `sums` is empty then. */
  readonly is_complete: boolean
  /** In the order of time. */
  readonly sums: readonly CounterSum[]
}

export interface ActiveQuery {
  readonly tenant_id: string
  readonly unit: 'minute' | 'hour'
  readonly from: number
  readonly limit: number
  /** Only this agent. */
  readonly agent_id?: string | undefined
  /** Only agents after this one in the order that never changes; an empty text begins. */
  readonly after?: string | undefined
}
