import { APPROVAL_STATES } from '@deputize/protocol'
import type { Habit, HabitKey, StoredApproval } from '../../domain/approval.ts'
import { rowReader } from '../row-reader.ts'
import type { RowOf } from '../tables.ts'
import { member, type Row } from '../values.ts'
import type { EntrySource } from './entries.ts'
import { type RowKeys, sealedText } from './row-keys.ts'
import { madeWith } from './tokens.ts'

const readApproval = rowReader('approvals')

/** Reads a row of `approvals`. */
export function approvalOf(joined: Row, { token, name, open }: EntrySource): StoredApproval {
  const row = readApproval(joined)
  const metadata = open('metadata', { kind: 'approval.metadata', row: row.approval_id })
  const note = open('note', { kind: 'approval.note', row: row.approval_id })
  return {
    ...madeWith(token),
    approval_id: row.approval_id,
    action: name('action'),
    resource: name('resource'),
    spend_micro_usd: row.spend_micro_usd,
    metadata: metadata.text,
    binding: row.binding,
    created_at_ms: row.created_at_ms,
    log_index: row.log_index,
    expires_at_ms: row.expires_at_ms,
    state: member(APPROVAL_STATES, row.state),
    decided_at_ms: row.decided_at_ms ?? undefined,
    decided_by: row.decided_by ?? undefined,
    decided_log_index: row.decided_index ?? undefined,
    note: note.text,
    used_by: row.used_by ?? undefined,
    erased: metadata.erased || note.erased,
  }
}

/** The columns that deciding or using an approval replaces. Its note stays unless the decision brings one. */
export const DECISION_COLUMNS = ['state', 'decided_at_ms', 'decided_by', 'decided_index', 'used_by'] as const

/** A row of `approvals`, new or decided. */
export function approvalRow(approval: StoredApproval, keys: RowKeys): RowOf<'approvals'> {
  const { approval_id: row, human_ref } = approval
  return {
    log_index: approval.log_index,
    approval_id: approval.approval_id,
    token_key: keys.token(approval.vat_jti).token_key,
    action_key: keys.name(approval.action),
    resource_key: keys.name(approval.resource),
    spend_micro_usd: approval.spend_micro_usd,
    metadata: sealedText(keys, human_ref, { kind: 'approval.metadata', row }, approval.metadata),
    binding: approval.binding,
    state: APPROVAL_STATES.indexOf(approval.state),
    created_at_ms: approval.created_at_ms,
    expires_at_ms: approval.expires_at_ms,
    decided_at_ms: approval.decided_at_ms ?? null,
    decided_by: approval.decided_by ?? null,
    decided_index: approval.decided_log_index ?? null,
    note: sealedText(keys, human_ref, { kind: 'approval.note', row }, approval.note),
    used_by: approval.used_by ?? null,
  }
}

const HABIT_VALUES = ['approvals', 'auto_approvals', 'last_human_ms'] as const
const readHabit = rowReader('approval_habits', HABIT_VALUES)

/** Reads a row of `approval_habits`. */
export function habitOf(row: Row): Habit {
  const { approvals, auto_approvals, last_human_ms } = readHabit(row)
  return { approvals, auto_approvals, last_human_ms }
}

export type HabitKeyRow = Omit<RowOf<'approval_habits'>, (typeof HABIT_VALUES)[number]>

export function habitKeyRow(key: HabitKey, keys: RowKeys): HabitKeyRow {
  return {
    agent_key: keys.agent(key.agent_id),
    human_key: keys.human(key.human_ref),
    action_key: keys.name(key.action),
    resource_key: keys.name(key.resource),
  }
}
