import { randomBytes } from 'node:crypto'
import { isoInstant } from '../../../domain/times/time.ts'
import { relyingParty, requestOptions } from '../../../verification/passkeys.ts'
import type { Handler } from '../../operation-context.ts'
import { CHALLENGE_BYTES, CHALLENGE_MS, storeChallenge } from './challenges.ts'

export const beginPasskeyLogin: Handler<'beginPasskeyLogin'> = async (_call, context) => {
  const party = relyingParty(context.public_url())
  const challenge = randomBytes(CHALLENGE_BYTES)
  const expires_at_ms = await storeChallenge(challenge, { kind: 'login' }, undefined, context)
  const options = await requestOptions(party, { challenge, timeout_ms: CHALLENGE_MS }, undefined)
  return { options, expires_at: isoInstant(expires_at_ms) }
}
