import type { Marks } from '../../domain/tokens/token.ts'
import type { Changes } from '../port/changes.ts'
import type { RowOf } from '../tables.ts'
import { rankKey } from '../values.ts'
import { type AgentReasonRow, agentReasonRow } from './agents.ts'
import { approvalRow, type HabitKeyRow, habitKeyRow, habitValues } from './approvals.ts'
import { denialRow } from './denials.ts'
import { type LogRows, logRows } from './log.ts'
import { type ClosingRow, closingRow, ratingRow, recordRow } from './records.ts'
import { registryRow } from './registry.ts'
import { replayRow } from './replays.ts'
import type { RowKeys } from './row-keys.ts'
import {
  type ReasonRow,
  reasonRow,
  type StateRow,
  type SuspendReasonRow,
  stateRow,
  suspendReasonRow,
  tokenRow,
} from './tokens.ts'
import { anchorRow, scoreRow, vouchRow } from './vouches.ts'

type AgentMarkRow = Pick<
  RowOf<'agents'>,
  'agent_key' | 'suspended_at_ms' | 'suspended_rank' | 'revoked_below' | 'asks_until_ms'
>

/** What one batch writes except sums, as rows. Both dialects write the same rows, each with its own statements. */
export interface ChangeRows extends LogRows {
  readonly checkpoints: readonly RowOf<'checkpoints'>[]
  readonly tokens: readonly RowOf<'tokens'>[]
  readonly token_states: readonly StateRow[]
  readonly reasons: readonly ReasonRow[]
  readonly suspend_reasons: readonly SuspendReasonRow[]
  readonly records: readonly RowOf<'records'>[]
  readonly closed_records: readonly ClosingRow[]
  readonly ratings: readonly RowOf<'ratings'>[]
  readonly denials: readonly RowOf<'denials'>[]
  readonly profiles: readonly Pick<RowOf<'agents'>, 'agent_key' | 'profile'>[]
  readonly agent_marks: readonly AgentMarkRow[]
  readonly agent_reasons: readonly AgentReasonRow[]
  readonly human_marks: readonly Pick<RowOf<'humans'>, 'human_key' | 'revoked_below' | 'refused_at_ms'>[]
  readonly agent_owners: readonly Pick<RowOf<'agents'>, 'agent_key' | 'owned_by'>[]
  readonly agent_keys: readonly RowOf<'agent_keys'>[]
  readonly approvals: readonly RowOf<'approvals'>[]
  readonly habits: readonly RowOf<'approval_habits'>[]
  readonly ended_habits: readonly HabitKeyRow[]
  readonly registry: readonly RowOf<'registry'>[]
  readonly vouches: readonly RowOf<'vouches'>[]
  readonly anchors: readonly RowOf<'anchors'>[]
  readonly vouch_scores: readonly RowOf<'vouch_scores'>[]
  readonly replays: readonly RowOf<'replays'>[]
}

const NONE: readonly never[] = []

/** The row of each entry. Most batches change few tables, and have nothing for the others. */
function rowsOf<T, R>(
  entries: Iterable<T> & { readonly size: number },
  rowOf: (entry: T) => R,
): readonly R[] {
  return entries.size === 0 ? NONE : Array.from(entries, rowOf)
}

/**
 * Turns the changes of a batch into rows, except sums. Tokens come first, so that everything else finds their keys, and
 * workflows get their keys in the order in which they begin.
 */
export function changeRows(changes: Changes, keys: RowKeys): ChangeRows {
  return {
    checkpoints: changes.checkpoints,
    tokens: changes.tokens.map((token) => tokenRow(token, keys)),
    ...logRows(changes, keys),
    token_states: rowsOf(changes.states, ([jti, state]) => stateRow(jti, state, keys)),
    reasons: rowsOf(changes.reasons, ([jti, reason]) => reasonRow(jti, reason, keys)),
    suspend_reasons: rowsOf(changes.suspend_reasons, ([jti, reason]) => suspendReasonRow(jti, reason, keys)),
    records: rowsOf(changes.created, (record) => recordRow(record, keys)),
    closed_records: rowsOf(changes.closed, (record) => closingRow(record, keys)),
    ratings: changes.ratings.map((rating) => ratingRow(rating, keys)),
    denials: changes.denials.map((denial) => denialRow(denial, keys)),
    ...markRows(changes, keys),
    approvals: rowsOf(changes.approvals, (approval) => approvalRow(approval, keys)),
    ...habitRows(changes, keys),
    registry: rowsOf(changes.registry, ([, entry]) => registryRow(entry, keys)),
    vouches: rowsOf(changes.vouches, (vouch) => vouchRow(vouch, keys)),
    anchors: rowsOf(changes.anchors, ([, anchor]) => anchorRow(anchor, keys)),
    vouch_scores: rowsOf(changes.vouch_scores, ([, score]) => scoreRow(score)),
    replays: changes.replays.map((replay) => replayRow(replay, keys)),
  }
}

function markRows(changes: Changes, keys: RowKeys) {
  const { profiles, agent_marks, agent_reasons, agent_owners, agent_keys, human_marks } = changes
  return {
    profiles: rowsOf(profiles, ([agent_id, profile]) => ({ agent_key: keys.agent(agent_id), profile })),
    agent_marks: rowsOf(agent_marks, ([agent_id, marks]) => agentMarkRow(agent_id, marks, keys)),
    agent_reasons: rowsOf(agent_reasons, ([agent_id, reason]) => agentReasonRow(agent_id, reason, keys)),
    human_marks: rowsOf(human_marks, ([human_ref, { revoked_below, refused_at_ms = null }]) => ({
      human_key: keys.human(human_ref),
      revoked_below,
      refused_at_ms,
    })),
    agent_owners: rowsOf(agent_owners, ([agent_id, owned_by]) => ({
      agent_key: keys.agent(agent_id),
      owned_by: JSON.stringify(owned_by),
    })),
    agent_keys: rowsOf(agent_keys, ([, { agent_id, jkt, log_index, removed_index = null }]) => ({
      agent_key: keys.agent(agent_id),
      jkt,
      log_index,
      removed_index,
    })),
  }
}

function agentMarkRow(agent_id: string, marks: Marks, keys: RowKeys): AgentMarkRow {
  const { suspended_at_ms = null, suspended_rank, revoked_below, asks_until_ms = null } = marks
  return {
    agent_key: keys.agent(agent_id),
    suspended_at_ms,
    suspended_rank: suspended_rank === undefined ? null : rankKey(suspended_rank),
    revoked_below,
    asks_until_ms,
  }
}

function habitRows({ habits: changed }: Changes, keys: RowKeys) {
  const habits: RowOf<'approval_habits'>[] = []
  const ended_habits: HabitKeyRow[] = []
  for (const { key, habit } of changed.values()) {
    const row = habitKeyRow(key, keys)
    if (habit === undefined) ended_habits.push(row)
    else habits.push({ ...row, ...habitValues(habit) })
  }
  return { habits, ended_habits }
}
