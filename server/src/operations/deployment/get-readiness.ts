import { AuthorityError } from '@deputize/protocol'
import { isoInstant } from '../../domain/times/time.ts'
import type { Handler } from '../operation-context.ts'
import { unreadyReasons } from './unready-reasons.ts'

/** The first reason becomes the problem's code; the problem lists all reasons. */
export const getReadiness: Handler<'getReadiness'> = async (_call, context) => {
  const reasons = unreadyReasons(context)
  const [first] = reasons
  const verified_at_ms = context.log.scrub.finishedAtMs()
  if (first !== undefined) throw new AuthorityError(first.code, first.detail, { ready: false, reasons })
  return {
    status: 'ready',
    ready: true,
    reasons: [],
    ...(verified_at_ms !== undefined && { log_verified_at: isoInstant(verified_at_ms) }),
    ...(context.node.is_restore_unnoticed && { warnings: ['restore_unnoticed'] }),
  }
}
