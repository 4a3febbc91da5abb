import type { Frontier, Level, Rating, RecordState } from '@deputy/protocol'
import type { StoredDenial } from '../domain/denial.ts'
import type { StoredRating, StoredRecord } from '../domain/record.ts'
import type { AgentTally } from '../domain/reputation.ts'
import type { Chain, Token, TokenState } from '../domain/token.ts'

/** What a batch will look at, named beforehand so that a store can load it in a fixed number of steps. */
export interface Needs {
  readonly tokens: Set<string>
  readonly records: Set<string>
  readonly replays: Set<string>
  /** How many overdue pending records to find, for housekeeping. */
  overdue: number
}

/** The state of the store at the beginning of a batch. */
export interface Facts {
  readonly now_ms: number
  readonly frontier: Frontier
  /** Chains share their links: a change to one token is seen by every chain that runs through it. */
  chain(jti: string): Chain | undefined
  record(aar_id: string): StoredRecord | undefined
  replay(key: string): StoredReplay | undefined
  readonly overdue: readonly string[]
}

export interface StoredReplay {
  readonly fingerprint: string
  /** JSON text of what was answered. */
  readonly outcome: string
}

export interface NewToken {
  readonly token: Token
  readonly parent_jti: string | undefined
  readonly jwt_hash: string
}

export interface NewLeaf {
  readonly text: string
  readonly hash: Uint8Array
}

export interface NewRating {
  readonly record: StoredRecord
  readonly rating: StoredRating
}

export interface NewReplay extends StoredReplay {
  readonly key: string
  readonly expires_at_ms: number
}

/** How one batch adds to the counters of a workflow. */
export interface WorkflowDelta {
  records: number
  readonly agents: Map<string, number>
  readonly actions: Map<string, number>
  readonly results: Map<string, number>
}

/** Everything that one batch changes. */
export interface Changes {
  readonly tokens: NewToken[]
  readonly states: Map<string, TokenState>
  readonly created: Set<StoredRecord>
  readonly closed: Set<StoredRecord>
  readonly ratings: NewRating[]
  readonly denials: StoredDenial[]
  readonly leaves: NewLeaf[]
  /** The Merkle frontier after those leaves. */
  readonly frontier: Frontier
  readonly replays: NewReplay[]
  readonly workflows: Map<string, WorkflowDelta>
  readonly agents: Map<string, AgentTally>
  /** Write and sync something even if nothing else changed, to learn whether that is possible. */
  probe: boolean
  /** Replays that ended before this instant may be forgotten. */
  forget_replays_before_ms: number | undefined
}

/**
 * The writing side of a store.
 *
 * Promises: batches take effect one after another; `judge` sees every change acknowledged before; when `transact`
 * resolves, all changes of the batch are durable; when it rejects, none of them is visible, now or after a restart,
 * except after a `StoreError` with `outcome: 'unknown'`.
 */
export interface WriteStore {
  transact<T>(needs: Needs, judge: (facts: Facts) => { changes: Changes; result: T }): T | Promise<T>
  close(): void | Promise<void>
}

/** The store could not do its work. `unknown` means that the commit itself failed: it may or may not have happened. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly outcome: 'nothing_written' | 'unknown'

  constructor(message: string, outcome: 'nothing_written' | 'unknown', cause: unknown) {
    super(message, { cause })
    this.outcome = outcome
  }
}

export interface PageRequest {
  readonly limit: number
  /** Only entries below this log index. */
  readonly before: number | undefined
}

export interface Page<T> {
  /** From new to old; may be fewer than asked for although there are more. */
  readonly entries: T[]
  /** Go on below this log index; absent when there is nothing more. */
  readonly before: number | undefined
}

export interface TimeRange {
  readonly from_ms: number | undefined
  readonly to_ms: number | undefined
}

/** What is fixed by the token that an entry was made with. */
export interface TokenFilter {
  readonly agent_id: string | undefined
  readonly human_ref: string | undefined
  readonly provenance_ref: string | undefined
  readonly assurance_level: Level | undefined
}

export interface RecordFilter extends TokenFilter, TimeRange {
  readonly action: string | undefined
  readonly resource: string | undefined
  readonly result: string | undefined
  readonly rating: Rating | undefined
  readonly state: RecordState | undefined
}

export interface DenialFilter extends TokenFilter, TimeRange {}

export interface WorkflowCounters {
  readonly total_records: number
  readonly unique_agents: number
  readonly actions_by_type: Record<string, number>
  readonly results_by_type: Record<string, number>
}

export interface AgentFacts {
  readonly tally: AgentTally
  readonly first_seen_ms: number
  readonly last_action_ms: number | undefined
}

/**
 * The reading side of a store.
 *
 * Promises: a read sees every change that was acknowledged before it began; point reads and counters cost the same
 * whatever the number of records; a page ends after a bounded amount of work.
 */
export interface ReadStore {
  chain(jti: string): Promise<Chain | undefined>
  record(aar_id: string): Promise<StoredRecord | undefined>
  records(filter: RecordFilter, page: PageRequest): Promise<Page<StoredRecord>>
  denial(denial_id: string): Promise<StoredDenial | undefined>
  denials(filter: DenialFilter, page: PageRequest): Promise<Page<StoredDenial>>
  workflow(provenance_ref: string): Promise<WorkflowCounters | undefined>
  agent(agent_id: string): Promise<AgentFacts | undefined>
  close(): Promise<void>
}
