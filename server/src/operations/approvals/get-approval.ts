import { setTimeout as sleep } from 'node:timers/promises'
import { currentState } from '../../domain/approvals/approval.ts'
import { loadApproval } from '../loading/load-approval.ts'
import type { Handler } from '../operation-context.ts'
import { approvalView } from '../views/approval-view.ts'

const APPROVAL_POLL_MS = 250

/**
 * Waits for a decision until `wait` has passed, the caller has left, too many calls wait, or the service shuts down.
 */
export const getApproval: Handler<'getApproval'> = async (call, context) => {
  const { params, query, caller, hasLeft } = call
  const { clock, waits } = context
  const { isShuttingDown } = context.node
  const end = performance.now() + (query.wait ?? 0) * 1000
  const isOver = () => performance.now() >= end || hasLeft() || isShuttingDown()
  let approval = await loadApproval(params.id, context)
  const isPending = () => currentState(approval, clock()) === 'pending'
  const leave = isPending() && !isOver() ? waits.take(caller) : undefined
  if (leave === undefined) return approvalView(approval, clock())
  try {
    while (isPending() && !isOver()) {
      await sleep(APPROVAL_POLL_MS)
      approval = await loadApproval(params.id, context)
    }
    await call.assertStillValid()
    return approvalView(approval, clock())
  } finally {
    leave()
  }
}
