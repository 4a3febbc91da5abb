import type { PasskeyDocument } from '../../access/passkey-document.ts'
import { isoInstant } from '../../domain/time.ts'
import { verifyRegistration } from '../../verification/passkeys.ts'
import type { Handler } from '../operation-context.ts'
import { signedInPerson } from '../signed-in-person.ts'
import { passkeyView } from '../views/passkey-view.ts'
import { takeChallenge } from './challenges.ts'
import { passkeysBelowLimit, putPasskey } from './passkey-entries.ts'

/** Ignores the Idempotency-Key: a challenge accepts one response, and a repeat needs a new challenge. */
export const finishPasskey: Handler<'finishPasskey'> = async ({ caller, body }, context) => {
  const person = signedInPerson(caller)
  const { challenge, party } = await takeChallenge(body.response, 'register', person, context)
  const { id, ...credential } = await verifyRegistration(party, body.response, challenge)
  const document: PasskeyDocument = {
    ...credential,
    name: body.name ?? 'Passkey',
    created_at: isoInstant(context.clock()),
    assurance_level: person.assurance_level,
  }
  await passkeysBelowLimit(person, context)
  const { tenant_id, human_ref } = person
  const passkey = { id, tenant_id, human_ref, document }
  await putPasskey(passkey, 'absent', context)
  return passkeyView(passkey)
}
