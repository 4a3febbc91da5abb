import type { Evidence, Frontier, Lane, Level, Rank, Rating, Reason, RecordState } from '@deputize/protocol'
import type { ApprovalState, Denials, StoredApproval } from '../domain/approval.ts'
import type { StoredDenial } from '../domain/denial.ts'
import type { Habit, HabitKey, HabitKind } from '../domain/habit.ts'
import type { StoredRating, StoredRecord } from '../domain/record.ts'
import type { AgentTally } from '../domain/reputation.ts'
import type { Activity } from '../domain/stats.ts'
import type { Chain, Marks, Token, TokenState, TokenWords } from '../domain/token.ts'
import type { AskedScore, StoredAnchor, StoredVouch } from '../domain/vouch.ts'
import { isFullStore } from '../sqlite-code.ts'
import type { StatsReader } from './port/stats-reader.ts'

/** What a batch needs to read, named up front so that a store can load it in a fixed number of queries. */
export interface Needs {
  readonly tokens: Set<string>
  readonly records: Set<string>
  readonly agents: Set<string>
  readonly humans: Set<string>
  readonly approvals: Set<string>
  readonly replays: Set<string>
  /** Agents whose owners are needed. */
  readonly identities: Set<string>
  /** By tenant and thumbprint. */
  readonly key_holders: Map<string, { readonly tenant_id: string; readonly jkt: string }>
  /** By `registryKey`. */
  readonly registry: Map<string, RegistryName>
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
  /** Undefined for an unknown agent. */
  agent(agent_id: string): KnownAgent | undefined
  /** The marks on an agent or a person. The object is the same each time, so every chain sees a change. */
  agentMarks(agent_id: string): Marks
  humanMarks(human_ref: string): Marks | undefined
  /** As `humanMarks`; an unknown person becomes known once the marks are saved. */
  newHumanMarks(human_ref: string): Marks
  /** Undefined for an unknown person. */
  person(human_ref: string): KnownPerson | undefined
  /**
   * A digest that stands for text the log leaves out. It is keyed by the data key of the person, which is created if
   * necessary, so it is meaningless once that key is destroyed. Without a person it is keyed by the deployment.
   */
  digest(human_ref: string | undefined, kind: DigestKind, text: string): string
  /** Every agent of a tenant that has registered this key, removed ones included. */
  keyHolders(tenant_id: string, jkt: string): readonly RegisteredKey[]
  /** The other agents of its tenant that have registered a key of this agent, removed ones included. */
  sharedKeyHolders(agent_id: string): readonly string[]
  /** Whether a token of agent `from` was delegated to agent `to`. */
  hasDelegated(from: string, to: string): boolean
  registry(name: RegistryName): RegistryEntry | undefined
  approval(approval_id: string): StoredApproval | undefined
  /** The undecided approval with this binding; there is at most one. */
  openApproval(binding: string): StoredApproval | undefined
  /** The approvals with this binding that a person denied. */
  denials(binding: string): Denials
  /** Undecided approvals that can still be approved, below one root token or of one person: neither expired nor of a revoked token. */
  countOpenApprovals(owner: ApprovalOwner): number
  vouch(vouch_id: string): StoredVouch | undefined
  /** The vouches of a person, or those of a person for one subject, that have not been ended. They may have expired. */
  openVouches(key: OpenVouches): readonly StoredVouch[]
  /** Vouches of a person that stand, or one more than the limit if there are more. */
  countVouches(from: string): number
  /** Whether a vouch for the agent has not been ended. Asked for every new token, so it must be cheap. */
  isVouchedFor(agent_id: string): boolean
  /** The addresses that the person has proved to be theirs, as refs. */
  linkedRefs(human_ref: string): readonly string[]
  /** Whether the agent ever held a token in the name of the person. */
  hasActedFor(agent_id: string, human_ref: string): boolean
  anchor(human_ref: string): StoredAnchor | undefined
  /** Whether a vouch from or to the person has not been ended, or an operator gave them a base above 0. */
  isInTrustGraph(human_ref: string): boolean
  /** Undefined for an agent whose score no token asks for. */
  askedScore(agent_id: string): AskedScore | undefined
  habit(key: HabitKey): Habit | undefined
  /** Every habit of a kind. */
  habitKeys(kind: HabitKind): readonly HabitKey[]
  /** Counts this token and its descendants, without those that have expired or were revoked before. Reads only an index. */
  countLive(jti: string): number
  countLiveOf(owner: { agent_id: string } | { human_ref: string }): number
  readonly overdue: readonly string[]
}

/** Selects the open vouches of a person: all of them, or those for one subject. */
export interface OpenVouches {
  readonly from: string
  readonly to?: string
}

/** What a digest stands for. The same text has a different digest for each kind. */
export type DigestKind =
  | 'note'
  | 'metadata'
  | 'reason'
  | 'purpose'
  | 'completion'
  | 'binding'
  | 'shape'
  | 'profile'
  | 'request'
  | 'document'
  | 'inner_limits'

/** Whose open approvals are counted. */
export type ApprovalOwner = { readonly root_jti: string } | { readonly human_ref: string }

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

/** One text for each key in a tenant. */
export function keyHolderName(tenant_id: string, jkt: string): string {
  return `${tenant_id} ${jkt}`
}

export interface KnownPerson {
  readonly erased_at_ms: number | undefined
  /** Whether personal data was stored since then. */
  readonly has_data: boolean
}

export interface StoredReplay {
  /** Keyed digest of the request. */
  readonly fingerprint: string
  /** The answers as JSON texts: one, or one for each item of a batch. */
  readonly outcomes: readonly string[]
}

/** The registered profile of an agent, as JSON text, its owners, and the sums of its actions. */
export interface KnownAgent {
  readonly profile: string | undefined
  /** Undefined as long as no one owns the name. */
  readonly owned_by: readonly string[] | undefined
  readonly tally: AgentTally
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

export interface NewToken {
  readonly token: Token
  readonly purpose: string | undefined
  /** The token right above it in the chain, if any. */
  readonly above_jti: string | undefined
  readonly status_index: number
  /** The text of its inner limits, to be sealed. */
  readonly inner_limits: string | undefined
}

export interface NewLeaf {
  readonly text: string
  readonly hash: Uint8Array
  /** Whether it is a revocation, a suspension or a resumption, which the feed for offline verifiers lists. */
  readonly changes_standing: boolean
  /** Whether it changes the trust graph and no other table leads to it. */
  readonly changes_trust: boolean
  /** The workflow that the leaf belongs to, if no other table leads from the workflow to the leaf. */
  readonly provenance_ref: string | undefined
  /** The token that such a leaf is about, which it names by a digest only. */
  readonly vat_jti: string | undefined
}

/** The root of a full subtree of 256^level leaves that a batch completed, and the index of that subtree. */
export interface NewNode {
  readonly level: number
  readonly index: number
  readonly hash: Uint8Array
}

/** A signed checkpoint with its whole note. */
export interface StoredCheckpoint {
  readonly size: number
  readonly root: Uint8Array
  readonly signed_at_ms: number
  readonly note: string
}

export interface NewRating {
  readonly record: StoredRecord
  readonly rating: StoredRating
}

export interface NewReplay {
  readonly key: string
  /** Begins with the time of the request. A store may use it as the key, so that answers of the same time lie side by side. */
  readonly ordered_key?: string | undefined
  readonly fingerprint: string
  /** Each sealed for its own person, or for the deployment when no person is concerned. */
  readonly parts: readonly { readonly human_ref: string | undefined; readonly outcome: string }[]
  readonly expires_at_ms: number
}

/** How one batch adds to the counters of a workflow. */
export interface WorkflowDelta {
  records: number
  readonly agents: Map<string, number>
  readonly actions: Map<string, number>
  readonly results: Map<string, number>
}

/** Tables whose destroyed data is cleared at once: keys of erased people, and templates that were deleted. */
export type ScrubbedTable = 'data_keys' | 'registry'

/** Everything that one batch changes. */
export interface Changes {
  readonly tokens: NewToken[]
  readonly states: Map<string, TokenState>
  /** Those of the tokens in `states` that were revoked, suspended or resumed. */
  readonly standings: Set<string>
  /** The reasons given for revoking tokens. */
  readonly reasons: Map<string, string>
  /** The reasons given for suspending tokens; undefined removes one. */
  readonly suspend_reasons: Map<string, string | undefined>
  readonly created: Set<StoredRecord>
  readonly closed: Set<StoredRecord>
  readonly ratings: NewRating[]
  readonly denials: StoredDenial[]
  readonly leaves: NewLeaf[]
  readonly nodes: NewNode[]
  readonly checkpoints: StoredCheckpoint[]
  /** The Merkle frontier after those leaves. */
  readonly frontier: Frontier
  readonly replays: NewReplay[]
  readonly workflows: Map<string, WorkflowDelta>
  readonly agents: Map<string, AgentTally>
  /** What the counters of agents and tenants gain. */
  readonly activity: Activity
  readonly profiles: Map<string, string>
  readonly agent_marks: Map<string, Marks>
  /** The reasons given for suspending agents; undefined removes one. */
  readonly agent_reasons: Map<string, string | undefined>
  readonly human_marks: Map<string, Marks>
  readonly agent_owners: Map<string, readonly string[]>
  /** Keys added or removed, by agent and thumbprint. */
  readonly agent_keys: Map<string, RegisteredKey>
  readonly approvals: Set<StoredApproval>
  /** Vouches made, changed or ended. */
  readonly vouches: Set<StoredVouch>
  /** By person. */
  readonly anchors: Map<string, StoredAnchor>
  /** Scores that are asked for from now on or were computed, by agent. */
  readonly vouch_scores: Map<string, AskedScore>
  /** Entries after the batch, by `registryKey`. */
  readonly registry: Map<string, RegistryEntry>
  readonly habits: Map<string, { key: HabitKey; habit: Habit | undefined }>
  /**
   * People whose data key is destroyed, and the leaf that says so. Text sealed for them can never be read again; their
   * habits, the vouches from and to them and their anchor end; an anchor with base 0 loses only its reason.
   */
  readonly erased: Map<string, number>
  /**
   * Before `transact` resolves, copies of data destroyed in these tables are cleared. No file of the store holds a destroyed
   * key then. On PostgreSQL, encrypted bytes of a removed registry entry may stay in free space until it is used again.
   */
  readonly scrubbed: Set<ScrubbedTable>
  /** Write and sync something even if nothing else changed, to learn whether the store accepts writes. */
  probe: boolean
  /** Replays that expired before this instant may be deleted. */
  forget_replays_before_ms: number | undefined
  /** Counters of minutes that are older than those kept may be deleted. */
  forget_minutes: boolean
  /** Sums that earlier batches deferred are added to their tables. */
  settles_sums: boolean
}

/**
 * Whether committing the batch writes to the disk for certain. Forgetting old replays does not count: there may be none
 * to delete, and a commit without rows proves nothing about the disk.
 */
export function hasChanges(changes: Changes): boolean {
  return (
    changes.leaves.length > 0 ||
    changes.replays.length > 0 ||
    changes.checkpoints.length > 0 ||
    changes.states.size > 0 ||
    changes.approvals.size > 0 ||
    changes.vouch_scores.size > 0 ||
    changes.probe
  )
}

/**
 * The writing side of a store.
 *
 * Promises: batches take effect one after another; `judge` sees every change acknowledged before; when `transact`
 * resolves, all changes of the batch are durable; when it rejects, none of them is visible, now or after a restart,
 * except after a `StoreError` with `outcome: 'unknown'` or `'committed'`. Personal data (notes, metadata, purposes,
 * reasons, stored answers, documents of the registry) is stored only sealed under the data key of its person.
 */
export interface WriteStore {
  /**
   * A batch of the stop lane never waits for the turn of another node, and may use the space that is reserved for it. `clock`
   * is the clock of this batch. Without it, the clock of the store counts, which a later batch may have moved meanwhile.
   */
  transact<T>(
    needs: Needs,
    judge: (facts: Facts) => { changes: Changes; result: T },
    lane?: Lane,
    clock?: () => number,
  ): T | Promise<T>
  /** Whether sums of committed batches wait to be added to the tables that reads show. */
  hasDeferred?(): boolean
  /** Adds them, durably. Reads that begin later show the rows and sums of every batch acknowledged before. */
  settle?(): Promise<void> | undefined
  /** Whether batches were acknowledged that reads don't show yet. */
  isHidden?(): boolean
  /** Reads that begin once this resolves show the rows of every batch acknowledged before. Undefined if they do already. */
  publish?(): Promise<void> | undefined
  /** The next batch may begin when this resolves, even if those before are not durable yet. Undefined if it may at once. */
  room(): Promise<void> | undefined
  close(): void | Promise<void>
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
