import { currentState } from '../../domain/approvals/approval.ts'
import type { BatchState } from '../batch-state.ts'
import type { EscalateApprovalCommand } from '../command.ts'

/** Records that more people are asked. A request that was answered in the meantime stays as it is. */
export function judgeEscalateApproval(
  { approval_id, to }: EscalateApprovalCommand,
  batch: BatchState,
): { readonly escalated: boolean } {
  const approval = batch.approval(approval_id)
  if (approval === undefined || currentState(approval, batch.now_ms) !== 'pending')
    return { escalated: false }
  const { provenance_ref } = approval
  batch.appendLeaf('approval.escalated', { approval_id, provenance_ref, to: [...to] })
  return { escalated: true }
}
