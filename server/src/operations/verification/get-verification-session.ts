import { AuthorityError } from '@deputize/protocol'
import type { Caller } from '../../access/caller.ts'
import { isoInstant } from '../../domain/time.ts'
import type { Handler } from '../operation-context.ts'
import { verificationIdOf } from '../views/verification-view.ts'
import { type CaptureSession, findSession } from './capture-sessions.ts'

export const getVerificationSession: Handler<'getVerificationSession'> = async (
  { params, caller },
  context,
) => {
  const session = await findSession(params.id, context)
  if (session === undefined || !isVisible(session, caller)) throw new AuthorityError('session_unknown')
  const { session_id, purpose, state, human_ref, progress, expires_at_ms } = session
  return {
    session_id,
    purpose,
    state,
    human_ref,
    provider: 'builtin',
    steps_done: progress.steps_done,
    steps_total: progress.steps.length,
    ...(state === 'judged' && { verification_id: verificationIdOf(session_id) }),
    expires_at: isoInstant(expires_at_ms),
  }
}

function isVisible({ tenant_id, human_ref }: CaptureSession, caller: Caller): boolean {
  if (caller.tenant_id !== tenant_id) return false
  return caller.role !== 'human' || caller.human_refs.includes(human_ref)
}
