import type { Frontier, Lane } from '@deputize/protocol'
import type { BranchDenial, Denials, StoredApproval } from '../../domain/approvals/approval.ts'
import type { Habit, HabitKey, HabitKind } from '../../domain/approvals/habit.ts'
import type { StoredRecord } from '../../domain/record.ts'
import type { AgentTally } from '../../domain/reputation.ts'
import type { Chain, Marks } from '../../domain/tokens/token.ts'
import type { AskedScore, StoredAnchor, StoredVouch } from '../../domain/vouch.ts'
import type { RegisteredKey } from '../port.ts'
import type { Changes } from './changes.ts'
import type { RegistryEntry, RegistryName } from './registry.ts'

/**
 * The write side of a store.
 *
 * Promises: batches take effect one after another; `judge` sees every change acknowledged before; when `transact`
 * resolves, all changes of the batch are durable; when it rejects, none of them is visible, now or after a restart,
 * except after a `StoreError` with `outcome: 'unknown'` or `'committed'`. Personal data (notes, metadata, purposes,
 * reasons, stored answers, registry documents) is stored only sealed under the data key of its person.
 */
export interface WriteStore {
  /**
   * A batch of the stop lane never waits for another node's turn, and may use the space reserved for it. `clock` is the
   * clock of this batch. Without it, the store's clock is used, which a later batch may have moved meanwhile.
   */
  transact<T>(
    needs: Needs,
    judge: (facts: Facts) => { changes: Changes; result: T },
    lane?: Lane,
    clock?: () => number,
  ): T | Promise<T>
  /** Whether sums of committed batches still have to be added to the tables that reads show. */
  hasDeferred?(): boolean
  /** Adds them durably. Reads that begin later show the rows and sums of every batch acknowledged before. */
  settle?(): Promise<void> | undefined
  /** Whether there are acknowledged batches that reads don't show yet. */
  isHidden?(): boolean
  /**
   * Reads that begin once this resolves show the rows of every batch acknowledged before. Undefined if they already do.
   */
  publish?(): Promise<void> | undefined
  /**
   * Resolves when the next batch may begin, even if earlier ones aren't durable yet. Undefined if it may begin at once.
   */
  room(): Promise<void> | undefined
  close(): void | Promise<void>
}

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
  /** Chains share their links, so every chain that contains a token sees changes to it. */
  chain(jti: string): Chain | undefined
  record(aar_id: string): StoredRecord | undefined
  replay(key: string): StoredReplay | undefined
  /** Undefined for an unknown agent. */
  agent(agent_id: string): KnownAgent | undefined
  /** The marks on an agent or a person. Always the same object, so every chain sees a change. */
  agentMarks(agent_id: string): Marks
  humanMarks(human_ref: string): Marks | undefined
  /** Like `humanMarks`, but an unknown person becomes known once the marks are saved. */
  newHumanMarks(human_ref: string): Marks
  /** Undefined for an unknown person. */
  person(human_ref: string): KnownPerson | undefined
  /**
   * A digest that replaces text left out of the log. It is keyed by the person's data key, which is created if
   * necessary, so it is meaningless once that key is destroyed. Without a person it is keyed by the deployment.
   */
  digest(human_ref: string | undefined, kind: DigestKind, text: string): string
  /** Every agent of a tenant that has registered this key, even if the key was removed since. */
  keyHolders(tenant_id: string, jkt: string): readonly RegisteredKey[]
  /** The other agents of its tenant that have registered a key of this agent, even if the key was removed since. */
  sharedKeyHolders(agent_id: string): readonly string[]
  /** Whether a token of agent `from` was delegated to agent `to`. */
  hasDelegated(from: string, to: string): boolean
  registry(name: RegistryName): RegistryEntry | undefined
  approval(approval_id: string): StoredApproval | undefined
  /** The undecided approval with this binding; there is at most one. */
  openApproval(binding: string): StoredApproval | undefined
  /** The approvals with this binding that a person denied. */
  denials(binding: string): Denials
  /**
   * Denials below a root token since a person last approved something there. A branch's denials at one time are one.
   */
  denialsInARow(root_jti: string): readonly BranchDenial[]
  /**
   * Counts the undecided approvals of a root token, of a branch below it, or of a person that can still be approved:
   * they haven't expired, and their token isn't revoked.
   */
  countOpenApprovals(owner: ApprovalOwner): number
  vouch(vouch_id: string): StoredVouch | undefined
  /** A person's vouches, or those of a person for one subject, that have not been ended. They may have expired. */
  openVouches(key: OpenVouches): readonly StoredVouch[]
  /** Counts the vouches of a person that are in force, up to one more than the limit. */
  countVouches(from: string): number
  /**
   * Whether there is a vouch for the agent that has not been ended. Called for every new token, so it must be cheap.
   */
  isVouchedFor(agent_id: string): boolean
  /** Refs of the addresses that the person has proved to own. */
  linkedRefs(human_ref: string): readonly string[]
  /** Whether the agent ever held a token in the person's name. */
  hasActedFor(agent_id: string, human_ref: string): boolean
  anchor(human_ref: string): StoredAnchor | undefined
  /** Whether a vouch from or to the person is open, or an operator gave them a base above 0. */
  isInTrustGraph(human_ref: string): boolean
  /** Undefined for an agent whose score no token asks for. */
  askedScore(agent_id: string): AskedScore | undefined
  habit(key: HabitKey): Habit | undefined
  /** Every habit of a kind. */
  habitKeys(kind: HabitKind): readonly HabitKey[]
  /**
   * Counts this token and its descendants, except those that have expired or were revoked before. Reads only an index.
   */
  countLive(jti: string): number
  /**
   * Counts the tokens of an agent or a person, except those that have expired and those that were revoked before,
   * themselves or with a token above them; for that, it checks the newest parents only, if there are very many. Doesn't
   * count what was delegated from them to others.
   */
  countLiveOf(owner: { agent_id: string } | { human_ref: string }): number
  readonly overdue: readonly string[]
}

/** Selects a person's open vouches: all of them, or those for one subject. */
export interface OpenVouches {
  readonly from: string
  readonly to?: string
}

/** The kind of text that a digest replaces. The same text has a different digest for each kind. */
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
export type ApprovalOwner =
  | { readonly root_jti: string; readonly branch_jti?: string }
  | { readonly human_ref: string }

export function isOwnedBy(approval: StoredApproval, owner: ApprovalOwner): boolean {
  if ('human_ref' in owner) return approval.human_ref === owner.human_ref
  const { root_jti, branch_jti = approval.branch_jti } = owner
  return approval.root_jti === root_jti && approval.branch_jti === branch_jti
}

/** Returns a unique name for a key in a tenant. */
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
  /** Undefined while no one owns the name. */
  readonly owned_by: readonly string[] | undefined
  readonly tally: AgentTally
}
