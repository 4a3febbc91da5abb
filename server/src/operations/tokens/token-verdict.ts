import {
  decodeCompact,
  TokenError,
  VERIFICATION_REASONS,
  type VerificationReason,
  verifySignedToken as verifyClaims,
} from '@deputize/protocol'
import { livenessReasons } from '../../domain/decision.ts'
import type { Chain } from '../../domain/tokens/token.ts'
import { jwtHash } from '../minting/minting.ts'
import type { OperationContext } from '../operation-context.ts'

/**
 * Whether a token is valid and, if not, the first reason. The chain is present if the token is known to be issued here.
 */
type TokenVerdict =
  | { readonly reason: undefined; readonly chain: Chain }
  | { readonly reason: VerificationReason; readonly chain: Chain | undefined }

/** Checks the signature and the times, then that this exact token was issued, then that its chain is live. */
export async function tokenVerdict(
  compact_jwt: string,
  audience: string | undefined,
  context: OperationContext,
): Promise<TokenVerdict> {
  const jti = await verifiedJti(compact_jwt, audience, context)
  if (jti instanceof TokenError) return { reason: jti.code, chain: undefined }
  const chain = await context.reader.chain(jti)
  // A stolen key can sign any token, but the log has no entry for it.
  if (chain === undefined || chain[0].token.jwt_hash !== jwtHash(compact_jwt))
    return { reason: 'not_issued', chain: undefined }
  const objections: readonly string[] = livenessReasons(chain, context.clock())
  const reason = VERIFICATION_REASONS.find((one) => objections.includes(one))
  return { reason, chain } as TokenVerdict // both members of the union allow a chain
}

/** Returns the ID of a token that this service issued with exactly this text, whether in force or not. */
export async function issuedJti(
  compact_jwt: string,
  { reader }: OperationContext,
): Promise<string | undefined> {
  const jti = claimedJti(compact_jwt)
  const chain = jti === undefined ? undefined : await reader.standing.chain(jti)
  return chain?.[0].token.jwt_hash === jwtHash(compact_jwt) ? jti : undefined
}

function claimedJti(compact_jwt: string): string | undefined {
  try {
    const { jti } = decodeCompact(compact_jwt).payload
    return typeof jti === 'string' ? jti : undefined
  } catch (error) {
    if (error instanceof TokenError) return undefined
    throw error
  }
}

/**
 * Verifies a token and returns its ID. Another node may have just created the signing key, so an unknown key is looked
 * up once in shared storage.
 */
async function verifiedJti(
  compact_jwt: string,
  audience: string | undefined,
  { keys, clock, issuer }: OperationContext,
): Promise<string | TokenError> {
  let unknown_kid: string | undefined
  const verify = () => {
    try {
      return verifyClaims(compact_jwt, {
        now_s: Math.floor(clock() / 1000),
        issuer,
        typ: 'vat+jwt',
        key(kid) {
          const key = keys.find(kid)
          if (key === undefined) unknown_kid = kid
          return key
        },
        ...(audience !== undefined && { audience }),
      }).jti
    } catch (error) {
      if (error instanceof TokenError) return error
      throw error
    }
  }
  const jti = verify()
  if (unknown_kid === undefined || (await keys.learn(unknown_kid)) === undefined) return jti
  return verify()
}
