import { DEFAULT_TENANT, tenantOf } from '@deputize/protocol'
import { APPROVAL_STATES, type StoredApproval } from '../../domain/approval.ts'
import type { StoredDenial } from '../../domain/denial.ts'
import type { StoredRecord } from '../../domain/record.ts'
import type { AgentTally } from '../../domain/reputation.ts'
import type { TokenState } from '../../domain/token.ts'
import type { NewRating } from '../port.ts'
import { evidenceKey, FIRST_TENANT_KEY, ratingKey, stateKey } from '../values.ts'
import type { Place } from '../vault.ts'

/** A value as it is written. */
export type Written = string | number | null | Uint8Array

/** What values need of the store that writes them: the keys behind ids, and the sealing of what is personal. */
export interface Keys {
  token(jti: string): number
  name(text: string): number
  sealed(human_ref: string, place: Place, text: string | undefined): Uint8Array | null
}

/** How the tenant of an agent is kept. */
export function tenantKey(agent_id: string, nameKey: (text: string) => number): number {
  const tenant_id = tenantOf(agent_id)
  return tenant_id === DEFAULT_TENANT ? FIRST_TENANT_KEY : nameKey(tenant_id)
}

/** A row of `records` in the order of its columns. How the parent is named is the store's affair. */
export function recordValues(record: StoredRecord, keys: Keys, parent: Written): Written[] {
  return [
    record.log_index,
    record.aar_id,
    keys.token(record.vat_jti),
    keys.name(record.action),
    keys.name(record.resource),
    stateKey(record.state),
    record.created_at_ms,
    resultKey(record, keys),
    record.result_hash ?? null,
    record.spend_micro_usd,
    parent,
    record.expires_at_ms ?? null,
    record.completed_at_ms ?? null,
    record.completed_log_index ?? null,
    Number(record.completed_after_revocation),
    Number(record.over_budget),
    record.completion_digest ?? null,
    record.trace_id ?? null,
    sealedMetadata(record, keys),
    evidenceKey(record.evidence),
  ]
}

/** What closing a record changes: state, result, its hash, spend, metadata, time, place, two marks, digest, evidence. */
export function closingValues(record: StoredRecord, keys: Keys): Written[] {
  return [
    stateKey(record.state),
    resultKey(record, keys),
    record.result_hash ?? null,
    record.spend_micro_usd,
    sealedMetadata(record, keys),
    record.completed_at_ms ?? null,
    record.completed_log_index ?? null,
    Number(record.completed_after_revocation),
    Number(record.over_budget),
    record.completion_digest ?? null,
    evidenceKey(record.evidence),
  ]
}

function resultKey({ result }: StoredRecord, keys: Keys): number | null {
  return result === undefined ? null : keys.name(result)
}

function sealedMetadata({ human_ref, aar_id, metadata }: StoredRecord, keys: Keys): Uint8Array | null {
  return keys.sealed(human_ref, { kind: 'record.metadata', row: aar_id }, metadata)
}

/** A row of `ratings` in the order of its columns. */
export function ratingValues({ record, rating }: NewRating, keys: Keys): Written[] {
  return [
    record.log_index,
    ratingKey(rating.rating),
    rating.feedback_at_ms,
    rating.log_index,
    rating.rater_assurance,
    keys.sealed(record.human_ref, { kind: 'rating.note', row: record.aar_id }, rating.note),
  ]
}

/** A row of `denials` in the order of its columns. */
export function denialValues(denial: StoredDenial, keys: Keys): Written[] {
  return [
    denial.log_index,
    denial.denial_id,
    keys.token(denial.vat_jti),
    keys.name(denial.action),
    keys.name(denial.resource),
    denial.spend_micro_usd,
    JSON.stringify(denial.reasons),
    denial.created_at_ms,
    denial.trace_id ?? null,
  ]
}

/** A row of `approvals` in the order of its columns. */
export function approvalValues(approval: StoredApproval, keys: Keys): Written[] {
  const { approval_id: row, human_ref } = approval
  return [
    approval.log_index,
    approval.approval_id,
    keys.token(approval.vat_jti),
    keys.name(approval.action),
    keys.name(approval.resource),
    approval.spend_micro_usd,
    keys.sealed(human_ref, { kind: 'approval.metadata', row }, approval.metadata),
    approval.binding,
    APPROVAL_STATES.indexOf(approval.state),
    approval.created_at_ms,
    approval.expires_at_ms,
    approval.decided_at_ms ?? null,
    approval.decided_by ?? null,
    approval.decided_log_index ?? null,
    keys.sealed(human_ref, { kind: 'approval.note', row }, approval.note),
    approval.used_by ?? null,
  ]
}

/** What a row of `token_states` holds besides its key and the words of a revocation. */
export function stateValues(state: TokenState): Written[] {
  return [
    state.revoked_at_ms ?? null,
    state.suspended_at_ms ?? null,
    state.spent_micro_usd,
    state.reserved_micro_usd,
    state.actions,
    state.minute,
    state.minute_actions,
  ]
}

/** The sums of an agent in the order of their columns. */
export function tallyValues(tally: AgentTally): number[] {
  return [
    tally.total_actions,
    tally.completed_actions,
    tally.scored_actions,
    tally.outcome_halves,
    tally.approved,
    tally.flagged,
    tally.rejected,
  ]
}
