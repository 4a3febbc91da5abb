import { hash, randomBytes } from 'node:crypto'
import {
  AuthorityError,
  type Claims,
  type Constraints,
  invalidField,
  KeyError,
  readHolderJwk,
  signCompact,
  TokenError,
  thumbprint,
} from '@deputize/protocol'
import { actorsOf, type Caller } from '../../access/caller.ts'
import { HOLDS_NOTHING, type InnerLimits, innerLimitsText } from '../../domain/tokens/inner-limits.ts'
import { limitsOf } from '../../domain/tokens/token.ts'
import type { SigningKeyHandle } from '../../keys/key-ring.ts'
import type { OperationContext } from '../operation-context.ts'
import { assertObtainable } from './obtainable.ts'
import { statusListUrl } from './status-list-url.ts'

/** A signed token for the clerk to commit. It is signed before it is submitted, so a batch never waits for a signature. */
export interface MintedToken {
  readonly actors: readonly string[] | undefined
  readonly claims: Claims
  readonly compact_jwt: string
  readonly jwt_hash: string
  readonly status_index: number
  readonly inner_limits: string | undefined
}

/** Signs a token, if the caller may obtain it. Every call that issues a token uses this function. */
export async function mintToken(
  unsigned: Claims,
  caller: Caller,
  context: OperationContext,
): Promise<MintedToken> {
  await assertObtainable(unsigned, caller, context)
  const { keys, statusIndexes } = context
  const status_index = await statusIndexes.next()
  const claims = withStatus(unsigned, status_index, context)
  const compact_jwt = await compactText(claims, keys.active('tokens'))
  return {
    actors: actorsOf(caller),
    claims,
    compact_jwt,
    jwt_hash: jwtHash(compact_jwt),
    status_index,
    inner_limits: claims.svc_assurance_level === 'L3' ? newInnerLimits(HOLDS_NOTHING) : undefined,
  }
}

const LARGEST_INDEX = 2 ** 32
const SIGNATURE_BYTES = 64

/**
 * Refuses a token that the caller couldn't get now. For calls that issue it later, after a person was verified, or not
 * at all. `actors` are the names under which the caller may own agents.
 */
export async function assertMintable(
  unsigned: Claims,
  caller: Caller,
  context: OperationContext,
  actors: readonly string[] | undefined = actorsOf(caller),
): Promise<void> {
  await assertObtainable(unsigned, caller, context)
  const { kid } = context.keys.active('tokens')
  const sign = async () => new Uint8Array(SIGNATURE_BYTES)
  await compactText(withStatus(unsigned, LARGEST_INDEX, context), { kid, sign })
  await context.clerk.submit({ kind: 'preview_token', claims: unsigned, actors })
}

function withStatus(claims: Claims, idx: number, context: OperationContext): Claims {
  return { ...claims, status: { status_list: { idx, uri: statusListUrl(context) } } }
}

async function compactText(
  claims: Claims,
  { kid, sign }: Pick<SigningKeyHandle, 'kid' | 'sign'>,
): Promise<string> {
  try {
    return await signCompact({ alg: 'EdDSA', typ: 'vat+jwt', kid }, claims, sign)
  } catch (error) {
    // Verifiers reject a token that is too large or nested too deeply, so it is not issued.
    if (!(error instanceof TokenError)) throw error
    throw new AuthorityError(
      'invalid_request',
      `${error.message} Name fewer resources and actions, use <namespace>:*, or shorten the x_ constraints.`,
    )
  }
}

/** Returns the text of inner limits for a new token. */
export function newInnerLimits(limits: InnerLimits): string {
  return innerLimitsText(limits, randomBytes(16).toString('base64url'))
}

/** Returns a hash that identifies the exact token text that was issued. */
export function jwtHash(compact_jwt: string): string {
  return `sha256:${hash('sha256', compact_jwt)}`
}

/** Applies the times in the constraints to nbf and exp, so that plain JWT verifiers enforce them too. */
export function withinTimes(claims: Claims, constraints: Constraints): Claims {
  const { not_before_ms, expires_at_ms } = limitsOf(claims)
  const nbf = Math.ceil(not_before_ms / 1000)
  const exp = Math.floor(expires_at_ms / 1000)
  if (exp <= claims.iat) throw invalidField('/constraints/expires_at', 'must be in the future')
  if (nbf >= exp) {
    const pointer =
      constraints.not_before === undefined ? '/constraints/expires_at' : '/constraints/not_before'
    throw invalidField(
      pointer,
      'leaves no time between not_before and expires_at in which the token is valid',
    )
  }
  return nbf === claims.nbf && exp === claims.exp ? claims : { ...claims, nbf, exp }
}

/** Returns the confirmation claim that binds a token to the agent's key, if the request has one. */
export function keyConfirmation(agent_jwk: unknown): Pick<Claims, 'cnf'> {
  if (agent_jwk === undefined) return {}
  try {
    return { cnf: { jkt: thumbprint(readHolderJwk(agent_jwk)) } }
  } catch (error) {
    if (error instanceof KeyError)
      throw invalidField('/agent_jwk', `is not an accepted key: ${error.message}`)
    throw error
  }
}
