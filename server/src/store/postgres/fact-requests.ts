import type { Denials, StoredApproval } from '../../domain/approval.ts'
import type { Habit, HabitKey, HabitKind } from '../../domain/habit.ts'
import type { StoredRecord } from '../../domain/record.ts'
import type { AskedScore, StoredAnchor, StoredVouch } from '../../domain/vouch.ts'
import type {
  ApprovalOwner,
  Facts,
  KnownAgent,
  Needs,
  OpenVouches,
  RegisteredKey,
  RegistryEntry,
  RegistryName,
  StoredReplay,
} from '../port.ts'
import type { PeopleSource } from './people.ts'

export type TokenOwner = Parameters<Facts['countLiveOf']>[0]

/** The facts that are looked up by name: what a judge asks with, and what the answer is. */
interface LookedUp {
  readonly records: { readonly key: string; readonly answer: StoredRecord | undefined }
  readonly approvals: { readonly key: string; readonly answer: StoredApproval | undefined }
  readonly open_approvals: { readonly key: string; readonly answer: StoredApproval | undefined }
  readonly replays: { readonly key: string; readonly answer: StoredReplay | undefined }
  readonly agent_facts: { readonly key: string; readonly answer: KnownAgent | undefined }
  readonly key_holders: {
    readonly key: { readonly tenant_id: string; readonly jkt: string }
    readonly answer: readonly RegisteredKey[]
  }
  readonly sharing: { readonly key: string; readonly answer: readonly string[] }
  readonly delegations: {
    readonly key: { readonly from: string; readonly to: string }
    readonly answer: boolean
  }
  readonly open_counts: { readonly key: ApprovalOwner; readonly answer: number }
  readonly denials: { readonly key: string; readonly answer: Denials }
  readonly habits: { readonly key: HabitKey; readonly answer: Habit | undefined }
  readonly habit_keys: { readonly key: HabitKind; readonly answer: readonly HabitKey[] }
  readonly registry: { readonly key: RegistryName; readonly answer: RegistryEntry | undefined }
  readonly vouches: { readonly key: string; readonly answer: StoredVouch | undefined }
  readonly open_vouches: { readonly key: OpenVouches; readonly answer: readonly StoredVouch[] }
  readonly linked_refs: { readonly key: string; readonly answer: readonly string[] }
  readonly vouch_counts: { readonly key: string; readonly answer: number }
  readonly acted_for: {
    readonly key: { readonly agent_id: string; readonly human_ref: string }
    readonly answer: boolean
  }
  readonly in_trust_graph: { readonly key: string; readonly answer: boolean }
  readonly anchors: { readonly key: string; readonly answer: StoredAnchor | undefined }
  readonly asked_scores: { readonly key: string; readonly answer: AskedScore | undefined }
  readonly live_counts: { readonly key: string; readonly answer: number }
  readonly live_counts_of: { readonly key: TokenOwner; readonly answer: number }
}

export type FactKind = keyof LookedUp
export type FactAnswer<K extends FactKind> = LookedUp[K]['answer']

/** What the judges of a batch ask for. It grows from one attempt to the next, until everything asked for is loaded. */
export type FactRequests = { readonly [K in FactKind]: Map<string, LookedUp[K]['key']> } & {
  /** How many overdue records to find. */
  readonly overdue: number
  readonly tokens: Set<string>
  readonly agents: Set<string>
  readonly humans: Set<string>
  /** Agents of which the memory must know whether somebody vouches for them. */
  readonly vouched: Set<string>
  /**
   * Data keys made by earlier attempts, by number and person. A new attempt must use the same: the judges ask for digests
   * made with them.
   */
  readonly made_keys: PeopleSource['made']
  /** Requests that are taken for new without looking: the statement that writes the batch looks. */
  readonly assumed_new: ReadonlySet<string>
}

/** How a batch learns which of its requests were answered before. */
export type Repetition = 'looked_up' | 'assumed_new'

/** The answers of one attempt, by name. Judges change what they are given, so no attempt uses those of another. */
export type FactAnswers = { readonly [K in FactKind]: Map<string, FactAnswer<K>> }

/** The requests that are known before the first attempt. */
export function firstRequests(needs: Needs, repetition: Repetition): FactRequests {
  const isAssumed = repetition === 'assumed_new'
  return {
    overdue: needs.overdue,
    tokens: new Set(needs.tokens),
    agents: new Set(needs.agents),
    humans: new Set(needs.humans),
    vouched: new Set(),
    records: byThemselves(needs.records),
    approvals: byThemselves(needs.approvals),
    open_approvals: new Map(),
    replays: byThemselves(isAssumed ? [] : needs.replays),
    assumed_new: isAssumed ? needs.replays : new Set(),
    agent_facts: byThemselves(needs.identities),
    key_holders: new Map(needs.key_holders),
    sharing: new Map(),
    delegations: new Map(),
    open_counts: new Map(),
    denials: new Map(),
    habits: new Map(),
    habit_keys: new Map(),
    registry: new Map(needs.registry),
    vouches: new Map(),
    open_vouches: new Map(),
    linked_refs: new Map(),
    vouch_counts: new Map(),
    acted_for: new Map(),
    in_trust_graph: new Map(),
    anchors: new Map(),
    asked_scores: new Map(),
    live_counts: new Map(),
    live_counts_of: new Map(),
    made_keys: new Map(),
  }
}

function byThemselves(names: Iterable<string>): Map<string, string> {
  return new Map(Array.from(names, (name) => [name, name]))
}

export function noAnswers(): FactAnswers {
  return {
    records: new Map(),
    approvals: new Map(),
    open_approvals: new Map(),
    replays: new Map(),
    agent_facts: new Map(),
    key_holders: new Map(),
    sharing: new Map(),
    delegations: new Map(),
    open_counts: new Map(),
    denials: new Map(),
    habits: new Map(),
    habit_keys: new Map(),
    registry: new Map(),
    vouches: new Map(),
    open_vouches: new Map(),
    linked_refs: new Map(),
    vouch_counts: new Map(),
    acted_for: new Map(),
    in_trust_graph: new Map(),
    anchors: new Map(),
    asked_scores: new Map(),
    live_counts: new Map(),
    live_counts_of: new Map(),
  }
}
