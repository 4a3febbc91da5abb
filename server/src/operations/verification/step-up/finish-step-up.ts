import { isoInstant } from '../../../domain/times/time.ts'
import { passkeyRefused } from '../../../verification/passkeys.ts'
import { signedInPerson } from '../../identity/signed-in-person.ts'
import type { Handler } from '../../operation-context.ts'
import { takeChallenge } from '../passkeys/challenges.ts'
import { usedPasskey } from '../passkeys/used-passkey.ts'

export const finishStepUp: Handler<'finishStepUp'> = async ({ caller, body }, context) => {
  const person = signedInPerson(caller)
  const taken = await takeChallenge(body.response, 'step_up', person, context)
  await usedPasskey(body.response, taken, person, context)
  const { deed_digest } = taken.purpose
  if (deed_digest === undefined) throw passkeyRefused('challenge')
  const { grant, expires_at_ms } = await context.accessControl.grants.create(person, deed_digest)
  return { grant, expires_at: isoInstant(expires_at_ms) }
}
