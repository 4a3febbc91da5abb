import { AuthorityError, type ErrorCode } from '@deputize/protocol'
import type { OperationContext } from '../operation-context.ts'

interface UnreadyReason {
  readonly code: ErrorCode
  readonly detail: string
}

/** Returns why the service can't commit changes now. Empty if it can. */
export function unreadyReasons({
  clerk,
  node: { clockFault, isShuttingDown },
  log: { scrub },
}: OperationContext): UnreadyReason[] {
  const reason = (code: ErrorCode, detail = new AuthorityError(code).message) => ({ code, detail })
  const storage = clerk.fault()
  const damage = scrub.damage()
  const clock = clockFault()
  return [
    ...(isShuttingDown() ? [reason('shutting_down')] : []),
    ...(storage === undefined ? [] : [reason(storage, clerk.faultDetail())]),
    ...(damage === undefined ? [] : [reason('storage_damaged', damage)]),
    ...(clock === undefined ? [] : [reason('clock_jumped', clock)]),
  ]
}
