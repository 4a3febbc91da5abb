import { verifyRegistration } from '../../../verification/passkeys.ts'
import { signedInPerson } from '../../identity/signed-in-person.ts'
import type { Handler } from '../../operation-context.ts'
import { passkeyView } from '../../views/passkey-view.ts'
import { takeChallenge } from './challenges.ts'
import { registerPasskey } from './register-passkey.ts'

/** Ignores the Idempotency-Key: a challenge accepts one response, and a repeated call needs a new challenge. */
export const finishPasskey: Handler<'finishPasskey'> = async ({ caller, body }, context) => {
  const person = signedInPerson(caller)
  const { challenge, party } = await takeChallenge(body.response, 'register', person, context)
  const made = await verifyRegistration(party, body.response, challenge)
  return passkeyView(await registerPasskey(made, person, body.name, context))
}
