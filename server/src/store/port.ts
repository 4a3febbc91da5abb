import type { Level, Rank } from '@deputize/protocol'
import type { StoredApproval } from '../domain/approvals/approval.ts'
import type { Habit, HabitKey } from '../domain/approvals/habit.ts'
import type { StoredDenial } from '../domain/denial.ts'
import type { StoredRecord } from '../domain/record.ts'
import type { AgentTally } from '../domain/reputation.ts'
import type { Chain, Token, TokenWords } from '../domain/tokens/token.ts'
import type {
  ApprovalFilter,
  DenialFilter,
  Fitting,
  HabitFilter,
  RecordFilter,
  TenantFilter,
  TokenFilter,
} from './port/filters.ts'
import type { LogReader } from './port/log-reader.ts'
import type { Page, PageRequest, Total } from './port/pages.ts'
import type { RegistryReader } from './port/registry.ts'
import type { StatsReader } from './port/stats-reader.ts'
import type { TrustReader } from './port/trust-reader.ts'
import type { WorkflowReader } from './port/workflow-reader.ts'

/**
 * The read side of a store.
 *
 * Promises: a read sees every change acknowledged before it began, and no personal data of people who were erased
 * before it began; point reads and counters cost the same whatever the number of records; a page takes a bounded amount
 * of work.
 */
export interface ReadStore {
  readonly log: LogReader
  readonly workflows: WorkflowReader
  readonly registry: RegistryReader
  readonly trust: TrustReader
  readonly stats: StatsReader
  readonly standing: StandingReader
  chain(jti: string): Promise<Chain | undefined>
  /** The chains of several tokens, by id. Unknown ids are left out. */
  chains(jtis: readonly string[]): Promise<ReadonlyMap<string, Chain>>
  /** The purposes of tokens and the reasons of revocations and suspensions, by id. Tokens with none are left out. */
  words(jtis: readonly string[]): Promise<ReadonlyMap<string, TokenWords>>
  human(human_ref: string, now_ms: number): Promise<HumanFacts | undefined>
  /** The tenant of the first token issued in a person's name. Undefined if there is none. */
  firstTenant(human_ref: string): Promise<string | undefined>
  /** People in whose name a token was issued, newest first. */
  people(filter: TenantFilter, page: PageRequest, now_ms: number): Promise<Page<PersonFacts>>
  /** The first free place in the status list. */
  nextStatusIndex(): Promise<number>
  /** Its cost grows with the number of such tokens; other reads run meanwhile. It may miss changes made while it runs. */
  silenced(now_ms: number): Promise<Silenced>
  /** Changes from `since` on in log order, at most `limit`. Other leaves cost nothing. */
  standingChanges(since: number, limit: number): Promise<StandingChanges>
  /** Tokens by number, newest first. */
  tokens(filter: TokenFilter & Fitting<Chain>, page: PageRequest): Promise<Page<Chain>>
  countTokens(filter: TokenFilter): Promise<Total>
  /** A token's descendants in tree order. `before` is the last one seen. */
  descendants(jti: string, page: PageRequest): Promise<Page<Chain>>
  blastRadius(jti: string, now_ms: number): Promise<BlastRadius>
  usage(jti: string): Promise<Usage>
  approval(approval_id: string): Promise<StoredApproval | undefined>
  approvals(filter: ApprovalFilter, page: PageRequest, now_ms: number): Promise<Page<StoredApproval>>
  countApprovals(filter: ApprovalFilter, now_ms: number): Promise<Total>
  /** Overdue pending records, counted up to `MOST_TOTALLED`. */
  countOverdue(now_ms: number): Promise<number>
  habits(filter: HabitFilter): Promise<(HabitKey & Habit)[]>
  record(aar_id: string): Promise<StoredRecord | undefined>
  records(filter: RecordFilter, page: PageRequest): Promise<Page<StoredRecord>>
  denial(denial_id: string): Promise<StoredDenial | undefined>
  denials(filter: DenialFilter, page: PageRequest): Promise<Page<StoredDenial>>
  countDenials(filter: DenialFilter): Promise<Total>
  workflow(provenance_ref: string): Promise<WorkflowCounters | undefined>
  agent(agent_id: string): Promise<AgentFacts | undefined>
  /** Agents by number, newest first. */
  agents(filter: TenantFilter & Fitting<AgentFacts>, page: PageRequest): Promise<Page<AgentFacts>>
  countAgents(filter: TenantFilter): Promise<Total>
  /** How many of each agent's newest `MOST_LISTED_TOKENS` tokens have not expired and were not revoked themselves. */
  liveTokens(agent_ids: readonly string[], now_ms: number): Promise<ReadonlyMap<string, number>>
  /**
   * People for whom an agent holds tokens that have not expired and were not revoked themselves, newest token first. A
   * page looks at no more tokens than its limit. Later pages may name the same people again.
   */
  peopleOfAgent(agent_id: string, now_ms: number, page: PageRequest): Promise<Page<string>>
  /** Agents that have acted or were rated, for ranking; at most `limit`. */
  activeAgents(filter: TenantFilter, limit: number): Promise<AgentFacts[]>
  /** The keys that an agent uses, newest first. */
  agentKeys(agent_id: string, limit: number): Promise<RegisteredKey[]>
  /** The sums of each active day, oldest first. Days count from 1970. */
  agentDays(agent_id: string, limit: number): Promise<{ readonly day: number; readonly tally: AgentTally }[]>
  close(): Promise<void>
}

/**
 * Answers whether a token is in force and who owns a record, without waiting until the newest actions can be read.
 *
 * Promises: everything acknowledged is found, with its immutable facts and with the current marks on tokens, agents and
 * people. Counts, sums and the state of a record may be a moment old.
 */
export interface StandingReader {
  /**
   * The token alone. Tokens never change and are cached, so timing reveals earlier reads: authorize the caller first.
   */
  token(jti: string): Promise<Token | undefined>
  chain(jti: string): Promise<Chain | undefined>
  record(aar_id: string): Promise<StoredRecord | undefined>
}

/** A key that an agent has registered. */
export interface RegisteredKey {
  readonly agent_id: string
  /** SHA-256 thumbprint (RFC 7638). */
  readonly jkt: string
  readonly log_index: number
  /** The leaf that removed it. */
  readonly removed_index: number | undefined
}

/** Hands out indexes in the status list, in which offline verifiers look up revoked tokens. Each index is used once. */
export interface StatusIndexes {
  next(): number | Promise<number>
}

export interface WorkflowCounters {
  readonly total_records: number
  readonly unique_agents: number
  readonly actions_by_type: Record<string, number>
  readonly results_by_type: Record<string, number>
}

/** The most habits that a list returns, most used first. */
export const MOST_HABITS = 200

/** Status list places of unexpired tokens that are revoked or suspended, directly or by an ancestor. */
export interface Silenced {
  readonly revoked: ReadonlySet<number>
  readonly suspended: ReadonlySet<number>
}

/** Leaves of revocations, suspensions and resumptions. */
export interface StandingChanges {
  /** The size of the log at that moment. Every change below it was considered. */
  readonly log_size: number
  readonly leaves: readonly { readonly log_index: number; readonly text: string }[]
}

/** What revoking a token would affect. */
export interface BlastRadius {
  readonly live_tokens: number
  readonly agents: readonly string[]
  readonly pending_records: number
}

/** The actions and resources that a token and its descendants used. */
export interface Usage {
  readonly actions: readonly string[]
  readonly resources: readonly string[]
  readonly records_seen: number
}

/** A person, with counts and levels over their newest `MOST_COUNTED` tokens. */
export interface HumanFacts {
  readonly human_ref: string
  readonly assurance_levels: readonly Level[]
  readonly tokens: number
  readonly live_tokens: number
  readonly workflows: number
  readonly first_seen_ms: number | undefined
  readonly erased_at_ms: number | undefined
  readonly refused_at_ms: number | undefined
}

export const MOST_COUNTED = 10_000

/** A person in a list, with counts over their newest `MOST_LISTED_TOKENS` tokens. */
export interface PersonFacts extends Omit<HumanFacts, 'workflows'> {
  /** Approvals that wait for the person. */
  readonly waiting: number
}

/** How many tokens of each agent or person a list counts. */
export const MOST_LISTED_TOKENS = 200

export interface AgentFacts {
  readonly agent_id: string
  readonly profile: string | undefined
  readonly suspended_at_ms: number | undefined
  readonly suspended_rank: Rank | undefined
  readonly suspend_reason: string | undefined
  readonly owned_by: readonly string[] | undefined
  readonly tally: AgentTally
  readonly first_seen_ms: number
  readonly last_action_ms: number | undefined
}
