import { AuthorityError } from '@deputize/protocol'
import type { Caller } from '../../../access/caller.ts'
import { isoInstant } from '../../../domain/times/time.ts'
import { BUILTIN_PROVIDER } from '../../../domain/verification/provider-choice.ts'
import type { Handler } from '../../operation-context.ts'
import { verificationIdOf } from '../../views/verification-view.ts'
import { findHosted } from '../hosted-sessions/hosted-sessions.ts'
import { type CaptureSession, findSession } from './capture-sessions.ts'

export const getVerificationSession: Handler<'getVerificationSession'> = async (
  { params, caller },
  context,
) => {
  const found = await findHosted(params.id, context)
  const capture = found === undefined ? await findSession(params.id, context) : found.capture
  const session = found?.hosted ?? capture
  if (session === undefined || !isVisible(session, caller)) throw new AuthorityError('session_unknown')
  const { session_id, purpose, human_ref, expires_at_ms } = session
  const state = found?.state ?? capture?.state ?? 'expired'
  return {
    session_id,
    purpose,
    state,
    human_ref,
    provider: found?.hosted.provider ?? BUILTIN_PROVIDER,
    steps_done: capture?.progress.steps_done ?? 0,
    steps_total: capture?.progress.steps.length ?? 0,
    ...(state === 'judged' && { verification_id: verificationIdOf(session_id, capture?.hosted?.opening) }),
    expires_at: isoInstant(expires_at_ms),
  }
}

function isVisible(
  { tenant_id, human_ref }: Pick<CaptureSession, 'tenant_id' | 'human_ref'>,
  caller: Caller,
): boolean {
  if (caller.tenant_id !== tenant_id) return false
  return caller.role !== 'human' || caller.human_refs.includes(human_ref)
}
