import type { PasskeyDocument } from '../../access/passkey-document.ts'
import { isoInstant } from '../../domain/time.ts'
import { passkeyRefused, verifyRegistration } from '../../verification/passkeys.ts'
import type { Handler, OperationContext } from '../operation-context.ts'
import { signedInPerson } from '../signed-in-person.ts'
import { passkeyView } from '../views/passkey-view.ts'
import { takeChallenge } from './challenges.ts'
import { passkeysBelowLimit, putPasskey } from './passkey-entries.ts'

/** Ignores the Idempotency-Key: a challenge accepts one response, and a repeat needs a new challenge. */
export const finishPasskey: Handler<'finishPasskey'> = async ({ caller, body }, context) => {
  const person = signedInPerson(caller)
  const { challenge, party } = await takeChallenge(body.response, 'register', person, context)
  const { id, aaguid, ...credential } = await verifyRegistration(party, body.response, challenge)
  await assertAccepted(aaguid, person.tenant_id, context)
  const document: PasskeyDocument = {
    ...credential,
    name: body.name ?? 'Passkey',
    created_at: isoInstant(context.clock()),
    assurance_level: person.assurance_level,
  }
  const known = await passkeysBelowLimit(person, context)
  const { tenant_id, human_ref } = person
  const passkey = { id, tenant_id, human_ref, document }
  await putPasskey(passkey, 'absent', context)
  // The log of the deployment has the leaf. Operators who watch the process log see it, too.
  context.onNotice(known.length === 0 ? 'first passkey registered' : 'passkey registered', {
    tenant_id,
    human_ref,
    aaguid,
  })
  return passkeyView(passkey)
}

async function assertAccepted(
  aaguid: string,
  tenant_id: string,
  { accessControl }: OperationContext,
): Promise<void> {
  const accepted = (await accessControl.tenants.find(tenant_id))?.passkey_aaguids ?? []
  if (accepted.length > 0 && !accepted.includes(aaguid)) throw passkeyRefused('authenticator')
}
