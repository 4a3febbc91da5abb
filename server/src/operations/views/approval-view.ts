import { type AnswerOf, type OPERATIONS, shownAgent, toUsd } from '@deputize/protocol'
import { currentState, type StoredApproval } from '../../domain/approval.ts'
import { isoInstant } from '../../domain/time.ts'

type ApprovalView = AnswerOf<typeof OPERATIONS.getApproval>

export function approvalView(approval: StoredApproval, now_ms: number): ApprovalView {
  return {
    approval_id: approval.approval_id,
    state: currentState(approval, now_ms),
    vat_jti: approval.vat_jti,
    provenance_ref: approval.provenance_ref,
    agent_id: shownAgent(approval.agent_id),
    human_ref: approval.human_ref,
    assurance_level: approval.assurance_level,
    action: approval.action,
    resource: approval.resource,
    spend_usd: toUsd(approval.spend_micro_usd),
    created_at: isoInstant(approval.created_at_ms),
    expires_at: isoInstant(approval.expires_at_ms),
    log_index: approval.log_index,
    ...(approval.metadata !== undefined && { metadata: JSON.parse(approval.metadata) }),
    ...(approval.decided_at_ms !== undefined && { decided_at: isoInstant(approval.decided_at_ms) }),
    ...(approval.decided_by !== undefined && { decided_by: approval.decided_by }),
    ...(approval.decided_log_index !== undefined && { decided_log_index: approval.decided_log_index }),
    ...(approval.note !== undefined && { note: approval.note }),
    ...(approval.used_by !== undefined && { used_by: approval.used_by }),
    ...(approval.erased && { erased: true }),
  }
}
