import { canonicalJson } from '@deputize/protocol'
import { isoInstant } from '../../../domain/times/time.ts'
import type { Handler } from '../../operation-context.ts'
import { assertOwnRequest, captureBinding } from './capture-binding.ts'
import { capturePasskeyOptions } from './capture-passkey.ts'
import { assertOpen, capturedEvidence, sessionWithNonce } from './capture-sessions.ts'
import { assertOpenerInForce, callerOf } from './session-opener.ts'

/** The challenge isn't stored: the call that finishes the session computes it again. */
export const beginSessionPasskey: Handler<'beginSessionPasskey'> = async ({ params, body }, context) => {
  const session = await sessionWithNonce(params.id, body.nonce, context)
  assertOwnRequest(session, body)
  await assertOpenerInForce(session, context)
  assertOpen(session)
  const binding = captureBinding(session, await capturedEvidence(session, context), body)
  const opener = callerOf(session.opened_by)
  const { ceremony, options } = await capturePasskeyOptions(
    binding,
    session.purpose,
    session,
    opener,
    context,
  )
  const expires_at = isoInstant(session.expires_at_ms)
  return { ceremony, options, bound_text: canonicalJson(binding), expires_at }
}
