import { setTimeout as sleep } from 'node:timers/promises'
import { currentState } from '../../domain/approval.ts'
import { loadApproval } from '../load-approval.ts'
import type { Handler } from '../operation-context.ts'
import { approvalView } from '../views/approval-view.ts'

const APPROVAL_POLL_MS = 100

/** Waits for a decision until `wait` has passed or the service shuts down. */
export const getApproval: Handler<'getApproval'> = async ({ params, query }, context) => {
  const { clock, isShuttingDown } = context
  const end = performance.now() + (query.wait ?? 0) * 1000
  for (;;) {
    const approval = await loadApproval(params.id, context)
    const isPending = currentState(approval, clock()) === 'pending'
    if (!isPending || performance.now() >= end || isShuttingDown()) return approvalView(approval, clock())
    await sleep(APPROVAL_POLL_MS)
  }
}
