import { signStatement } from '@deputize/protocol'
import type { OperationContext } from '../operation-context.ts'

/** A statement about tokens, signed with the active key for verifiers to keep. */
export function signedStatement(
  typ: string,
  payload: Record<string, unknown>,
  { keys, issuer, clock }: OperationContext,
): Promise<string> {
  const { kid, sign } = keys.active()
  const iat = Math.floor(clock() / 1000)
  return signStatement({ alg: 'EdDSA', typ, kid }, { iss: issuer, iat, ...payload }, sign)
}
