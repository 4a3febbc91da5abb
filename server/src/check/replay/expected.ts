import type { Evidence, Rating, RecordState } from '@deputize/protocol'
import type { ApprovalState, GivenGrant } from '../../domain/approvals/approval.ts'
import type { Endorsement, RequiredApprovers } from '../../domain/approvals/approvers.ts'
import type { Habit, HabitKey } from '../../domain/approvals/habit.ts'
import { type AgentTally, emptyTally } from '../../domain/reputation.ts'
import { dayOf } from '../../domain/times/time.ts'
import { type Chain, type Link, type Marks, noMarks } from '../../domain/tokens/token.ts'
import type { Leaf } from '../../log/leaf.ts'
import { registryRef } from '../../log/registry-ref.ts'
import type { RegistryKind } from '../../store/port/registry.ts'
import type { DigestKind } from '../../store/port/write-store.ts'
import { type ExpectedCounters, noCounters } from './counters.ts'

/** A text that the log holds only as a digest, and the leaf with that digest. */
export interface ExpectedText {
  /** Undefined for a text that is sealed under the deployment's key. */
  readonly human_ref: string | undefined
  readonly kind: DigestKind
  readonly digest: string
  readonly log_index: number
}

/** A token as implied by the log. It is a `Link`, so that the domain's own rules can judge it. */
export interface ExpectedToken extends Link {
  /** The reference that leaves use. */
  readonly ref: string
  /** Tokens are numbered in the order of the log. */
  readonly token_key: number
  readonly above: ExpectedToken | undefined
  readonly chain: Chain
  readonly purpose: ExpectedText | undefined
  readonly inner_limits: ExpectedText | undefined
  reason: ExpectedText | undefined
  suspend_reason: ExpectedText | undefined
  /** Whether its state ever changed, so that the store has a row for it. */
  has_state: boolean
}

export interface ExpectedAgent {
  readonly marks: Marks
  readonly tally: AgentTally
  /** The sums by day, counted from 1970. */
  readonly days: Map<number, AgentTally>
  readonly first_seen_ms: number
  last_action_ms: number | undefined
  profile_digest: string | undefined
  suspend_reason: ExpectedText | undefined
  /** By their names in the log. */
  owned_by: readonly string[] | undefined
  /** By thumbprint. */
  readonly keys: Map<string, ExpectedKey>
}

export interface ExpectedKey {
  readonly log_index: number
  removed_index: number | undefined
}

export interface ExpectedHuman {
  readonly marks: Marks
  /** The log indexes of erasures. */
  readonly erased_at: number[]
  erased_at_ms: number | undefined
  /** How many data keys were in use and then destroyed by an erasure. */
  keys_gone: number
  needs_key: boolean
}

/** The counters of a workflow, by agent, action and result. */
export interface ExpectedWorkflow {
  records: number
  last_action_ms: number | undefined
  readonly agents: Map<string, number>
  readonly actions: Map<string, number>
  readonly results: Map<string, number>
}

export interface ExpectedRecord {
  readonly log_index: number
  readonly aar_id: string
  readonly token: ExpectedToken
  readonly action: string
  readonly resource: string
  readonly parent_aar_id: string | undefined
  readonly trace_id: string | undefined
  readonly created_at_ms: number
  readonly expires_at_ms: number | undefined
  state: RecordState
  result: string | undefined
  result_hash: string | undefined
  spend_micro_usd: number
  completed_at_ms: number | undefined
  completed_index: number | undefined
  completed_after_revocation: boolean
  over_budget: boolean
  exceeded: boolean
  completion_digest: string | undefined
  evidence: Evidence
  metadata: ExpectedText | undefined
}

export interface ExpectedDenial {
  readonly log_index: number
  readonly created_at_ms: number
  readonly denial_id: string
  readonly token: ExpectedToken
  readonly action: string
  readonly resource: string
  readonly spend_micro_usd: number
  readonly reasons: unknown
  readonly trace_id: string | undefined
}

export interface ExpectedRating {
  readonly log_index: number
  readonly aar_id: string
  readonly agent_id: string
  readonly provenance_ref: string
  readonly rating: Rating
  readonly rater_assurance: string
  readonly feedback_at_ms: number
  readonly note_digest: string | undefined
}

export interface ExpectedApproval {
  readonly log_index: number
  readonly approval_id: string
  readonly token: ExpectedToken
  readonly action: string
  readonly resource: string
  readonly spend_micro_usd: number
  readonly binding: string
  /** Undefined for a request from an earlier version. */
  readonly shape: string | undefined
  readonly approvers: readonly RequiredApprovers[]
  readonly created_at_ms: number
  readonly expires_at_ms: number
  readonly metadata: ExpectedText | undefined
  /** The open request with the same binding that this one replaces. */
  readonly replaces: ExpectedApproval | undefined
  state: ApprovalState
  decided_at_ms: number | undefined
  decided_by: string | undefined
  decided_index: number | undefined
  note: ExpectedText | undefined
  endorsements: readonly Endorsement[]
  granted: GivenGrant | undefined
  grant_id: string | undefined
  used_by: string | undefined
}

/** A habit from an earlier version. */
interface UnboundHabit {
  approvals: number
  auto_approvals: number
  last_human_ms: number
}

/** By agent, person, action and resource. */
export type UnboundHabits = Map<string, UnboundHabit>

/** A registry entry after its newest leaf. */
export interface ExpectedRegistryEntry {
  readonly kind: RegistryKind
  readonly log_index: number
  readonly tenant_id: string
  readonly owner: string | undefined
  /** Undefined once it is removed. */
  readonly document: ExpectedText | undefined
}

export interface Threshold {
  readonly ref: string
  readonly percent: number
}

export interface ExpectedVouch {
  readonly vouch_id: string
  readonly tenant_id: string
  readonly from: string
  readonly to: string
  readonly context: string | undefined
  readonly made_at_ms: number
  readonly log_index: number
  weight: number
  expires_at_ms: number | undefined
  changed_index: number | undefined
  ended_at_ms: number | undefined
  ended_index: number | undefined
  /** Also undefined once the person it is about was erased. */
  note: ExpectedText | undefined
}

export interface ExpectedAnchor {
  readonly tenant_id: string
  readonly base: number
  readonly named_at_ms: number
  readonly log_index: number
  removed_index: number | undefined
  reason: ExpectedText | undefined
}

/** The vouches, anchors and required scores that follow from the log. */
export interface ReplayedTrust {
  readonly vouches: Map<string, ExpectedVouch>
  /** Vouches that haven't been ended, by the combination that a person may vouch for only once. */
  readonly open_vouches: Map<string, ExpectedVouch>
  /** Open vouches from and to each subject. */
  readonly of_subject: Map<string, Set<ExpectedVouch>>
  /** Vouches with a note about each person. */
  readonly noted: Map<string, Set<ExpectedVouch>>
  readonly anchors: Map<string, ExpectedAnchor>
  /** Pairs of agent and person: the agent has ever held a token in the person's name. */
  readonly acted_for: Set<string>
  /** People and owners of agents, by the reference of a registry entry under their ref. */
  readonly refs: Map<string, string>
  /** The references of the addresses that were ever linked to each person. */
  readonly linked: Map<string, Set<string>>
  /** Vouches that the last leaf turned into vouches for oneself, and why. The next leaves must end them. */
  readonly due_ends: Map<string, 'own_agent' | 'same_person'>
  /** Agents whose score is required by a token, and the first leaf that required it. */
  readonly asked_scores: Map<string, number>
  /** Scores that decisions are based on, by agent and log size. */
  readonly score_claims: Map<string, ScoreClaim>
}

/** A score that the log or a row states. It must be what the log up to that size implies. */
export interface ScoreClaim {
  readonly agent_id: string
  readonly log_size: number
  readonly score: number
  /** The place that states it, for the finding. */
  readonly table: 'leaves' | 'vouch_scores'
  readonly key: string | number
}

export function noTrust(): ReplayedTrust {
  return {
    vouches: new Map(),
    open_vouches: new Map(),
    of_subject: new Map(),
    noted: new Map(),
    anchors: new Map(),
    acted_for: new Set(),
    refs: new Map(),
    linked: new Map(),
    due_ends: new Map(),
    asked_scores: new Map(),
    score_claims: new Map(),
  }
}

/** The state of the service that follows from the log up to some leaf. */
export interface ReplayState {
  /** By reference, in the order of the log. */
  readonly tokens: Map<string, ExpectedToken>
  readonly agents: Map<string, ExpectedAgent>
  /** The agents that have each key, by thumbprint. */
  readonly key_holders: Map<string, Set<string>>
  /** Which agent has delegated to which, by both names. */
  readonly delegations: Set<string>
  readonly humans: Map<string, ExpectedHuman>
  readonly workflows: Map<string, ExpectedWorkflow>
  /** Pending records. */
  readonly open_records: Map<string, ExpectedRecord>
  /** Approvals that may still change. */
  readonly approvals: Map<string, ExpectedApproval>
  /** The pending approval for each binding. */
  readonly open_by_binding: Map<string, ExpectedApproval>
  readonly habits: Map<string, { readonly key: HabitKey; readonly habit: Habit }>
  readonly unbound_habits: UnboundHabits
  /** By kind and reference. */
  readonly registry: Map<string, ExpectedRegistryEntry>
  /** The log index of the first withdrawal of each signing key. */
  readonly withdrawn_keys: Map<string, number>
  readonly trust: ReplayedTrust
  readonly counters: ExpectedCounters
  /** The approval requested by the previous leaf, while a habit may still approve it. */
  last_request: ExpectedApproval | undefined
  /** Thresholds reached by the last action. The next leaves must record them. */
  readonly due_thresholds: Threshold[]
  /** Thresholds recorded before the completion that reaches them. */
  readonly early_thresholds: Threshold[]
  /** The reference of a token that cost more than it was authorized for. The next leaf must suspend it. */
  due_suspension: string | undefined
  /** The agent that an alert suspends. The next leaf must record it. */
  due_alert_suspension: string | undefined
}

export function newReplayState(): ReplayState {
  return {
    tokens: new Map(),
    agents: new Map(),
    key_holders: new Map(),
    delegations: new Set(),
    humans: new Map(),
    workflows: new Map(),
    open_records: new Map(),
    approvals: new Map(),
    open_by_binding: new Map(),
    habits: new Map(),
    unbound_habits: new Map(),
    registry: new Map(),
    withdrawn_keys: new Map(),
    trust: noTrust(),
    counters: noCounters(),
    last_request: undefined,
    due_thresholds: [],
    early_thresholds: [],
    due_suspension: undefined,
    due_alert_suspension: undefined,
  }
}

/** The effects of one leaf, to be compared with the tables. */
export interface LeafEffects {
  /** The rules that the leaf violates. Each completes a sentence that starts with `Leaf 7`. */
  readonly violations: string[]
  token?: ExpectedToken
  record?: ExpectedRecord
  /** A record that will never change again. */
  closed?: ExpectedRecord
  denial?: ExpectedDenial
  rating?: ExpectedRating
  approval?: ExpectedApproval
  /** Approvals that will never change again. */
  readonly settled: ExpectedApproval[]
}

/** The index and time of a leaf. */
export interface LeafPosition {
  readonly log_index: number
  readonly at_ms: number
}

/** One leaf being applied: its content, its position in the log, the state so far, and its effects. */
export interface LeafStep extends LeafPosition {
  readonly leaf: Leaf
  readonly replay: ReplayState
  readonly effects: LeafEffects
}

export function expectedAgent(replay: ReplayState, agent_id: string, at_ms: number): ExpectedAgent {
  const known = replay.agents.get(agent_id)
  if (known !== undefined) return known
  const agent: ExpectedAgent = {
    marks: noMarks(),
    tally: emptyTally(),
    days: new Map(),
    first_seen_ms: at_ms,
    last_action_ms: undefined,
    profile_digest: undefined,
    suspend_reason: undefined,
    owned_by: undefined,
    keys: new Map(),
  }
  replay.agents.set(agent_id, agent)
  return agent
}

export function expectedHuman(replay: ReplayState, human_ref: string): ExpectedHuman {
  const known = replay.humans.get(human_ref)
  if (known !== undefined) return known
  const human: ExpectedHuman = {
    marks: noMarks(),
    erased_at: [],
    erased_at_ms: undefined,
    keys_gone: 0,
    needs_key: false,
  }
  replay.humans.set(human_ref, human)
  replay.trust.refs.set(registryRef(human_ref), human_ref)
  return human
}

export function expectedWorkflow(replay: ReplayState, provenance_ref: string): ExpectedWorkflow {
  const known = replay.workflows.get(provenance_ref)
  if (known !== undefined) return known
  const workflow: ExpectedWorkflow = {
    records: 0,
    last_action_ms: undefined,
    agents: new Map(),
    actions: new Map(),
    results: new Map(),
  }
  replay.workflows.set(provenance_ref, workflow)
  return workflow
}

/** The sums that a change adds to: the agent's total and its sum for the day. */
export function talliesOf(agent: ExpectedAgent, at_ms: number): readonly [AgentTally, AgentTally] {
  const day = dayOf(at_ms)
  const known = agent.days.get(day) ?? emptyTally()
  agent.days.set(day, known)
  return [agent.tally, known]
}

/**
 * The text behind a digest. A person's digest is keyed with their data key, so they must have had a key since their
 * last erasure.
 */
export function expectedText(
  replay: ReplayState,
  human_ref: string | undefined,
  kind: DigestKind,
  digest: string | undefined,
  log_index: number,
): ExpectedText | undefined {
  if (digest === undefined) return undefined
  if (human_ref !== undefined) expectedHuman(replay, human_ref).needs_key = true
  return { human_ref, kind, digest, log_index }
}

export function rootTokenOf(token: ExpectedToken): ExpectedToken {
  return token.above === undefined ? token : rootTokenOf(token.above)
}

/** Marks every token of the chain as having a state row, because an action is counted for each. */
export function touch(token: ExpectedToken): void {
  for (let link: ExpectedToken | undefined = token; link !== undefined; link = link.above)
    link.has_state = true
}
