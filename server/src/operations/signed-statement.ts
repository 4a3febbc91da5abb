import { type KeyPurpose, signStatement } from '@deputize/protocol'
import type { OperationContext } from './operation-context.ts'

/** Returns a statement of the service for verifiers to keep, signed with the key of its purpose. */
export function signedStatement(
  typ: string,
  purpose: KeyPurpose,
  payload: Readonly<Record<string, unknown>>,
  { keys, issuer, clock }: Pick<OperationContext, 'keys' | 'issuer' | 'clock'>,
): Promise<string> {
  const { kid, sign } = keys.active(purpose)
  const iat = Math.floor(clock() / 1000)
  return signStatement({ alg: 'EdDSA', typ, kid }, { iss: issuer, iat, ...payload }, sign)
}
