/** What a device shows to see or open a session that was prepared: one of three secrets. */
import { invalidField } from '@deputize/protocol'
import type { OpeningSecret } from '../../domain/hosted-session.ts'
import type { OperationContext } from '../operation-context.ts'
import { type HostedStatus, hostedWithCode, hostedWithNonce, hostedWithToken } from './hosted-sessions.ts'

export interface GivenSecret {
  readonly kind: OpeningSecret
  readonly text: string
}

/** Exactly one of them is given. */
export function openingSecret({
  client_token,
  transfer_code,
  nonce,
}: Partial<Record<OpeningSecret, string>>): GivenSecret {
  const given = Object.entries({ client_token, transfer_code, nonce }).flatMap(
    ([kind, text]) => (text === undefined ? [] : [{ kind: kind as OpeningSecret, text }]), // the keys of the literal are those of the type
  )
  const [first, second] = given
  if (first === undefined) throw invalidField('/client_token', 'or transfer_code or nonce is required')
  if (second !== undefined)
    throw invalidField(`/${second.kind}`, `must be absent when ${first.kind} is given`)
  return first
}

/** The session that the secret belongs to. Nothing is used up. */
export async function hostedWithSecret(
  session_id: string,
  { kind, text }: GivenSecret,
  context: OperationContext,
): Promise<HostedStatus> {
  if (kind === 'client_token') return hostedWithToken(session_id, text, context)
  if (kind === 'transfer_code') return hostedWithCode(session_id, text, context)
  return hostedWithNonce(session_id, text, context)
}
