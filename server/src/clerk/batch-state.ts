import { append, type Frontier, leafHash, type PerfectNode, TILE_LEVELS } from '@deputize/protocol'
import { type Habit, type HabitKey, habitName, type StoredApproval } from '../domain/approval.ts'
import { isRevoked } from '../domain/decision.ts'
import type { StoredDenial } from '../domain/denial.ts'
import type { StoredRating, StoredRecord } from '../domain/record.ts'
import {
  type AgentTally,
  addTallies,
  countCompleted,
  countCreated,
  countRated,
  emptyTally,
} from '../domain/reputation.ts'
import { isoInstant } from '../domain/time.ts'
import { type Chain, freshState, type Link, type Marks, noMarks, type Token } from '../domain/token.ts'
import { changesStanding, type LeafType, leafText, standsAlone } from '../log/leaf.ts'
import {
  type Changes,
  type DigestKind,
  type Facts,
  type KnownPerson,
  type NewReplay,
  type NewToken,
  type RegistryEntry,
  type RegistryName,
  registryKey,
  type StoredCheckpoint,
  type StoredReplay,
  type WorkflowDelta,
} from '../store/port.ts'

/** Where a change stands in the log. */
export interface Entry {
  readonly log_index: number
  readonly leaf_hash: Uint8Array
}

/**
 * One batch at work: judges read the facts here and write their changes here, and each sees what those before it did.
 * Nothing leaves the ledger until the store has made `changes` durable.
 */
export interface Ledger {
  readonly now_ms: number
  readonly changes: Changes
  readonly overdue: readonly string[]
  chain(jti: string): Chain | undefined
  record(aar_id: string): StoredRecord | undefined
  approval(approval_id: string): StoredApproval | undefined
  openApproval(binding: string): StoredApproval | undefined
  /** Undecided approvals that a token has asked for. */
  countOpenApprovals(jti: string): number
  habit(key: HabitKey): Habit | undefined
  replay(key: string): StoredReplay | undefined
  /** What an agent's actions add up to, this batch included; undefined for an agent nobody has heard of. */
  tally(agent_id: string): AgentTally | undefined
  profile(agent_id: string): string | undefined
  agentMarks(agent_id: string): Marks
  humanMarks(human_ref: string): Marks | undefined
  person(human_ref: string): KnownPerson | undefined
  /** What the registry holds under a name, this batch included. */
  registered(name: RegistryName): RegistryEntry | undefined
  /** What stands for a text in the log: keyed by the person it belongs to, or by the deployment. */
  digest(human_ref: string | undefined, kind: DigestKind, text: string): string
  countLive(jti: string): number
  countLiveOf(owner: { agent_id: string } | { human_ref: string }): number
  /** The place in the log that the next leaf will have. */
  nextIndex(): number
  /** Appends a leaf; `members` must hold nothing personal and no token id. */
  log(type: LeafType, members: Record<string, unknown>): Entry
  /** Adds a token below `above`, which is empty for a root. */
  addToken(token: Token, purpose: string | undefined, above: readonly Link[], status_index: number): void
  addRecord(record: StoredRecord): void
  /** Call after changing a pending record into a closed one. */
  closeRecord(record: StoredRecord): void
  rate(record: StoredRecord, rating: StoredRating): void
  addDenial(denial: StoredDenial): void
  /** Call after changing the state of any link of the chain. */
  touch(chain: readonly Link[]): void
  /** Keeps why a token was revoked; call after touching it. */
  giveReason(jti: string, reason: string): void
  markAgent(agent_id: string): void
  markHuman(human_ref: string): void
  /** Destroys what is personal of somebody. Such a command is carried out alone: nothing around it still holds any. */
  erase(human_ref: string): void
  scrub(): void
  setProfile(agent_id: string, profile: string): void
  /** Keeps an entry as it is now, with the place of the leaf that tells of it. */
  register(entry: RegistryEntry): void
  /** Keeps an approval as it is now. */
  keepApproval(approval: StoredApproval): void
  setHabit(key: HabitKey, habit: Habit | undefined): void
  keepReplay(replay: NewReplay): void
  forgetReplays(): void
  keepCheckpoint(checkpoint: StoredCheckpoint): void
  probe(): void
}

export function openLedger(facts: Facts): Ledger {
  const { now_ms } = facts
  const at = isoInstant(now_ms)
  const frontier = copyOf(facts.frontier)
  const changes = noChanges(frontier)
  const chains = new Map<string, Chain>()
  const records = remembering(facts.record)
  const approvals = remembering(facts.approval)
  const openApprovals = new Map<string, StoredApproval>()
  const replays = remembering(facts.replay)
  const newMarks = new Map<string, Marks>()

  function agentMarks(agent_id: string): Marks {
    const known = newMarks.get(agent_id) ?? facts.agentMarks(agent_id)
    newMarks.set(agent_id, known)
    return known
  }

  /** The log is served in tiles of eight levels, so only the roots of those are kept. */
  function keepNode({ level, index }: PerfectNode, hash: Uint8Array): void {
    if (level % TILE_LEVELS === 0) changes.nodes.push({ level: level / TILE_LEVELS, index, hash })
  }

  /** Tokens of this batch are in no index yet. */
  function isLiveBelow({ token }: NewToken, jti: string): boolean {
    const chain = chains.get(token.jti) ?? []
    const place = chain.findIndex((link) => link.token.jti === jti)
    return place >= 0 && token.limits.expires_at_ms > now_ms && !chain.slice(0, place + 1).some(isRevoked)
  }

  return {
    now_ms,
    changes,
    overdue: facts.overdue,
    chain: (jti) => chains.get(jti) ?? facts.chain(jti),
    record: records.get,
    approval: approvals.get,
    openApproval(binding) {
      const fresh = openApprovals.get(binding)
      if (fresh?.state === 'pending') return fresh
      const stored = facts.openApproval(binding)
      const current = stored === undefined ? undefined : approvals.get(stored.approval_id)
      return current?.state === 'pending' ? current : undefined
    },
    countOpenApprovals(jti) {
      const added = [...openApprovals.values()].filter(
        (one) => one.vat_jti === jti && one.state === 'pending',
      )
      return facts.countOpenApprovals(jti) + added.length
    },
    habit(key) {
      const changed = changes.habits.get(habitName(key))
      return changed === undefined ? facts.habit(key) : changed.habit
    },
    replay: replays.get,
    tally(agent_id) {
      const stored = facts.agent(agent_id)?.tally
      const added = changes.agents.get(agent_id)
      if (stored === undefined || added === undefined) return stored ?? added
      return addTallies(stored, added)
    },
    profile: (agent_id) => changes.profiles.get(agent_id) ?? facts.agent(agent_id)?.profile,
    agentMarks,
    humanMarks: facts.humanMarks,
    person: facts.person,
    registered: (name) => changes.registry.get(registryKey(name)) ?? facts.registry(name),
    digest: facts.digest,
    countLive: (jti) => facts.countLive(jti) + changes.tokens.filter((one) => isLiveBelow(one, jti)).length,
    countLiveOf: facts.countLiveOf,
    nextIndex: () => frontier.size,

    log(type, members) {
      const text = leafText({ v: 1, type, at, ...members })
      const hash = leafHash(text)
      const log_index = frontier.size
      append(frontier, hash, keepNode)
      changes.leaves.push({
        text,
        hash,
        changes_standing: changesStanding(type),
        provenance_ref: standsAlone(type) ? String(members.provenance_ref) : undefined,
      })
      return { log_index, leaf_hash: hash }
    },

    addToken(token, purpose, above, status_index) {
      changes.tokens.push({ token, purpose, above_jti: above[0]?.token.jti, status_index })
      const human = facts.humanMarks(token.human_ref) ?? noMarks()
      chains.set(token.jti, [
        { token, state: freshState(), agent: agentMarks(token.agent_id), human },
        ...above,
      ])
      workflowDelta(changes, token.provenance_ref)
      agentTally(changes, token.agent_id)
    },

    addRecord(record) {
      changes.created.add(record)
      records.set(record.aar_id, record)
      const workflow = workflowDelta(changes, record.provenance_ref)
      workflow.records += 1
      increment(workflow.agents, record.agent_id)
      increment(workflow.actions, record.action)
      const tally = agentTally(changes, record.agent_id)
      countCreated(tally)
      if (record.state === 'completed') countOutcome(workflow, tally, record)
    },

    closeRecord(record) {
      if (!changes.created.has(record)) changes.closed.add(record)
      if (record.state !== 'completed') return
      countOutcome(
        workflowDelta(changes, record.provenance_ref),
        agentTally(changes, record.agent_id),
        record,
      )
    },

    rate(record, rating) {
      record.rating = rating
      changes.ratings.push({ record, rating })
      countRated(agentTally(changes, record.agent_id), rating.rating)
    },

    addDenial(denial) {
      changes.denials.push(denial)
    },

    touch(chain) {
      for (const { token, state } of chain) changes.states.set(token.jti, state)
    },

    giveReason(jti, reason) {
      changes.reasons.set(jti, reason)
    },

    markAgent(agent_id) {
      agentTally(changes, agent_id)
      changes.agent_marks.set(agent_id, agentMarks(agent_id))
    },

    markHuman(human_ref) {
      const marks = facts.humanMarks(human_ref)
      if (marks !== undefined) changes.human_marks.set(human_ref, marks)
    },

    erase(human_ref) {
      changes.erased.add(human_ref)
    },

    scrub() {
      changes.scrub = true
    },

    setProfile(agent_id, profile) {
      agentTally(changes, agent_id)
      changes.profiles.set(agent_id, profile)
    },

    register(entry) {
      changes.registry.set(registryKey(entry), entry)
    },

    keepApproval(approval) {
      changes.approvals.add(approval)
      approvals.set(approval.approval_id, approval)
      // There is one open question about the same, and a decided one never hides it.
      if (approval.state === 'pending' && openApprovals.get(approval.binding)?.state !== 'pending')
        openApprovals.set(approval.binding, approval)
    },

    setHabit(key, habit) {
      changes.habits.set(habitName(key), { key, habit })
    },

    keepReplay(replay) {
      const { fingerprint, parts } = replay
      replays.set(replay.key, { fingerprint, outcomes: parts.map(({ outcome }) => outcome) })
      changes.replays.push(replay)
    },

    forgetReplays() {
      changes.forget_replays_before_ms = now_ms
    },

    keepCheckpoint(checkpoint) {
      changes.checkpoints.push(checkpoint)
    },

    probe() {
      changes.probe = true
    },
  }
}

function noChanges(frontier: Frontier): Changes {
  return {
    tokens: [],
    states: new Map(),
    reasons: new Map(),
    created: new Set(),
    closed: new Set(),
    ratings: [],
    denials: [],
    leaves: [],
    nodes: [],
    checkpoints: [],
    frontier,
    replays: [],
    workflows: new Map(),
    agents: new Map(),
    profiles: new Map(),
    agent_marks: new Map(),
    human_marks: new Map(),
    approvals: new Set(),
    registry: new Map(),
    habits: new Map(),
    erased: new Set(),
    scrub: false,
    probe: false,
    forget_replays_before_ms: undefined,
  }
}

/** Loads each thing once, so that every command of the batch works on the same object. */
function remembering<T>(load: (id: string) => T | undefined) {
  const known = new Map<string, T>()
  return {
    get(id: string): T | undefined {
      const loaded = known.get(id) ?? load(id)
      if (loaded !== undefined) known.set(id, loaded)
      return loaded
    },
    set(id: string, value: T): void {
      known.set(id, value)
    },
  }
}

function copyOf(frontier: Frontier): Frontier {
  return { size: frontier.size, peaks: [...frontier.peaks] }
}

function workflowDelta(changes: Changes, provenance_ref: string): WorkflowDelta {
  let delta = changes.workflows.get(provenance_ref)
  if (delta === undefined) {
    delta = { records: 0, agents: new Map(), actions: new Map(), results: new Map() }
    changes.workflows.set(provenance_ref, delta)
  }
  return delta
}

function agentTally(changes: Changes, agent_id: string): AgentTally {
  let tally = changes.agents.get(agent_id)
  if (tally === undefined) {
    tally = emptyTally()
    changes.agents.set(agent_id, tally)
  }
  return tally
}

function countOutcome(workflow: WorkflowDelta, tally: AgentTally, { result }: StoredRecord): void {
  if (result === undefined) return
  increment(workflow.results, result)
  countCompleted(tally, result)
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
