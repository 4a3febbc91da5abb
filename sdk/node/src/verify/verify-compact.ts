import {
  type DecodedToken,
  decodeCompact,
  type TokenClaims,
  type VerifierContext,
  verifyDecoded,
} from '../../../../protocol/src/token/jws.ts'
import { answering } from '../portable/answer.ts'
import { checkSignature } from '../portable/crypto.ts'

/** Verifies a token with the verifier of the protocol. Throws its `TokenError`. */
export async function verifyCompact(token: string, context: VerifierContext): Promise<TokenClaims> {
  return verifyParts(decodeCompact(token), context)
}

/** Like `verifyCompact`, but for a token that is already decoded. */
export async function verifyParts(parts: DecodedToken, context: VerifierContext): Promise<TokenClaims> {
  const { header, signingInput: message, signature } = parts
  const key = header.kid === undefined ? undefined : context.key(header.kid)
  const x = key?.jwk.x ?? ''
  const fits = key !== undefined && (await checkSignature(key.jwk, message, signature))
  return answering({ x, message, signature, fits }, () => verifyDecoded(parts, context))
}
