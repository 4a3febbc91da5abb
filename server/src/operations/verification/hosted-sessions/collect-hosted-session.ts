import { AuthorityError } from '@deputize/protocol'
import { mayCollectAgain } from '../../../domain/verification/hosted-session.ts'
import type { Handler, OperationContext } from '../../operation-context.ts'
import { verificationView } from '../../views/verification-view.ts'
import { sessionClosed } from '../biometric-sessions/capture-sessions.ts'
import { issuedToken } from '../biometric-sessions/l3-token.ts'
import { type HostedStatus, hostedKeptUntil, hostedToCollect } from './hosted-sessions.ts'

/** Issues the token now, to the caller that prepared the session. The capturing device never holds it. */
export const collectHostedSession: Handler<'collectHostedSession'> = async ({ params, body }, context) => {
  const status = await hostedToCollect(params.id, body.client_token, context)
  const { hosted, capture, state } = status
  if (state === 'waiting' || state === 'open') throw new AuthorityError('session_not_judged')
  if (capture?.result === undefined || state !== 'judged') throw sessionClosed(state)
  const view = verificationView(capture.result, 'public')
  if (hosted.request === undefined || !view.passed) return view
  await assertNotCollected(status, context)
  const { tenant_id, request } = hosted
  const judged = { document: capture.result, session: capture, tenant_id }
  const token = await issuedToken(request, judged, context)
  if (token === undefined) throw sessionClosed('expired')
  // A crash before this line leaves a token that a repeated call gets again.
  await markCollected(status, context)
  return { ...view, token }
}

async function assertNotCollected(
  { hosted }: HostedStatus,
  { ephemeral, clock }: OperationContext,
): Promise<void> {
  const mark = await ephemeral.get('capture_claim', collectedKey(hosted))
  if (mark === undefined) return
  const { collected_at_ms }: { collected_at_ms: number } = JSON.parse(mark.value)
  if (!mayCollectAgain(collected_at_ms, clock())) throw sessionClosed('judged')
}

async function markCollected(
  { hosted }: HostedStatus,
  { ephemeral, clock }: OperationContext,
): Promise<void> {
  await ephemeral.add('capture_claim', {
    key: collectedKey(hosted),
    value: JSON.stringify({ collected_at_ms: clock() }),
    owner: hosted.human_ref,
    expires_at_ms: hostedKeptUntil(hosted),
  })
}

function collectedKey({ session_id }: HostedStatus['hosted']): string {
  return `${session_id} collected`
}
