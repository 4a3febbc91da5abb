import type { Caller } from '../../access/caller.ts'
import type { DecideApprovalCommand } from '../../clerk/command.ts'
import type { StoredApproval } from '../../domain/approval.ts'
import { type OperationCall, type OperationContext, submitCommand } from '../operation-context.ts'
import { approvalView } from '../views/approval-view.ts'

export function decisionCommand(
  approval_id: string,
  decision: DecideApprovalCommand['decision'],
  note: string | undefined,
  caller: Caller,
): DecideApprovalCommand {
  const by = caller.role === 'human' ? caller.human_ref : 'human'
  return { kind: 'decide_approval', approval_id, decision, by, note }
}

export async function submitDecision(
  decision: DecideApprovalCommand['decision'],
  call: OperationCall<'approve'> | OperationCall<'deny'>,
  context: OperationContext,
) {
  const command = decisionCommand(call.params.id, decision, call.body.note, call.caller)
  return approvalView(await submitCommand<StoredApproval>(command, call, context), context.clock())
}
