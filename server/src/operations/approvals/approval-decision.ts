import { toMicroUsd } from '@deputize/protocol'
import type { Caller } from '../../access/caller.ts'
import type { DecideApprovalCommand, GrantTerms } from '../../clerk/command.ts'
import type { StoredApproval } from '../../domain/approvals/approval.ts'
import { DESK_NAME, type Decider } from '../../domain/approvals/approvers.ts'
import { MINUTE_MS } from '../../domain/times/time.ts'
import type { OperationCall, OperationContext } from '../operation-context.ts'
import { deciderOf } from '../questions/approver-roles.ts'
import { submitCommand } from '../submit-command.ts'
import { approvalView } from '../views/approval-view.ts'

/** A decision as given in a request. */
interface StatedDecision {
  readonly approval_id: string
  readonly decision: DecideApprovalCommand['decision']
  readonly note?: string | undefined
  readonly grant?: OperationCall<'approve'>['body']['grant']
}

export function decisionCommand(
  { approval_id, decision, note, grant }: StatedDecision,
  caller: Caller,
  decider: Decider,
): DecideApprovalCommand {
  const by = decider.is_desk === true ? DESK_NAME : caller.role === 'human' ? caller.human_ref : 'human'
  return { kind: 'decide_approval', approval_id, decision, by, decider, note, grant: grantTerms(grant) }
}

function grantTerms(grant: StatedDecision['grant']): GrantTerms | undefined {
  if (grant === undefined) return undefined
  const { minutes, max_spend_usd } = grant
  return {
    lifetime_ms: minutes * MINUTE_MS,
    max_spend_micro_usd: max_spend_usd === undefined ? undefined : toMicroUsd(max_spend_usd),
  }
}

export async function submitDecision(
  decision: Omit<StatedDecision, 'approval_id'>,
  call: OperationCall<'approve'> | OperationCall<'deny'>,
  context: OperationContext,
) {
  const decider = await deciderOf(call.caller, context)
  const command = decisionCommand({ approval_id: call.params.id, ...decision }, call.caller, decider)
  return approvalView(await submitCommand<StoredApproval>(command, call, context), context.clock())
}
