import { hash } from 'node:crypto'
import type { HumanCaller } from '../access/caller.ts'
import { challengeIn, passkeyRefused, type RelyingParty, relyingParty } from '../verification/passkeys.ts'
import type { OperationContext } from './operation-context.ts'

/** How long a person may take to answer. */
export const CHALLENGE_MS = 3 * 60_000

type Answer = Parameters<typeof challengeIn>[0]

/** What a challenge was made for. It is answered for that, and in the session where it was asked. */
export interface Purpose {
  readonly kind: 'register' | 'login' | 'step_up'
  readonly session_key?: string
  /** The call that is confirmed. */
  readonly deed_digest?: string
}

/** Keeps a challenge until it is answered, and answers when it ends. */
export async function keepChallenge(
  challenge: Uint8Array,
  purpose: Purpose,
  person: HumanCaller | undefined,
  { ephemeral, clock }: OperationContext,
): Promise<number> {
  const expires_at_ms = clock() + CHALLENGE_MS
  await ephemeral.add('challenge', {
    key: keyOf(Buffer.from(challenge).toString('base64url')),
    value: JSON.stringify(purpose),
    owner: person?.human_ref,
    expires_at_ms,
  })
  return expires_at_ms
}

export interface TakenChallenge {
  readonly challenge: string
  readonly purpose: Purpose
  readonly party: RelyingParty
}

/** Takes the challenge that is answered: whatever becomes of the answer, there is no second one. */
export async function takeChallenge(
  answer: Answer,
  kind: Purpose['kind'],
  person: HumanCaller | undefined,
  { ephemeral, public_url }: OperationContext,
): Promise<TakenChallenge> {
  const challenge = challengeIn(answer)
  const entry = await ephemeral.take('challenge', keyOf(challenge))
  if (entry === undefined) throw passkeyRefused('challenge')
  const purpose = JSON.parse(entry.value) as Purpose // only `keepChallenge` writes such entries
  if (purpose.kind !== kind || purpose.session_key !== person?.session_key) throw passkeyRefused('challenge')
  return { challenge, purpose, party: relyingParty(public_url()) }
}

function keyOf(challenge: string): string {
  return hash('sha256', challenge, 'base64url')
}
