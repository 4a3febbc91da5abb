import { invalidField } from '@deputize/protocol'
import { canOpen } from '../../../domain/verification/hosted-session.ts'
import type { Handler, OperationContext } from '../../operation-context.ts'
import { hostedKeptUntil, hostedOfToken } from '../hosted-sessions/hosted-sessions.ts'
import { cancelSession, sessionKeptUntil, sessionWithNonce } from './capture-sessions.ts'

export const cancelVerificationSession: Handler<'cancelVerificationSession'> = async (
  { params, body },
  context,
) => {
  const { nonce, client_token } = body
  if (nonce !== undefined && client_token !== undefined)
    throw invalidField('/client_token', 'must be absent when nonce is given')
  if (client_token !== undefined) return cancelHosted(params.id, client_token, context)
  if (nonce === undefined) throw invalidField('/nonce', 'or client_token is required')
  const session = await sessionWithNonce(params.id, nonce, context)
  const { session_id, human_ref, state } = session
  if (state !== 'open') return { session_id, state }
  const kept_until_ms = sessionKeptUntil(session)
  return { session_id, state: await cancelSession({ session_id, human_ref, kept_until_ms }, context) }
}

async function cancelHosted(id: string, client_token: string, context: OperationContext) {
  const { hosted, facts, state } = await hostedOfToken(id, client_token, context)
  const { session_id, human_ref } = hosted
  if (state !== 'open' && !canOpen(facts, context.clock())) return { session_id, state }
  const kept_until_ms = hostedKeptUntil(hosted)
  return { session_id, state: await cancelSession({ session_id, human_ref, kept_until_ms }, context) }
}
