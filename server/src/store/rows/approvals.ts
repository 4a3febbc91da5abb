import { APPROVAL_STATES, canonicalJson } from '@deputize/protocol'
import type { BranchDenial, StoredApproval } from '../../domain/approvals/approval.ts'
import type { Grant, Habit, HabitKey, HabitKind } from '../../domain/approvals/habit.ts'
import { branchOfToken, isOfRevokedChain } from '../revoked-chains.ts'
import { rowReader } from '../row-reader.ts'
import type { RowOf } from '../tables.ts'
import { integer, isTrue, member, optionalText, type Row, text } from '../values.ts'
import type { EntrySource } from './entries.ts'
import { type RowKeys, sealedText } from './row-keys.ts'
import { madeWith } from './tokens.ts'

const readApproval = rowReader('approvals')

/** Returns the columns that are read with a row of `approvals`, which has this alias. */
export function approvalJoined(alias: string): string {
  return `${isOfRevokedChain(`${alias}.token_key`)} AS token_revoked,
    ${branchOfToken(`${alias}.token_key`)} AS branch_jti`
}

/** Must match the index that finds them. */
const BY_PEOPLE = "decided_by NOT IN ('habit', 'grant')"

/** Selects when people denied requests of each branch below a root token, since one last approved something there. */
export function deniedInARow(root_key: string): string {
  return `
    SELECT DISTINCT ${branchOfToken('denied.token_key')} AS branch_jti, at_ms FROM (
      SELECT DISTINCT token_key, decided_at_ms AS at_ms FROM approvals
      WHERE root_key = ${root_key} AND ${BY_PEOPLE} AND state = 2 AND decided_index > coalesce((
        SELECT decided_index FROM approvals
        WHERE root_key = ${root_key} AND ${BY_PEOPLE} AND state = 1
        ORDER BY decided_index DESC LIMIT 1), -1)
    ) AS denied`
}

/** Reads a row of `deniedInARow`. */
export function branchDenialOf({ branch_jti, at_ms }: Row): BranchDenial {
  return { branch_jti: text(branch_jti), at_ms: integer(at_ms) }
}

/** Reads a row of `approvals` with the columns of `approvalJoined`. */
export function approvalOf(joined: Row, { token, name, open }: EntrySource): StoredApproval {
  const row = readApproval(joined)
  const metadata = open('metadata', { kind: 'approval.metadata', row: row.approval_id })
  const note = open('note', { kind: 'approval.note', row: row.approval_id })
  return {
    ...madeWith(token),
    branch_jti: text(joined.branch_jti),
    approval_id: row.approval_id,
    action: name('action'),
    resource: name('resource'),
    spend_micro_usd: row.spend_micro_usd,
    metadata: metadata.text,
    binding: row.binding,
    shape: row.shape ?? undefined,
    approvers: parsedList(row.approvers),
    endorsements: parsedList(row.endorsements),
    granted: row.granted === null ? undefined : JSON.parse(row.granted),
    grant_id: row.grant_id ?? undefined,
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
    token_revoked: isTrue(joined.token_revoked),
  }
}

/** The columns that deciding or using an approval replaces. Its note stays unless the decision has one. */
export const DECISION_COLUMNS = [
  'state',
  'decided_at_ms',
  'decided_by',
  'decided_index',
  'endorsements',
  'granted',
  'grant_id',
  'used_by',
] as const

/** Returns a row of `approvals`, new or decided. */
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
    root_key: keys.token(approval.root_jti).token_key,
    human_key: keys.human(human_ref),
    shape: approval.shape ?? null,
    approvers: listText(approval.approvers),
    endorsements: listText(approval.endorsements),
    granted: approval.granted === undefined ? null : canonicalJson(approval.granted),
    grant_id: approval.grant_id ?? null,
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

/** Returns null for an empty list: most approvals have one approver. */
export function listText(list: readonly unknown[]): string | null {
  return list.length === 0 ? null : canonicalJson(list)
}

function parsedList(text: string | null) {
  return text === null ? [] : JSON.parse(text)
}

const readHabit = rowReader('approval_habits')

/** Returns an SQL value: the token with which the agent asked when a person last approved something of the habit `h`. */
function lastApprovedToken(column: 'jti' | 'token_key'): string {
  return `(
    SELECT asking.${column} FROM approvals approved JOIN tokens asking ON asking.token_key = approved.token_key
    WHERE approved.root_key = h.root_key AND approved.${BY_PEOPLE} AND approved.state = 1
      AND approved.action_key = h.action_key AND approved.resource_key = h.resource_key
      AND approved.shape = h.shape AND approved.approvers IS NULL AND asking.agent_key = h.agent_key
    ORDER BY approved.decided_index DESC LIMIT 1)`
}

/** Returns an SQL value: the token to which the grant of the habit `h` was given. `grant` is its JSON. */
function grantedToken(column: 'jti' | 'token_key', grant: string): string {
  return `(
    SELECT asking.${column} FROM approvals given JOIN tokens asking ON asking.token_key = given.token_key
    WHERE given.approval_id = ${grant} ->> 'approval_id')`
}

/** Returns the columns that are read with a row of `approval_habits`, which has the alias `h`. */
export function habitJoined(grant: string): string {
  return `${lastApprovedToken('jti')} AS vat_jti, ${grantedToken('jti', grant)} AS grant_jti`
}

/** Returns an SQL condition: whether a revocation ended the habit `h`. Equivalent to `unrevokedHabit`. */
export function isRevokedHabit(): string {
  return isOfRevokedChain(lastApprovedToken('token_key'))
}

/** Returns an SQL condition: whether a revocation ended the grant of the habit `h`. Equivalent to `unrevokedHabit`. */
export function isRevokedGrant(grant: string): string {
  return `(${isRevokedHabit()} OR ${isOfRevokedChain(grantedToken('token_key', grant))})`
}

/** Reads a row of `approval_habits` with the columns of `habitJoined`, without its key. */
export function habitOf(row: Row): Habit {
  const { approvals, auto_approvals, unasked, is_due, amounts, last_human_ms, live_grant } = readHabit(row)
  return {
    approvals,
    auto_approvals,
    unasked,
    is_due: is_due === 1,
    amounts: JSON.parse(amounts),
    last_human_ms,
    vat_jti: optionalText(row.vat_jti),
    grant:
      live_grant === null ? undefined : { ...JSON.parse(live_grant), vat_jti: optionalText(row.grant_jti) },
  }
}

/** The columns of a habit that decisions and uses replace. */
export const HABIT_COLUMNS = [
  'approvals',
  'auto_approvals',
  'unasked',
  'is_due',
  'amounts',
  'last_human_ms',
  'live_grant',
] as const

export type HabitValues = Pick<RowOf<'approval_habits'>, (typeof HABIT_COLUMNS)[number]>

export function habitValues({ is_due, amounts, vat_jti: _, grant, ...counts }: Habit): HabitValues {
  return {
    ...counts,
    is_due: is_due ? 1 : 0,
    amounts: canonicalJson(amounts),
    live_grant: grant === undefined ? null : grantText(grant),
  }
}

function grantText({ vat_jti: _, ...grant }: Grant): string {
  return canonicalJson(grant)
}

export type HabitKeyRow = Omit<RowOf<'approval_habits'>, (typeof HABIT_COLUMNS)[number]>

export function habitKeyRow(key: HabitKey, keys: RowKeys): HabitKeyRow {
  return {
    agent_key: keys.agent(key.agent_id),
    human_key: keys.human(key.human_ref),
    action_key: keys.name(key.action),
    resource_key: keys.name(key.resource),
    root_key: keys.token(key.root_jti).token_key,
    shape: key.shape,
  }
}

/** Reads the keys of the habits of one kind from rows with the root's `jti` and the shape. */
export function habitKeysOf(kind: HabitKind, rows: readonly Row[]): HabitKey[] {
  const { agent_id, human_ref, action, resource } = kind
  return rows.map((row) => ({
    agent_id,
    human_ref,
    action,
    resource,
    root_jti: text(row.jti),
    shape: text(row.shape),
  }))
}
