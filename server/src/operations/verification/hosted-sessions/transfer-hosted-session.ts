import { AuthorityError } from '@deputize/protocol'
import { isoInstant } from '../../../domain/times/time.ts'
import { openingRefusal, TRANSFER_CODE_MS } from '../../../domain/verification/hosted-session.ts'
import type { Handler } from '../../operation-context.ts'
import { sessionClosed } from '../biometric-sessions/capture-sessions.ts'
import { addTransferCode, hostedWithToken } from './hosted-sessions.ts'
import { hostedUrl } from './hosted-url.ts'

export const transferHostedSession: Handler<'transferHostedSession'> = async ({ params, body }, context) => {
  const { hosted, facts, state } = await hostedWithToken(params.id, body.client_token, context)
  const refusal = openingRefusal(facts, 'transfer_code', context.clock())
  if (refusal === 'session_closed') throw sessionClosed(state)
  if (refusal !== undefined) throw new AuthorityError(refusal)
  const { transfer_code, expires_at_ms } = await addTransferCode(hosted, context)
  return {
    transfer_code,
    url: hostedUrl(hosted.session_id, `t=${transfer_code}`, context),
    expires_at: isoInstant(expires_at_ms),
    expires_in: TRANSFER_CODE_MS / 1000,
  }
}
