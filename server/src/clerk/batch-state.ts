import {
  AuthorityError,
  append,
  encodeBase64,
  encodeFrontier,
  type Frontier,
  leafHash,
  type PerfectNode,
  TILE_LEVELS,
  tenantOf,
} from '@deputize/protocol'
import {
  type BranchDenial,
  type Denials,
  isByHand,
  type StoredApproval,
} from '../domain/approvals/approval.ts'
import {
  type Habit,
  type HabitKey,
  type HabitKind,
  habitName,
  isOfKind,
  unrevokedHabit,
} from '../domain/approvals/habit.ts'
import { isRevoked } from '../domain/decision.ts'
import type { StoredDenial } from '../domain/denial.ts'
import type { StoredRating, StoredRecord } from '../domain/record.ts'
import { type AgentTally, addTallies, countCreated, countRated } from '../domain/reputation.ts'
import {
  type Counts,
  closingCounts,
  countDenial,
  countSignal,
  countUse,
  type Signals,
  type Use,
} from '../domain/stats.ts'
import { isoInstant } from '../domain/times/time.ts'
import { type Chain, freshState, type Link, type Marks, noMarks } from '../domain/tokens/token.ts'
import { changesStanding, changesTrust, type LeafType, leafText, standsAlone } from '../log/leaf.ts'
import { newLeafSalt } from '../log/leaf-salt.ts'
import type { Changes, NewReplay, NewToken, ScrubbedTable } from '../store/port/changes.ts'
import type { StoredCheckpoint } from '../store/port/log-reader.ts'
import { type RegistryEntry, type RegistryName, registryKey } from '../store/port/registry.ts'
import {
  type ApprovalOwner,
  type DigestKind,
  type Facts,
  isOwnedBy,
  type KnownPerson,
  type StoredReplay,
} from '../store/port/write-store.ts'
import type { RegisteredKey } from '../store/port.ts'
import { agentTally, countNewRecord, countOutcome, noChanges, workflowDelta } from './changes.ts'
import { LoadedOnce } from './loaded-once.ts'
import { TrustState } from './trust-state.ts'

export interface ProbeOutcome {
  /** The head of the log that the commit of the probe continues, encoded. */
  readonly frontier: string
}

/** A leaf of this batch: its index in the log and its hash. */
export interface AppendedLeaf {
  readonly log_index: number
  readonly leaf_hash: Uint8Array
}

/**
 * The state of one batch while it is judged. Judges read facts and write changes here, and each judge sees the changes
 * of the commands before it. Nothing becomes visible outside until the store has made `changes` durable.
 */
export class BatchState {
  readonly now_ms: number
  readonly changes: Changes
  /** Expired pending records, up to the number that the batch loaded. */
  readonly overdue: readonly string[]
  readonly #facts: Facts
  readonly #at: string
  readonly #frontier: Frontier
  /** Chains of tokens issued in this batch. */
  readonly #newChains = new Map<string, Chain>()
  readonly #records: LoadedOnce<StoredRecord>
  readonly #approvals: LoadedOnce<StoredApproval>
  /** Approvals requested in this batch, by binding. */
  readonly #openApprovals = new Map<string, StoredApproval>()
  readonly #replays: LoadedOnce<StoredReplay>
  readonly #agentMarks = new Map<string, Marks>()
  #trust: TrustState | undefined
  /** The log is served in tiles of eight levels, so only their roots are stored. */
  readonly #addNode = ({ level, index }: PerfectNode, hash: Uint8Array): void => {
    if (level % TILE_LEVELS === 0) this.changes.nodes.push({ level: level / TILE_LEVELS, index, hash })
  }

  constructor(facts: Facts) {
    this.now_ms = facts.now_ms
    this.overdue = facts.overdue
    this.#facts = facts
    this.#at = isoInstant(facts.now_ms)
    this.#frontier = { size: facts.frontier.size, peaks: [...facts.frontier.peaks] }
    this.changes = noChanges(this.#frontier)
    this.#records = new LoadedOnce(facts.record)
    this.#approvals = new LoadedOnce(facts.approval)
    this.#replays = new LoadedOnce(facts.replay)
  }

  // Tokens

  chain(jti: string): Chain | undefined {
    return this.#newChains.get(jti) ?? this.#facts.chain(jti)
  }

  /** Like `chain`, but throws if the token is unknown. */
  requireChain(jti: string): Chain {
    const chain = this.chain(jti)
    if (chain === undefined) throw new AuthorityError('token_unknown')
    return chain
  }

  /** Adds a token below `above`, which is empty for a root token. */
  addToken(added: NewToken, above: readonly Link[]): void {
    const { token } = added
    this.changes.tokens.push(added)
    const agent = this.agentMarks(token.agent_id)
    const human = this.humanMarks(token.human_ref) ?? noMarks()
    this.#newChains.set(token.jti, [{ token, state: freshState(), agent, human }, ...above])
    workflowDelta(this.changes, token.provenance_ref)
    agentTally(this.changes, token.agent_id)
    if (token.delegation_depth > 0) this.signal(token.agent_id, { deepest: token.delegation_depth })
  }

  /** Saves the states of these links. Call it after changing any of them. */
  saveStates(chain: readonly Link[]): void {
    for (const { token, state } of chain) this.changes.states.set(token.jti, state)
  }

  /** Saves that a token was revoked, suspended or resumed. */
  saveStanding(link: Link): void {
    this.saveStates([link])
    this.changes.standings.add(link.token.jti)
  }

  /** Saves why a token was revoked. Call it after `saveStanding`. */
  saveRevokeReason(jti: string, reason: string): void {
    this.changes.reasons.set(jti, reason)
  }

  /** Saves why a token is suspended; undefined removes it. Call it after `saveStanding`. */
  saveSuspendReason(jti: string, reason: string | undefined): void {
    this.changes.suspend_reasons.set(jti, reason)
  }

  /** Counts the live tokens at and below this one. */
  countLive(jti: string): number {
    const added = this.changes.tokens.filter((one) => this.#isLiveBelow(one, jti))
    return this.#facts.countLive(jti) + added.length
  }

  countLiveOf(owner: { agent_id: string } | { human_ref: string }): number {
    return this.#facts.countLiveOf(owner)
  }

  /** Whether a token of this batch is live, and is `jti` or below it. The store's index doesn't contain it yet. */
  #isLiveBelow({ token }: NewToken, jti: string): boolean {
    const chain = this.#newChains.get(token.jti) ?? []
    const position = chain.findIndex((link) => link.token.jti === jti)
    return (
      position >= 0 &&
      token.limits.expires_at_ms > this.now_ms &&
      !chain.slice(0, position + 1).some(isRevoked)
    )
  }

  // Records, denials and ratings

  record(aar_id: string): StoredRecord | undefined {
    return this.#records.get(aar_id)
  }

  /** Like `record`, but throws if it is unknown. */
  requireRecord(aar_id: string): StoredRecord {
    const record = this.record(aar_id)
    if (record === undefined) throw new AuthorityError('record_unknown')
    return record
  }

  addRecord(record: StoredRecord): void {
    this.changes.created.add(record)
    this.#records.set(record.aar_id, record)
    countNewRecord(this.changes, record)
    countCreated(agentTally(this.changes, record.agent_id))
    if (record.state === 'completed') countOutcome(this.changes, record)
  }

  /** Saves a record that was pending. Call it after changing its state. */
  closeRecord(record: StoredRecord): void {
    if (!this.changes.created.has(record)) this.changes.closed.add(record)
    this.count(record, closingCounts(record))
    if (record.state === 'completed') countOutcome(this.changes, record)
  }

  rate(record: StoredRecord, rating: StoredRating): void {
    record.rating = rating
    this.changes.ratings.push({ record, rating })
    countRated(agentTally(this.changes, record.agent_id), rating.rating)
    if (rating.rating === 'rejected') this.signal(record.agent_id, { rejected: 1 })
  }

  addDenial(denial: StoredDenial): void {
    this.changes.denials.push(denial)
    countDenial(this.changes.activity, denial, denial.reasons)
  }

  // Counters

  /** Counts something that an agent did, for the agent and its tenant. */
  count(use: Use, counts: Partial<Counts>): void {
    countUse(this.changes.activity, use, counts)
  }

  /** Counts something that alert rules watch. */
  signal(agent_id: string, signals: Partial<Signals>): void {
    countSignal(this.changes.activity, agent_id, signals)
  }

  // Approvals and habits

  approval(approval_id: string): StoredApproval | undefined {
    return this.#approvals.get(approval_id)
  }

  /** The pending approval with this binding. There is at most one. */
  openApproval(binding: string): StoredApproval | undefined {
    const added = this.#openApprovals.get(binding)
    if (added?.state === 'pending') return added
    const stored = this.#facts.openApproval(binding)
    const current = stored === undefined ? undefined : this.approval(stored.approval_id)
    return current?.state === 'pending' ? current : undefined
  }

  /** How often a person denied exactly this request, and when last. */
  denials(binding: string): Denials {
    const { count, last_ms } = this.#facts.denials(binding)
    const added = [...this.changes.approvals].filter(
      (one) => one.binding === binding && one.state === 'denied',
    ).length
    return { count: count + added, last_ms: added === 0 ? last_ms : this.now_ms }
  }

  /**
   * Denials below a root token since a person last approved something there. Denials for revoked tokens count too,
   * because an agent may revoke tokens that it has delegated.
   */
  denialsInARow(root_jti: string): BranchDenial[] {
    const decided = [...this.changes.approvals].filter(
      (one) => one.root_jti === root_jti && decidedIndex(one) >= this.#facts.frontier.size,
    )
    const approved_index = Math.max(-1, ...decided.filter(isByHand).map(decidedIndex))
    const denied = decided.filter((one) => one.state === 'denied' && decidedIndex(one) > approved_index)
    const before = approved_index < 0 ? this.#facts.denialsInARow(root_jti) : []
    return [...before, ...denied.map(({ branch_jti }) => ({ branch_jti, at_ms: this.now_ms }))]
  }

  /**
   * Counts pending approvals below a root token, in one of its branches, or of a person. Those that this batch decides,
   * or whose token it revokes, still count.
   */
  countOpenApprovals(owner: ApprovalOwner): number {
    const added = [...this.changes.approvals].filter(
      (one) => one.state === 'pending' && one.log_index >= this.#facts.frontier.size && isOwnedBy(one, owner),
    )
    return this.#facts.countOpenApprovals(owner) + added.length
  }

  /** Saves an approval in its current state. */
  saveApproval(approval: StoredApproval): void {
    this.changes.approvals.add(approval)
    this.#approvals.set(approval.approval_id, approval)
    // One approval per binding is open, and a decided one must not hide it.
    if (approval.state === 'pending' && this.#openApprovals.get(approval.binding)?.state !== 'pending')
      this.#openApprovals.set(approval.binding, approval)
  }

  /** A habit and its grant, as far as no revocation has ended them. */
  habit(key: HabitKey): Habit | undefined {
    const kept = this.#keptHabit(key)
    return kept && unrevokedHabit(kept, (jti) => this.chain(jti)?.some(isRevoked) ?? true)
  }

  #keptHabit(key: HabitKey): Habit | undefined {
    const changed = this.changes.habits.get(habitName(key))
    return changed === undefined ? this.#facts.habit(key) : changed.habit
  }

  /** Every habit of a kind, including those of this batch and those that a revocation has ended. */
  habitKeys(kind: HabitKind): HabitKey[] {
    const changed = [...this.changes.habits.values()].filter(({ key }) => isOfKind(key, kind))
    const all = [...this.#facts.habitKeys(kind), ...changed.map(({ key }) => key)]
    const byName = new Map(all.map((key) => [habitName(key), key]))
    return [...byName.values()].filter((key) => this.#keptHabit(key) !== undefined)
  }

  /** Replaces a habit; undefined ends it. */
  setHabit(key: HabitKey, habit: Habit | undefined): void {
    this.changes.habits.set(habitName(key), { key, habit })
  }

  /** Vouches, anchors and scores. Few batches need them. */
  get trust(): TrustState {
    this.#trust ??= new TrustState(this.#facts, this.changes)
    return this.#trust
  }

  // Agents and people

  /** The sums of an agent's actions, including this batch; undefined if the agent is unknown. */
  tally(agent_id: string): AgentTally | undefined {
    const stored = this.#facts.agent(agent_id)?.tally
    const added = this.changes.agents.get(agent_id)
    if (stored === undefined || added === undefined) return stored ?? added
    return addTallies(stored, added)
  }

  profile(agent_id: string): string | undefined {
    return this.changes.profiles.get(agent_id) ?? this.#facts.agent(agent_id)?.profile
  }

  setProfile(agent_id: string, profile: string): void {
    agentTally(this.changes, agent_id)
    this.changes.profiles.set(agent_id, profile)
  }

  agentMarks(agent_id: string): Marks {
    const known = this.#agentMarks.get(agent_id) ?? this.#facts.agentMarks(agent_id)
    this.#agentMarks.set(agent_id, known)
    return known
  }

  /** Saves the marks of an agent. Call it after changing them. */
  saveAgentMarks(agent_id: string): void {
    agentTally(this.changes, agent_id)
    this.changes.agent_marks.set(agent_id, this.agentMarks(agent_id))
  }

  /** Saves why an agent is suspended; undefined removes it. Call it after `saveAgentMarks`. */
  saveAgentSuspendReason(agent_id: string, reason: string | undefined): void {
    this.changes.agent_reasons.set(agent_id, reason)
  }

  /** Undefined if no one owns the agent. */
  ownedBy(agent_id: string): readonly string[] | undefined {
    return this.changes.agent_owners.get(agent_id) ?? this.#facts.agent(agent_id)?.owned_by
  }

  setOwners(agent_id: string, owned_by: readonly string[]): void {
    agentTally(this.changes, agent_id)
    this.changes.agent_owners.set(agent_id, owned_by)
  }

  /** Every agent of a tenant that has registered this key, including keys that were removed. */
  keyHolders(tenant_id: string, jkt: string): RegisteredKey[] {
    const stored = this.#facts.keyHolders(tenant_id, jkt)
    const changed = [...this.changes.agent_keys.values()].filter(
      (key) => key.jkt === jkt && tenantOf(key.agent_id) === tenant_id,
    )
    const names = new Set(changed.map(({ agent_id }) => agent_id))
    return [...stored.filter(({ agent_id }) => !names.has(agent_id)), ...changed]
  }

  setKey(key: RegisteredKey): void {
    agentTally(this.changes, key.agent_id)
    this.changes.agent_keys.set(`${key.agent_id} ${key.jkt}`, key)
  }

  /** Other agents that have registered one of this agent's keys. */
  sharedKeyHolders(agent_id: string): string[] {
    const added = [...this.changes.agent_keys.values()].filter((key) => key.agent_id === agent_id)
    const names = new Set(this.#facts.sharedKeyHolders(agent_id))
    for (const { jkt } of added)
      for (const holder of this.keyHolders(tenantOf(agent_id), jkt)) names.add(holder.agent_id)
    for (const { agent_id: other, jkt } of this.changes.agent_keys.values())
      if (this.keyHolders(tenantOf(agent_id), jkt).some((holder) => holder.agent_id === agent_id))
        names.add(other)
    names.delete(agent_id)
    return [...names].filter((other) => tenantOf(other) === tenantOf(agent_id)).sort()
  }

  hasDelegated(from: string, to: string): boolean {
    const isAdded = this.changes.tokens.some(({ token }) => {
      const parent = token.parent_jti === undefined ? undefined : this.chain(token.parent_jti)
      return token.agent_id === to && parent?.[0].token.agent_id === from
    })
    return isAdded || this.#facts.hasDelegated(from, to)
  }

  humanMarks(human_ref: string): Marks | undefined {
    return this.changes.human_marks.get(human_ref) ?? this.#facts.humanMarks(human_ref)
  }

  /** Like `humanMarks`, but also works for a person who isn't known yet. */
  newHumanMarks(human_ref: string): Marks {
    return this.humanMarks(human_ref) ?? this.#facts.newHumanMarks(human_ref)
  }

  /** Saves the marks of a person. Call it after changing them. */
  saveHumanMarks(human_ref: string, marks: Marks): void {
    this.changes.human_marks.set(human_ref, marks)
  }

  person(human_ref: string): KnownPerson | undefined {
    return this.#facts.person(human_ref)
  }

  /** Refs of the addresses that a person has proved to own. */
  linkedRefs(human_ref: string): string[] {
    const added = [...this.changes.registry.values()].filter(
      ({ kind, owner, document }) => kind === 'identity' && owner === human_ref && document !== undefined,
    )
    return [...this.#facts.linkedRefs(human_ref), ...added.map(({ id }) => id)]
  }

  /** Whether the agent has ever held a token in the person's name. */
  hasActedFor(agent_id: string, human_ref: string): boolean {
    const isAdded = this.changes.tokens.some(
      ({ token }) => token.agent_id === agent_id && token.human_ref === human_ref,
    )
    return isAdded || this.#facts.hasActedFor(agent_id, human_ref)
  }

  /** Destroys a person's data key. An erasure runs in its own batch, so no other change still uses that key. */
  erase(human_ref: string, log_index: number): void {
    this.changes.erased.set(human_ref, log_index)
  }

  /** Clears every leftover copy of destroyed data from the files of the store. */
  scrub(table: ScrubbedTable): void {
    this.changes.scrubbed.add(table)
  }

  // Registry and replays

  /** The registry entry under a name, including changes of this batch. */
  registryEntry(name: RegistryName): RegistryEntry | undefined {
    return this.changes.registry.get(registryKey(name)) ?? this.#facts.registry(name)
  }

  /** Saves an entry with the index of the leaf that records the change. */
  saveRegistryEntry(entry: RegistryEntry): void {
    this.changes.registry.set(registryKey(entry), entry)
  }

  /** The stored answer under one of its keys. */
  replay(key: string): StoredReplay | undefined {
    return this.#replays.get(key)
  }

  addReplay(replay: NewReplay): void {
    const { key, fingerprint, parts } = replay
    this.#replays.set(key, { fingerprint, outcomes: parts.map(({ outcome }) => outcome) })
    this.changes.replays.push(replay)
  }

  forgetReplays(): void {
    this.changes.forget_replays_before_ms = this.now_ms
  }

  forgetMinutes(): void {
    this.changes.forget_minutes = true
  }

  settleSums(): void {
    this.changes.settles_sums = true
  }

  // Log

  /** The log index of the next leaf. */
  nextIndex(): number {
    return this.#frontier.size
  }

  /**
   * Appends a leaf. Leaves are public: `members` must not hold personal data or a token ID. The store keeps `vat_jti`, the
   * token that the leaf is about, if nothing else leads from the leaf to it.
   */
  appendLeaf(type: LeafType, members: Record<string, unknown>, vat_jti?: string): AppendedLeaf {
    const text = leafText({ v: 1, type, at: this.#at, salt: newLeafSalt(), ...members })
    const hash = leafHash(text)
    const log_index = this.#frontier.size
    append(this.#frontier, hash, this.#addNode)
    this.changes.leaves.push({
      text,
      hash,
      changes_standing: changesStanding(type),
      changes_trust: changesTrust(type, members),
      provenance_ref: standsAlone(type) ? String(members.provenance_ref) : undefined,
      vat_jti,
    })
    return { log_index, leaf_hash: hash }
  }

  /** The keyed digest that replaces a text in the log, under the person's data key or the deployment's. */
  digest(human_ref: string | undefined, kind: DigestKind, text: string): string {
    return this.#facts.digest(human_ref, kind, text)
  }

  addCheckpoint(checkpoint: StoredCheckpoint): void {
    this.changes.checkpoints.push(checkpoint)
  }

  /** Makes the batch write to the disk even if nothing else changed. */
  probe(): ProbeOutcome {
    this.changes.probe = true
    return { frontier: encodeBase64(encodeFrontier(this.#frontier)) }
  }
}

function decidedIndex({ decided_log_index = -1 }: StoredApproval): number {
  return decided_log_index
}
