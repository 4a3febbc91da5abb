import type { Reply } from '../../clerk/command.ts'
import type { StoredApproval } from '../../domain/approvals/approval.ts'
import type { Handler } from '../operation-context.ts'
import { deciderOf } from '../questions/approver-roles.ts'
import { submitCommand } from '../submit-command.ts'
import { approvalView } from '../views/approval-view.ts'
import { batchItem } from '../views/batch-item.ts'
import { decisionCommand } from './approval-decision.ts'
import { assertFace } from './assert-face.ts'

export const decideApprovals: Handler<'decideApprovals'> = async (call, context) => {
  for (const item of call.body.items) await assertFace(item, call.caller, context)
  const decider = await deciderOf(call.caller, context)
  const items = call.body.items.map((item) => decisionCommand(item, call.caller, decider))
  const replies = await submitCommand<Reply[]>({ kind: 'many', items }, call, context)
  return {
    items: replies.map((reply) =>
      batchItem(reply, (approval: StoredApproval) => approvalView(approval, context.clock())),
    ),
  }
}
