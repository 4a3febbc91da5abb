import type { PasskeyDocument } from '../../../access/passkey-document.ts'
import { isoInstant } from '../../../domain/times/time.ts'
import { refsOf } from '../../identity/proven-person.ts'
import type { Handler } from '../../operation-context.ts'
import { takeChallenge } from './challenges.ts'
import { usedPasskey } from './used-passkey.ts'

/** The new session holds every ref that currently identifies the person. */
export const finishPasskeyLogin: Handler<'finishPasskeyLogin'> = async ({ body, onSession }, context) => {
  const taken = await takeChallenge(body.response, 'login', undefined, context)
  const { tenant_id, human_ref, document } = await usedPasskey(body.response, taken, undefined, context)
  const { assurance_level } = document
  const amr = passkeyAmr(document)
  const { session, secret, csrf_token } = await context.accessControl.sessions.create({
    tenant_id,
    human_ref,
    human_refs: await refsOf({ tenant_id, human_ref }, context),
    assurance_level,
    amr,
    auth_time_ms: context.clock(),
    sign_on: undefined,
  })
  onSession(secret)
  const expires_at = isoInstant(session.expires_at_ms)
  return { tenant_id, human_ref, assurance_level, amr: [...amr], csrf_token, expires_at }
}

/**
 * Returns the RFC 8176 methods. A synced passkey is a software key (`swk`); the device has verified its user, so the
 * sign-in is `mfa`.
 */
function passkeyAmr({ backed_up }: PasskeyDocument): readonly string[] {
  return [backed_up ? 'swk' : 'hwk', 'user', 'mfa']
}
