/** What a device presents to see, open or watch a prepared session: one of three secrets. */
import { invalidField } from '@deputize/protocol'
import type { OpeningSecret } from '../../../domain/verification/hosted-session.ts'
import type { OperationContext } from '../../operation-context.ts'
import { type HostedStatus, hostedWithCode, hostedWithNonce, hostedWithToken } from './hosted-sessions.ts'

export interface GivenSecret {
  readonly kind: OpeningSecret
  readonly text: string
}

/** Returns the one secret that is given. `secrets` has a member for each kind that the call accepts, given or not. */
export function openingSecret(
  secrets: Readonly<Partial<Record<OpeningSecret, string | undefined>>>,
): GivenSecret {
  const kinds = Object.keys(secrets) as OpeningSecret[] // the keys of a record with these keys
  const given = kinds.flatMap((kind) => {
    const text = secrets[kind]
    return text === undefined ? [] : [{ kind, text }]
  })
  const [first, second] = given
  if (first === undefined) {
    const [usual, ...others] = kinds
    throw invalidField(`/${usual}`, `or ${others.join(' or ')} is required`)
  }
  if (second !== undefined)
    throw invalidField(`/${second.kind}`, `must be absent when ${first.kind} is given`)
  return first
}

/** Returns the session that the secret belongs to. Uses nothing up. */
export async function hostedWithSecret(
  session_id: string,
  { kind, text }: GivenSecret,
  context: OperationContext,
): Promise<HostedStatus> {
  if (kind === 'client_token') return hostedWithToken(session_id, text, context)
  if (kind === 'transfer_code') return hostedWithCode(session_id, text, context)
  return hostedWithNonce(session_id, text, context)
}
