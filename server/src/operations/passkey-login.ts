import { randomBytes } from 'node:crypto'
import type { PasskeyDocument } from '../access/passkey-document.ts'
import { isoInstant } from '../domain/time.ts'
import { relyingParty, requestOptions } from '../verification/passkeys.ts'
import { CHALLENGE_MS, keepChallenge, takeChallenge } from './challenges.ts'
import type { Handler } from './operation-context.ts'
import { usedPasskey } from './passkeys.ts'
import { refsOf } from './proven-person.ts'

export const beginPasskeyLogin: Handler<'beginPasskeyLogin'> = async (_call, context) => {
  const party = relyingParty(context.public_url())
  const challenge = randomBytes(32)
  const expires_at_ms = await keepChallenge(challenge, { kind: 'login' }, undefined, context)
  const options = await requestOptions(party, { challenge, timeout_ms: CHALLENGE_MS }, undefined)
  return { options, expires_at: isoInstant(expires_at_ms) }
}

/** The session knows the person by every ref that stands for them now. */
export const finishPasskeyLogin: Handler<'finishPasskeyLogin'> = async ({ body, onSession }, context) => {
  const taken = await takeChallenge(body.response, 'login', undefined, context)
  const { tenant_id, human_ref, document } = await usedPasskey(body.response, taken, undefined, context)
  const { assurance_level } = document
  const amr = amrOf(document)
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

/** A key that is kept in several places is one of software; the device has made sure that its owner is there. */
function amrOf({ backed_up }: PasskeyDocument): readonly string[] {
  return [backed_up ? 'swk' : 'hwk', 'user', 'mfa']
}
