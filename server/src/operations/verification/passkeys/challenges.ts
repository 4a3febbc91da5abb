import { hash } from 'node:crypto'
import {
  challengeIn,
  passkeyRefused,
  type RelyingParty,
  relyingParty,
} from '../../../verification/passkeys.ts'
import type { OperationContext } from '../../operation-context.ts'

/** How long a person has to answer. */
export const CHALLENGE_MS = 3 * 60_000
export const CHALLENGE_BYTES = 32

type PasskeyResponse = Parameters<typeof challengeIn>[0]

/** What a challenge is for. It is valid only for that purpose and in the session that requested it. */
interface ChallengePurpose {
  readonly kind: 'register' | 'register_key' | 'login' | 'step_up'
  readonly session_key?: string
  /** The digest of the call that a step-up confirms. */
  readonly deed_digest?: string
}

/** The session that requests a challenge, of a person or an API key. */
export interface ChallengeSession {
  readonly session_key: string
  readonly human_ref?: string
}

export interface TakenChallenge {
  readonly challenge: string
  readonly purpose: ChallengePurpose
  readonly party: RelyingParty
}

/** Stores a challenge until it is answered or expires, and returns when it expires. */
export async function storeChallenge(
  challenge: Uint8Array,
  purpose: ChallengePurpose,
  session: ChallengeSession | undefined,
  { ephemeral, clock }: OperationContext,
): Promise<number> {
  const expires_at_ms = clock() + CHALLENGE_MS
  await ephemeral.add('challenge', {
    key: challengeKey(Buffer.from(challenge).toString('base64url')),
    value: JSON.stringify(purpose),
    owner: session?.human_ref,
    expires_at_ms,
  })
  return expires_at_ms
}

/** Takes the challenge that a response answers. It is removed first, so it accepts only one response, valid or not. */
export async function takeChallenge(
  response: PasskeyResponse,
  kind: ChallengePurpose['kind'],
  session: ChallengeSession | undefined,
  { ephemeral, public_url }: OperationContext,
): Promise<TakenChallenge> {
  const challenge = challengeIn(response)
  const entry = await ephemeral.take('challenge', challengeKey(challenge))
  if (entry === undefined) throw passkeyRefused('challenge')
  const purpose = JSON.parse(entry.value) as ChallengePurpose // only `storeChallenge` writes entries of this kind
  if (purpose.kind !== kind || purpose.session_key !== session?.session_key) throw passkeyRefused('challenge')
  return { challenge, purpose, party: relyingParty(public_url()) }
}

function challengeKey(challenge: string): string {
  return hash('sha256', challenge, 'base64url')
}
