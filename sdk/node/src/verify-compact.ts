import {
  decodeCompact,
  type TokenClaims,
  type VerifierContext,
  verifyToken,
} from '../../../protocol/src/jws.ts'
import { answering } from './portable/answer.ts'
import { checkSignature } from './portable/crypto.ts'

/** The claims of a token, judged by the protocol's own verifier, or its `TokenError`. */
export async function verifyCompact(token: string, context: VerifierContext): Promise<TokenClaims> {
  const { header, signingInput: message, signature } = decodeCompact(token)
  const key = header.kid === undefined ? undefined : context.key(header.kid)
  const x = key?.jwk.x ?? ''
  const fits = key !== undefined && (await checkSignature(key.jwk, message, signature))
  return answering({ x, message, signature, fits }, () => verifyToken(token, context))
}
