import { randomBytes } from 'node:crypto'
import { isUsable } from '../../../access/passkey-document.ts'
import { isoInstant } from '../../../domain/times/time.ts'
import { creationOptions, relyingParty } from '../../../verification/passkeys.ts'
import { signedInPerson } from '../../identity/signed-in-person.ts'
import type { Handler } from '../../operation-context.ts'
import { assertRecentSignIn } from '../sign-in/recent-sign-in.ts'
import { CHALLENGE_BYTES, CHALLENGE_MS, storeChallenge } from './challenges.ts'
import { passkeyHint, passkeysBelowLimit } from './passkey-entries.ts'
import { accountName, userHandle } from './user-handle.ts'

/** Requires a fresh sign-in: a passkey outlives its session, so a session stolen hours later must not add one. */
export const beginPasskey: Handler<'beginPasskey'> = async ({ caller, stepped_up }, context) => {
  const person = signedInPerson(caller)
  if (!stepped_up) assertRecentSignIn(person, context)
  const party = relyingParty(context.public_url())
  const known = await passkeysBelowLimit(person, context)
  const challenge = randomBytes(CHALLENGE_BYTES)
  const { session_key, human_ref } = person
  const expires_at_ms = await storeChallenge(challenge, { kind: 'register', session_key }, person, context)
  const options = await creationOptions(
    party,
    { challenge, timeout_ms: CHALLENGE_MS },
    { handle: userHandle(human_ref), name: accountName(person) },
    // A device with a passkey that doesn't count here must be able to register another.
    known.filter((passkey) => isUsable(passkey, context.access)).map(passkeyHint),
  )
  return { options, expires_at: isoInstant(expires_at_ms) }
}
