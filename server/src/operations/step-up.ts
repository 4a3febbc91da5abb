import { createHash, randomBytes } from 'node:crypto'
import { ACCESS, canonicalJson, invalidField, OPERATIONS, type OperationId } from '@deputize/protocol'
import { usablePasskeys } from '../access/passkey-document.ts'
import {
  type ConfirmedCall,
  confirmedCallDigest,
  confirmedCallParts,
  stepUpRequired,
} from '../access/step-up.ts'
import { isoInstant } from '../domain/time.ts'
import { passkeyRefused, relyingParty, requestOptions } from '../verification/passkeys.ts'
import { CHALLENGE_MS, keepChallenge, takeChallenge } from './challenges.ts'
import { deedWords } from './deed-words.ts'
import type { Handler } from './operation-context.ts'
import { hintOf, usedPasskey } from './passkeys.ts'
import { personIn } from './people.ts'

/**
 * The person is shown only what they may do: whether they may is asked before anything is looked up. What they confirm
 * is bound in the challenge, so that the device signs it.
 */
export const beginStepUp: Handler<'beginStepUp'> = async ({ caller, body }, context) => {
  const person = personIn(caller)
  const party = relyingParty(context.public_url())
  const operation = confirmable(body.operation)
  const confirmed: ConfirmedCall = { ...body, operation }
  const { params = {}, query = {} } = body
  await context.accessControl.gate?.permit(caller, operation, { params, query, body: body.body }, undefined)
  const known = await usablePasskeys(context.reader.registry, person)
  if (known.length === 0) throw stepUpRequired(operation, 'no_passkey')
  const words = await deedWords(operation, { params, body: body.body ?? {} }, person, context)
  const expires_at = isoInstant(context.clock() + CHALLENGE_MS)
  const bound_text = canonicalJson({
    ...confirmedCallParts(confirmed),
    session: person.session_key,
    expires_at,
    random: randomBytes(32).toString('base64url'),
  })
  const challenge = createHash('sha256').update(bound_text).digest()
  const { session_key } = person
  const deed_digest = confirmedCallDigest(confirmed)
  await keepChallenge(challenge, { kind: 'step_up', session_key, deed_digest }, person, context)
  const options = await requestOptions(party, { challenge, timeout_ms: CHALLENGE_MS }, known.map(hintOf))
  return { options, bound_text, words, expires_at }
}

function confirmable(name: string): OperationId {
  const isKnown = Object.hasOwn(OPERATIONS, name)
  const operation = name as OperationId // asked about only when it is one
  if (!isKnown || ACCESS[operation].step_up === undefined)
    throw invalidField('/operation', 'is no operation that is confirmed with a passkey')
  return operation
}

export const finishStepUp: Handler<'finishStepUp'> = async ({ caller, body }, context) => {
  const person = personIn(caller)
  const taken = await takeChallenge(body.response, 'step_up', person, context)
  await usedPasskey(body.response, taken, person, context)
  const { deed_digest } = taken.purpose
  if (deed_digest === undefined) throw passkeyRefused('challenge')
  const { grant, expires_at_ms } = await context.accessControl.grants.create(person, deed_digest)
  return { grant, expires_at: isoInstant(expires_at_ms) }
}
