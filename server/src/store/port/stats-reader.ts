import type { FirstUse, HourUse, MinuteSignals } from '../../domain/alert.ts'
import type { Counts, SeriesName } from '../../domain/stats.ts'

/** The committed counters. Every query reads a bounded number of rows. */
export interface StatsReader {
  sums(query: CounterQuery): Promise<CounterSums>
  /**
   * Agents of a tenant with counters from a minute or hour on, those with the most denials and spend first. With
   * `after`, the order never changes, so a caller that continues after the last agent misses none.
   */
  activeSince(query: ActiveQuery): Promise<string[]>
  /**
   * An agent's signals by minute, in time order. Like the two below, includes at least what `activeSince` counted
   * before.
   */
  signals(agent_id: string, from_minute: number, to_minute: number): Promise<MinuteSignals[]>
  /** The hours in which an agent acted, in time order. */
  hours(agent_id: string, from_hour: number, to_hour: number): Promise<HourUse[]>
  /** Actions that an agent took, and resources that it acted on, for the first time ever in a range of hours. */
  firstUses(agent_id: string, from_hour: number, to_hour: number): Promise<FirstUse[]>
}

/** Which counters to add up. */
export interface CounterQuery {
  readonly series: SeriesName
  /** An agent, some agents, the agents of a tenant, or tenants. Must match what the series counts. */
  readonly of:
    | { readonly agent_id: string }
    | { readonly agent_ids: readonly string[] }
    | { readonly agents_of: string }
    | { readonly tenants: readonly string[] }
  /** The first bucket. */
  readonly from: number
  /** The first bucket past the end. */
  readonly to: number
  /** How many buckets of the series are summed into one of the result. If undefined, all of them. */
  readonly bucket_size: number | undefined
  /** The sums are grouped by these. */
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
  /** False if the query would read too many counters. `sums` is then empty. */
  readonly is_complete: boolean
  /** In time order. */
  readonly sums: readonly CounterSum[]
}

export interface ActiveQuery {
  readonly tenant_id: string
  readonly unit: 'minute' | 'hour'
  readonly from: number
  readonly limit: number
  /** Only this agent. */
  readonly agent_id?: string | undefined
  /** Only agents after this one in the order that never changes. An empty string starts at the first agent. */
  readonly after?: string | undefined
}
