import { AuthorityError } from '@deputize/protocol'
import type { Handler } from '../operation-context.ts'
import { unreadyReasons } from './unready-reasons.ts'

/** The first reason is the code of the problem; the problem lists all of them. */
export const getReadiness: Handler<'getReadiness'> = async (_call, context) => {
  const reasons = unreadyReasons(context)
  const [first] = reasons
  if (first !== undefined) throw new AuthorityError(first.code, first.detail, { ready: false, reasons })
  return {
    status: 'ready',
    ready: true,
    reasons: [],
    ...(context.is_restore_unnoticed && { warnings: ['restore_unnoticed'] }),
  }
}
