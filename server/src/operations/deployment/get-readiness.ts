import { AuthorityError, type ErrorCode } from '@deputize/protocol'
import type { Handler, OperationContext } from '../operation-context.ts'

interface UnreadyReason {
  readonly code: ErrorCode
  readonly detail: string
}

/** The first reason is the code of the problem; the problem lists all of them. */
export const getReadiness: Handler<'getReadiness'> = async (_call, context) => {
  const reasons = unreadyReasons(context)
  const [first] = reasons
  if (first !== undefined) throw new AuthorityError(first.code, first.detail, { ready: false, reasons })
  return {
    status: 'ready',
    ready: true,
    ...(context.is_restore_unnoticed && { warnings: ['restore_unnoticed'] }),
  }
}

function unreadyReasons({ clerk, clockFault, isShuttingDown }: OperationContext): UnreadyReason[] {
  const reason = (code: ErrorCode, detail = new AuthorityError(code).message) => ({ code, detail })
  const storage = clerk.fault()
  const clock = clockFault()
  return [
    ...(isShuttingDown() ? [reason('shutting_down')] : []),
    ...(storage === undefined ? [] : [reason(storage)]),
    ...(clock === undefined ? [] : [reason('clock_jumped', clock)]),
  ]
}
