import type { Frontier } from '@deputize/protocol'
import type { StoredApproval } from '../../domain/approvals/approval.ts'
import type { Habit, HabitKey } from '../../domain/approvals/habit.ts'
import type { StoredDenial } from '../../domain/denial.ts'
import type { StoredRating, StoredRecord } from '../../domain/record.ts'
import type { AgentTally } from '../../domain/reputation.ts'
import type { Activity } from '../../domain/stats.ts'
import type { Marks, Token, TokenState } from '../../domain/tokens/token.ts'
import type { AskedScore, StoredAnchor, StoredVouch } from '../../domain/vouch.ts'
import type { RegisteredKey } from '../port.ts'
import type { StoredCheckpoint } from './log-reader.ts'
import type { RegistryEntry } from './registry.ts'

/** Everything that one batch changes. */
export interface Changes {
  readonly tokens: NewToken[]
  readonly states: Map<string, TokenState>
  /** The tokens in `states` that were revoked, suspended or resumed. */
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
  /** Additions to the counters of agents and tenants. */
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
  /** Scores that tokens now ask for, or that were computed, by agent. */
  readonly vouch_scores: Map<string, AskedScore>
  /** Entries after the batch, by `registryKey`. */
  readonly registry: Map<string, RegistryEntry>
  readonly habits: Map<string, { key: HabitKey; habit: Habit | undefined }>
  /**
   * People whose data key is destroyed, with the leaf that records it. Text sealed for them can never be read again.
   * Their habits, their anchor and the vouches from and to them end; an anchor with base 0 loses only its reason.
   */
  readonly erased: Map<string, number>
  /**
   * Tables with destroyed data. Before `transact` resolves, copies of that data are cleared, and no file of the store
   * holds a destroyed key. On PostgreSQL, encrypted bytes of a removed registry entry may stay in free space until the
   * space is reused.
   */
  readonly scrubbed: Set<ScrubbedTable>
  /** Whether to write and sync something even if nothing else changed, to find out if the store accepts writes. */
  probe: boolean
  /** Replays that expired before this instant may be deleted. */
  forget_replays_before_ms: number | undefined
  /** Whether minute counters that are past retention may be deleted. */
  forget_minutes: boolean
  /** Whether to add the sums that earlier batches deferred to their tables. */
  settles_sums: boolean
}

/**
 * Whether committing the batch is certain to write to the disk. Deleting old replays doesn't count: there may be none,
 * and a commit without rows proves nothing about the disk.
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

export interface NewToken {
  readonly token: Token
  readonly purpose: string | undefined
  /** The token directly above it in the chain, if any. */
  readonly above_jti: string | undefined
  readonly status_index: number
  /** The text of its inner limits, to be sealed. */
  readonly inner_limits: string | undefined
}

export interface NewLeaf {
  readonly text: string
  readonly hash: Uint8Array
  /** Whether it is a revocation, suspension or resumption, which the feed for offline verifiers lists. */
  readonly changes_standing: boolean
  /** Whether it changes the trust graph and no other table leads to it. */
  readonly changes_trust: boolean
  /** The workflow that the leaf belongs to, if no other table leads from the workflow to the leaf. */
  readonly provenance_ref: string | undefined
  /** The token that such a leaf is about. The leaf names it only by a digest. */
  readonly vat_jti: string | undefined
}

/** The root of a full subtree of 256^level leaves that a batch completed, and the index of that subtree. */
export interface NewNode {
  readonly level: number
  readonly index: number
  readonly hash: Uint8Array
}

export interface NewRating {
  readonly record: StoredRecord
  readonly rating: StoredRating
}

export interface NewReplay {
  readonly key: string
  /**
   * Begins with the time of the request. A store may use it as the key, so that answers of the same time are adjacent.
   */
  readonly ordered_key?: string | undefined
  readonly fingerprint: string
  readonly parts: readonly ReplayPart[]
  readonly expires_at_ms: number
}

/** Part of a stored answer. It is sealed for its person, or for the deployment if no person is concerned. */
export interface ReplayPart {
  readonly human_ref: string | undefined
  readonly outcome: string
  /** Whether it repeats only what the rows of the change show readably. Then it is stamped, not sealed. */
  readonly is_open?: boolean
}

/** What a batch adds to a workflow's counters. */
export interface WorkflowDelta {
  records: number
  readonly agents: Map<string, number>
  readonly actions: Map<string, number>
  readonly results: Map<string, number>
}

/** Tables whose destroyed data is cleared at once: keys of erased people, and deleted templates. */
export type ScrubbedTable = 'data_keys' | 'registry'
