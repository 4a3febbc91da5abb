import { EVIDENCE, RATINGS, type Reason, STATES } from '@deputize/protocol'
import { APPROVAL_STATES, type Habit, type StoredApproval } from '../../domain/approval.ts'
import type { StoredDenial } from '../../domain/denial.ts'
import type { StoredRating, StoredRecord } from '../../domain/record.ts'
import type { Token, TokenWords } from '../../domain/token.ts'
import { bytes, integer, member, optionalInteger, optionalText, type Row, text } from '../values.ts'
import type { Place } from '../vault.ts'
import type { Opened } from './sealed-fields.ts'
import { madeWith } from './tokens.ts'

/** What the row of an entry points to, found in whatever way suits the store. */
export interface EntrySource {
  readonly token: Token
  name(of: 'action' | 'resource' | 'result'): string
  open(column: 'metadata' | 'note', place: Place): Opened
}

/** A row of `records`, with its leaf hash, the id of its parent and the columns of its rating. */
export function recordOf(row: Row, { token, name, open }: EntrySource): StoredRecord {
  const aar_id = text(row.aar_id)
  const metadata = open('metadata', { kind: 'record.metadata', row: aar_id })
  const note = open('note', { kind: 'rating.note', row: aar_id })
  return {
    ...madeWith(token),
    aar_id,
    action: name('action'),
    resource: name('resource'),
    parent_aar_id: optionalText(row.parent_aar_id),
    trace_id: optionalText(row.trace_id),
    created_at_ms: integer(row.created_at_ms),
    log_index: integer(row.log_index),
    leaf_hash: bytes(row.leaf_hash),
    state: member(STATES, integer(row.state)),
    result: row.result_key === null ? undefined : name('result'),
    result_hash: optionalText(row.result_hash),
    spend_micro_usd: integer(row.spend_micro_usd),
    metadata: metadata.text,
    expires_at_ms: optionalInteger(row.expires_at_ms),
    completed_at_ms: optionalInteger(row.completed_at_ms),
    completed_after_revocation: row.completed_after_revocation === 1,
    over_budget: row.over_budget === 1,
    completed_log_index: optionalInteger(row.completed_index),
    completion_digest: optionalText(row.completion_digest),
    rating: row.rated_index === null ? undefined : ratingOf(row, note.text),
    evidence: member(EVIDENCE, integer(row.evidence)),
    erased: metadata.erased || note.erased,
  }
}

function ratingOf(row: Row, note: string | undefined): StoredRating {
  return {
    rating: member(RATINGS, integer(row.rating)),
    note,
    rater_assurance: text(row.rater_assurance),
    feedback_at_ms: integer(row.feedback_at_ms),
    log_index: integer(row.rated_index),
  }
}

/** A row of `denials`, with its leaf hash. */
export function denialOf(row: Row, { token, name }: EntrySource): StoredDenial {
  return {
    ...madeWith(token),
    denial_id: text(row.denial_id),
    action: name('action'),
    resource: name('resource'),
    spend_micro_usd: integer(row.spend_micro_usd),
    // Written from a non-empty list of reasons, and never changed.
    reasons: JSON.parse(text(row.reasons)) as [Reason, ...Reason[]],
    trace_id: optionalText(row.trace_id),
    created_at_ms: integer(row.created_at_ms),
    log_index: integer(row.log_index),
    leaf_hash: bytes(row.leaf_hash),
  }
}

/** A row of `approvals`. */
export function approvalOf(row: Row, { token, name, open }: EntrySource): StoredApproval {
  const approval_id = text(row.approval_id)
  const metadata = open('metadata', { kind: 'approval.metadata', row: approval_id })
  const note = open('note', { kind: 'approval.note', row: approval_id })
  return {
    ...madeWith(token),
    approval_id,
    action: name('action'),
    resource: name('resource'),
    spend_micro_usd: integer(row.spend_micro_usd),
    metadata: metadata.text,
    binding: text(row.binding),
    created_at_ms: integer(row.created_at_ms),
    log_index: integer(row.log_index),
    expires_at_ms: integer(row.expires_at_ms),
    state: member(APPROVAL_STATES, integer(row.state)),
    decided_at_ms: optionalInteger(row.decided_at_ms),
    decided_by: optionalText(row.decided_by),
    decided_log_index: optionalInteger(row.decided_index),
    note: note.text,
    used_by: optionalText(row.used_by),
    erased: metadata.erased || note.erased,
  }
}

/** A row of `approval_habits`. */
export function habitOf(row: Row): Habit {
  return {
    approvals: integer(row.approvals),
    auto_approvals: integer(row.auto_approvals),
    last_human_ms: integer(row.last_human_ms),
  }
}

/** What was said about a token; undefined when nothing was. */
export function wordsOf(
  row: Row,
  jti: string,
  open: (column: 'purpose' | 'revoke_reason', place: Place) => Opened,
): TokenWords | undefined {
  if (row.purpose === null && row.revoke_reason === null) return undefined
  const purpose = open('purpose', { kind: 'token.purpose', row: jti })
  const reason = open('revoke_reason', { kind: 'token.reason', row: jti })
  return { purpose: purpose.text, revoke_reason: reason.text, erased: purpose.erased || reason.erased }
}
