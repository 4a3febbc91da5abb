import type { Evidence, Frontier, Level, Rank, Rating, Reason, RecordState } from '@deputize/protocol'
import type { ApprovalState, StoredApproval } from '../domain/approvals/approval.ts'
import type { Habit, HabitKey } from '../domain/approvals/habit.ts'
import type { StoredDenial } from '../domain/denial.ts'
import type { StoredRecord } from '../domain/record.ts'
import type { AgentTally } from '../domain/reputation.ts'
import type { Chain, TokenWords } from '../domain/tokens/token.ts'
import type { AskedScore, StoredAnchor, StoredVouch } from '../domain/vouch.ts'
import { isFullStore } from '../sqlite-code.ts'
import type { StatsReader } from './port/stats-reader.ts'

/** The kinds of registry entries. Every change to one is logged. */
export const REGISTRY_KINDS = [
  'tenant',
  'api_key',
  'passkey',
  'identity',
  'session',
  'key_session',
  'key_passkey',
  'access',
  'biometric',
  'verification',
  'review',
  'external_check',
  'redaction',
  'channel',
  'tenant_channel',
  'notifications',
  'ssf_stream',
  'webhook',
  'alert_rule',
  'alert',
] as const
export type RegistryKind = (typeof REGISTRY_KINDS)[number]

export interface RegistryName {
  readonly kind: RegistryKind
  /** Neither secret nor personal: it outlives an erasure, and its SHA-256 is public. */
  readonly id: string
}

/** The entry that says whether the store is one of open or keyed mode. A store without it was never keyed. */
export const ACCESS_ENTRY = { kind: 'access', id: 'mode' } as const satisfies RegistryName

/** An entry of the registry. */
export interface RegistryEntry extends RegistryName {
  readonly tenant_id: string
  /** The person whose data key seals the document. Undefined: the deployment's key seals it. */
  readonly owner: string | undefined
  /** Undefined once the entry is removed or its owner is erased. */
  readonly document: string | undefined
  /** The leaf of the newest change. A caller that names it changes the version it has seen, or nothing. */
  readonly log_index: number
}

/** One text for each name. No kind contains a space. */
export function registryKey({ kind, id }: RegistryName): string {
  return `${kind} ${id}`
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

/** A signed checkpoint with its whole note. */
export interface StoredCheckpoint {
  readonly size: number
  readonly root: Uint8Array
  readonly signed_at_ms: number
  readonly note: string
}

/**
 * The store failed. The outcome says what became of the changes:
 * - `nothing_written`: none of them is durable.
 * - `rows_refused`: none is, because the store can't hold a row of the batch. Another attempt would fail in the same way.
 * - `unknown`: they may or may not become durable. The commit failed, or a crash may replay a frame of the journal.
 * - `committed`: all of them are, but copies of destroyed data could not be cleared yet.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly outcome: 'nothing_written' | 'rows_refused' | 'unknown' | 'committed'
  /** Whether the disk of the store is full. */
  readonly is_full: boolean
  /** What callers and operators are told, if the store knows a way out. */
  readonly detail: string | undefined

  constructor(
    message: string,
    outcome: StoreError['outcome'],
    cause: unknown,
    is_full: boolean = saysFull(cause),
    detail?: string,
  ) {
    super(message, { cause })
    this.outcome = outcome
    this.is_full = is_full
    this.detail = detail
  }
}

const POSTGRES_DISK_FULL = '53100'

function saysFull(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false
  if (cause instanceof StoreError) return cause.is_full
  return isFullStore(cause) || ('code' in cause && cause.code === POSTGRES_DISK_FULL)
}

/** Hands out indexes in the status list, which tells offline verifiers whether a token is revoked. Each is used once. */
export interface StatusIndexes {
  next(): number | Promise<number>
}

export interface PageRequest {
  readonly limit: number
  /** Only entries below this log index. */
  readonly before: number | undefined
}

export interface Page<T> {
  /** Newest first. A page may hold fewer entries than asked for although more follow. */
  readonly entries: T[]
  /** The next page begins below this log index; undefined after the last page. */
  readonly before: number | undefined
}

/** How many entries match, counted up to `MOST_TOTALLED` and for a bounded time. */
export interface Total {
  readonly count: number
  /** Whether `count` is exact. Otherwise there are at least that many. */
  readonly is_exact: boolean
}

export const MOST_TOTALLED = 10_000

export interface TimeRange {
  readonly from_ms: number | undefined
  readonly to_ms: number | undefined
}

export interface TenantFilter {
  /** Only entries of this tenant. */
  readonly tenant_id: string | undefined
}

/** Filters by the token that an entry was made with. Agents are named as in their tokens. */
export interface TokenFilter extends TenantFilter {
  readonly agent_id: string | undefined
  readonly human_ref: string | undefined
  readonly provenance_ref: string | undefined
  readonly assurance_level: Level | undefined
}

/** An additional condition, checked for each entry that was read. A page may therefore hold fewer entries. */
export interface Fitting<T> {
  readonly fits?: ((entry: T) => boolean) | undefined
}

export interface RecordFilter extends TokenFilter, TimeRange {
  readonly action: string | undefined
  readonly resource: string | undefined
  readonly result: string | undefined
  readonly rating: Rating | undefined
  readonly state: RecordState | undefined
  readonly evidence: Evidence | undefined
}

/** Matches every token. Spread it and set the filters you need. */
export const EVERY_TOKEN: TokenFilter = {
  tenant_id: undefined,
  agent_id: undefined,
  human_ref: undefined,
  provenance_ref: undefined,
  assurance_level: undefined,
}

/** Matches every record at any time. */
export const EVERY_RECORD: RecordFilter = {
  ...EVERY_TOKEN,
  action: undefined,
  resource: undefined,
  result: undefined,
  rating: undefined,
  state: undefined,
  evidence: undefined,
  from_ms: undefined,
  to_ms: undefined,
}

export interface DenialFilter extends TokenFilter, TimeRange {
  readonly action?: string | undefined
  readonly resource?: string | undefined
  /** Only those with this reason among theirs. */
  readonly reason?: Reason | undefined
}

/** Matches every denial at any time. */
export const EVERY_DENIAL: DenialFilter = { ...EVERY_TOKEN, from_ms: undefined, to_ms: undefined }

export interface WorkflowCounters {
  readonly total_records: number
  readonly unique_agents: number
  readonly actions_by_type: Record<string, number>
  readonly results_by_type: Record<string, number>
}

export interface ApprovalFilter extends TokenFilter, TimeRange {
  readonly state: ApprovalState | undefined
  /** Only those that one of these people must approve, or reviewers if `reviewer` is among them. */
  readonly approvers?: readonly string[]
}

export interface HabitFilter extends TenantFilter {
  readonly agent_id: string | undefined
  readonly human_ref: string | undefined
  /** Only those with a grant that ends after this instant. */
  readonly granted_after_ms?: number
}

/** How many habits a list returns, the most used first. */
export const MOST_HABITS = 200

/** Places in the status list of unexpired tokens that are revoked or suspended, directly or by an ancestor. */
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

/** A person with counts and levels over their newest tokens, at most `MOST_COUNTED` of them. */
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

export interface WorkflowFilter extends TenantFilter, TimeRange {
  readonly human_ref: string | undefined
  /** Of any token of the workflow. */
  readonly agent_id: string | undefined
}

/** A summary of a workflow. Person, agent and level are those of its root token. */
export interface WorkflowFacts {
  /** Its place in lists, which run from the highest to the lowest. */
  readonly position: number
  readonly provenance_ref: string
  readonly root_jti: string
  readonly human_ref: string
  readonly agent_id: string
  readonly assurance_level: Level
  readonly created_at_ms: number
  /** The leaf of the root token: every entry of the workflow lies at or above it. */
  readonly log_index: number
  readonly total_records: number
  readonly unique_agents: number
  readonly last_action_ms: number | undefined
}

export interface UpwardRequest {
  readonly limit: number
  /** Only entries at or above this log index. */
  readonly from: number
  /** Only entries below this log index. */
  readonly end: number | undefined
}

export interface UpwardPage<T> {
  /** Oldest first. A page may hold fewer entries than asked for although more follow. */
  readonly entries: T[]
  /** The next page begins at this log index; undefined after the last page. */
  readonly from: number | undefined
}

/** Where a page of a graph begins: first the records, then the tokens without records. */
export type GraphPosition = { readonly records_from: number } | { readonly tokens_from: number }

/** What a graph shows besides actions. */
export type GraphExtra = 'denials' | 'approvals'

export interface GraphPage {
  readonly records: StoredRecord[]
  readonly denials: StoredDenial[]
  readonly approvals: StoredApproval[]
  /** The chains of the tokens of these entries, and of tokens without records, each once. */
  readonly chains: Chain[]
  readonly next: GraphPosition | undefined
}

export interface Lineage {
  readonly record: StoredRecord
  /** From the direct cause to the first. */
  readonly causes: StoredRecord[]
  readonly has_more_causes: boolean
  /** Direct effects, oldest first. */
  readonly effects: StoredRecord[]
  readonly has_more_effects: boolean
}

export interface StoredLeaf {
  readonly log_index: number
  readonly text: string
}

/**
 * Reads whole workflows. An unknown workflow has no facts, and its lists are empty.
 *
 * Promises besides those of the reading side: lists without a limit come in pieces, hold a bounded amount of memory,
 * and let other reads run in between. `end` is a log index: entries from there on are left out.
 */
export interface WorkflowReader {
  facts(provenance_ref: string): Promise<WorkflowFacts | undefined>
  /** Newest first. */
  list(filter: WorkflowFilter, page: PageRequest): Promise<Page<WorkflowFacts>>
  count(filter: WorkflowFilter): Promise<Total>
  /** Records of any filter in the order of the log, as they are now. */
  records(filter: RecordFilter, page: UpwardRequest): Promise<UpwardPage<StoredRecord>>
  /** A consistent snapshot of at most `limit` entries of each kind and at most `limit` tokens without records. */
  graph(
    provenance_ref: string,
    limit: number,
    position: GraphPosition,
    extras?: readonly GraphExtra[],
  ): Promise<GraphPage>
  /** For each workflow, its tokens that have not expired and were not revoked themselves, among its newest `MOST_LISTED_TOKENS`. */
  liveTokens(provenance_refs: readonly string[], now_ms: number): Promise<ReadonlyMap<string, number>>
  /** At most so many causes and effects. */
  lineage(aar_id: string, most: { causes: number; effects: number }): Promise<Lineage | undefined>
  /** Each agent that holds a token of the workflow, once. */
  agents(provenance_ref: string, end: number): AsyncIterable<string>
  /** Each resource that was acted on, once. */
  resources(provenance_ref: string, end: number): AsyncIterable<string>
  /** The token that a leaf without a row of its own is about, by the index of the leaf. */
  tokenAt(provenance_ref: string, log_index: number): Promise<string | undefined>
  /** Every leaf that belongs to the workflow, ascending. */
  leaves(provenance_ref: string, end: number): AsyncIterable<StoredLeaf>
}

/**
 * The log as it is committed. Leaves, hashes and nodes are in the order of the log; asking beyond its end answers fewer.
 */
export interface LogReader {
  /** How far the log goes. Everything below is durable: a checkpoint may be signed over it. */
  head(): Promise<Frontier>
  leaves(start: number, end: number): Promise<string[]>
  leafHashes(start: number, end: number): Promise<Uint8Array[]>
  /** Roots of full subtrees of 256^level leaves; level 1 or more. */
  nodes(level: number, start: number, end: number): Promise<Uint8Array[]>
  /** The newest checkpoint that was signed. */
  lastCheckpoint(): Promise<StoredCheckpoint | undefined>
  /** Newest first, by size. */
  checkpoints(page: PageRequest): Promise<Page<StoredCheckpoint>>
}

export interface RegistryFilter {
  readonly tenant_id?: string | undefined
  readonly owner?: string | undefined
}

/** The committed registry. Reads are never stale, on any node. */
export interface RegistryReader {
  /** A removed entry is returned without its document. */
  entry(kind: RegistryKind, id: string): Promise<RegistryEntry | undefined>
  /** Entries that have a document, the newest change first. */
  list(kind: RegistryKind, filter: RegistryFilter, page: PageRequest): Promise<Page<KeptEntry>>
}

export interface VouchFilter extends TenantFilter {
  readonly from: string | undefined
  /** A `human_ref`, or an agent as the log names it. */
  readonly to: string | undefined
  readonly context: string | undefined
  /** Only those that stand at this instant. */
  readonly standing_at_ms: number | undefined
}

/** Matches every vouch. */
export const EVERY_VOUCH: VouchFilter = {
  tenant_id: undefined,
  from: undefined,
  to: undefined,
  context: undefined,
  standing_at_ms: undefined,
}

/** Leaves that change the trust graph. */
export interface TrustLeaves {
  /** The size of the log at that moment, and the time of its newest leaf. Every such leaf below it was considered. */
  readonly log_size: number
  readonly last_ms: number
  readonly leaves: readonly StoredLeaf[]
}

/** Vouches, anchors and scores as they are committed. */
export interface TrustReader {
  vouch(vouch_id: string): Promise<StoredVouch | undefined>
  /** Newest first. */
  vouches(filter: VouchFilter, page: PageRequest): Promise<Page<StoredVouch>>
  /** Anchors that operators named and did not remove, the newest first. */
  anchors(filter: TenantFilter, page: PageRequest): Promise<Page<StoredAnchor>>
  anchor(human_ref: string): Promise<StoredAnchor | undefined>
  /** From `since` on in the order of the log, at most `limit`. Other leaves cost nothing. */
  leaves(since: number, limit: number): Promise<TrustLeaves>
  /** The agents whose score a token asks for, in the order of their names, at most `limit` after `after`. */
  askedScores(after: string, limit: number): Promise<AskedScore[]>
}

/** An entry that is neither removed nor erased. */
export type KeptEntry = RegistryEntry & { readonly document: string }

/**
 * Answers whether a token is in force and who owns a record, without waiting until the newest actions can be read.
 *
 * Promises: everything acknowledged is found, with its immutable facts and with the current marks on tokens, agents and
 * people. Counts, sums and the state of a record may be a moment old.
 */
export interface StandingReader {
  chain(jti: string): Promise<Chain | undefined>
  record(aar_id: string): Promise<StoredRecord | undefined>
}

/**
 * The reading side of a store.
 *
 * Promises: a read sees every change that was acknowledged before it began, and no personal data of people who were erased
 * before it began; point reads and counters cost the same whatever the number of records; a page ends after a bounded
 * amount of work.
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
  /** The tenant of the first token that was issued in the name of a person. Undefined while there is none. */
  firstTenant(human_ref: string): Promise<string | undefined>
  /** People in whose name a token was issued, the newest first. */
  people(filter: TenantFilter, page: PageRequest, now_ms: number): Promise<Page<PersonFacts>>
  /** The first free place in the status list. */
  nextStatusIndex(): Promise<number>
  /** Its cost grows with the number of such tokens; other reads run meanwhile. It may miss changes made while it runs. */
  silenced(now_ms: number): Promise<Silenced>
  /** From `since` on in the order of the log, at most `limit`. Other leaves cost nothing. */
  standingChanges(since: number, limit: number): Promise<StandingChanges>
  /** Tokens by number, newest first. */
  tokens(filter: TokenFilter & Fitting<Chain>, page: PageRequest): Promise<Page<Chain>>
  countTokens(filter: TokenFilter): Promise<Total>
  /** The descendants of a token in the order of the tree; `before` is the last one seen. */
  descendants(jti: string, page: PageRequest): Promise<Page<Chain>>
  blastRadius(jti: string, now_ms: number): Promise<BlastRadius>
  usage(jti: string): Promise<Usage>
  approval(approval_id: string): Promise<StoredApproval | undefined>
  approvals(filter: ApprovalFilter, page: PageRequest, now_ms: number): Promise<Page<StoredApproval>>
  countApprovals(filter: ApprovalFilter, now_ms: number): Promise<Total>
  /** Pending records whose time is over, counted up to `MOST_TOTALLED`. */
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
  /** For each agent, its tokens that have not expired and were not revoked themselves, among its newest `MOST_LISTED_TOKENS`. */
  liveTokens(agent_ids: readonly string[], now_ms: number): Promise<ReadonlyMap<string, number>>
  /** Agents that have acted or were rated, for ranking; at most `limit` of them. */
  activeAgents(filter: TenantFilter, limit: number): Promise<AgentFacts[]>
  /** The keys that an agent uses, the newest first. */
  agentKeys(agent_id: string, limit: number): Promise<RegisteredKey[]>
  /** The sums of each active day, oldest first. Days count from 1970. */
  agentDays(agent_id: string, limit: number): Promise<{ readonly day: number; readonly tally: AgentTally }[]>
  close(): Promise<void>
}
