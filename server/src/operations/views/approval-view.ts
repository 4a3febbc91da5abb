import { type AnswerOf, type OPERATIONS, shownAgent, toUsd } from '@deputize/protocol'
import { currentState, type StoredApproval } from '../../domain/approvals/approval.ts'
import { requiredApprovals } from '../../domain/approvals/approvers.ts'
import { requestSummary } from '../../domain/approvals/request-summary.ts'
import { isoInstant } from '../../domain/times/time.ts'

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
    required: requiredApprovals(approval.approvers),
    decisions: decisionsOf(approval),
    created_at: isoInstant(approval.created_at_ms),
    expires_at: isoInstant(approval.expires_at_ms),
    log_index: approval.log_index,
    ...(approval.metadata !== undefined && {
      metadata: JSON.parse(approval.metadata),
      summary: requestSummary(approval.metadata),
    }),
    ...(approval.approvers.length > 0 && { approvers: approval.approvers.map((one) => ({ ...one })) }),
    ...(approval.decided_at_ms !== undefined && { decided_at: isoInstant(approval.decided_at_ms) }),
    ...(approval.decided_by !== undefined && { decided_by: approval.decided_by }),
    ...(approval.decided_log_index !== undefined && { decided_log_index: approval.decided_log_index }),
    ...(approval.note !== undefined && { note: approval.note }),
    ...(approval.granted !== undefined && {
      grant: {
        expires_at: isoInstant(approval.granted.expires_at_ms),
        max_spend_usd: toUsd(approval.granted.max_spend_micro_usd),
      },
    }),
    ...(approval.grant_id !== undefined && { grant_id: approval.grant_id }),
    ...(approval.used_by !== undefined && { used_by: approval.used_by }),
    ...(approval.erased && { erased: true }),
  }
}

/** Returns every decision: the approvals of several people, and the final one. */
function decisionsOf(approval: StoredApproval): ApprovalView['decisions'] {
  const { endorsements, decided_by, decided_at_ms, state } = approval
  const approved = endorsements.map(({ by, at_ms }) => ({
    by,
    decision: 'approved' as const,
    at: isoInstant(at_ms),
  }))
  if (decided_by === undefined || decided_at_ms === undefined) return approved
  if (state !== 'denied' && endorsements.length > 0) return approved
  const decision = state === 'denied' ? 'denied' : 'approved'
  return [...approved, { by: decided_by, decision, at: isoInstant(decided_at_ms) }]
}
