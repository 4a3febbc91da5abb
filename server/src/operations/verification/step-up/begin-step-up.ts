import { createHash, randomBytes } from 'node:crypto'
import { ACCESS, canonicalJson, invalidField, OPERATIONS, type OperationId } from '@deputize/protocol'
import { usablePasskeys } from '../../../access/passkey-document.ts'
import {
  type ConfirmedCall,
  confirmedCallDigest,
  confirmedCallParts,
  stepUpRequired,
} from '../../../access/step-up.ts'
import { isoInstant } from '../../../domain/times/time.ts'
import { relyingParty, requestOptions } from '../../../verification/passkeys.ts'
import { signedInPerson } from '../../identity/signed-in-person.ts'
import type { Handler } from '../../operation-context.ts'
import { CHALLENGE_BYTES, CHALLENGE_MS, storeChallenge } from '../passkeys/challenges.ts'
import { passkeyHint } from '../passkeys/passkey-entries.ts'
import { confirmationText } from './confirmation-text.ts'

/**
 * Checks permission before it looks anything up, so the text reveals nothing that the person may not see. The challenge
 * is a hash of the confirmed call, so the device signs that call.
 */
export const beginStepUp: Handler<'beginStepUp'> = async ({ caller, body }, context) => {
  const person = signedInPerson(caller)
  const party = relyingParty(context.public_url())
  const operation = confirmableOperation(body.operation)
  const call: ConfirmedCall = { ...body, operation }
  const { params = {}, query = {} } = body
  await context.accessControl.keyed?.authorize(
    caller,
    operation,
    { params, query, body: body.body },
    undefined,
  )
  const passkeys = await usablePasskeys(context.reader.registry, person)
  if (passkeys.length === 0) throw stepUpRequired(operation, 'no_passkey')
  const words = await confirmationText(operation, { params, body: body.body ?? {} }, person, context)
  const { session_key } = person
  const expires_at = isoInstant(context.clock() + CHALLENGE_MS)
  const bound_text = canonicalJson({
    ...confirmedCallParts(call),
    session: session_key,
    expires_at,
    random: randomBytes(CHALLENGE_BYTES).toString('base64url'),
  })
  const challenge = createHash('sha256').update(bound_text).digest()
  const purpose = { kind: 'step_up', session_key, deed_digest: confirmedCallDigest(call) } as const
  await storeChallenge(challenge, purpose, person, context)
  const hints = passkeys.map(passkeyHint)
  const options = await requestOptions(party, { challenge, timeout_ms: CHALLENGE_MS }, hints)
  return { options, bound_text, words, expires_at }
}

function confirmableOperation(name: string): OperationId {
  const operation = name as OperationId // read only if it is an operation ID, which the next line checks
  if (!Object.hasOwn(OPERATIONS, name) || ACCESS[operation].step_up === undefined)
    throw invalidField('/operation', 'must be an operation that can be confirmed with a passkey')
  return operation
}
