import type { Handler } from '../operation-context.ts'
import { cancelSession, sessionWithNonce } from './capture-sessions.ts'

export const cancelVerificationSession: Handler<'cancelVerificationSession'> = async (
  { params, body },
  context,
) => {
  const session = await sessionWithNonce(params.id, body.nonce, context)
  const { session_id, state } = session
  if (state !== 'open') return { session_id, state }
  await cancelSession(session, context)
  return { session_id, state: 'cancelled' }
}
