import { hash } from 'node:crypto'
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
import { limitsOf } from '../domain/token.ts'
import type { OperationContext } from './operation-context.ts'

/** A signed token, ready for the clerk. Signing comes first, so that no batch ever waits for a signature. */
export interface Minted {
  readonly claims: Claims
  readonly compact_jwt: string
  readonly jwt_hash: string
  readonly status_index: number
}

export async function mint(unsigned: Claims, { keys, statusIndexes }: OperationContext): Promise<Minted> {
  const status_index = await statusIndexes.next()
  const claims = { ...unsigned, status: { status_list: { idx: status_index, uri: STATUS_LIST } } }
  const { kid, sign } = keys.active()
  try {
    const compact_jwt = await signCompact({ alg: 'EdDSA', typ: 'vat+jwt', kid }, claims, sign)
    return { claims, compact_jwt, jwt_hash: jwtHash(compact_jwt), status_index }
  } catch (error) {
    // A token that verifiers would not take, because it is too large or too deep, is never issued.
    if (!(error instanceof TokenError)) throw error
    throw new AuthorityError(
      'invalid_request',
      `${error.message} Name fewer resources and actions, use <namespace>:*, or shorten the x_ constraints.`,
    )
  }
}

const STATUS_LIST = '/v1/vat/status-list'

/** How a token is recognised as the very one that was issued. */
export function jwtHash(compact_jwt: string): string {
  return `sha256:${hash('sha256', compact_jwt)}`
}

/** Folds the times of the constraints into nbf and exp, so that plain JWT verifiers keep them too. */
export function withinTimes(claims: Claims, constraints: Constraints): Claims {
  const { not_before_ms, expires_at_ms } = limitsOf(claims)
  const nbf = Math.ceil(not_before_ms / 1000)
  const exp = Math.floor(expires_at_ms / 1000)
  if (exp <= claims.iat) throw invalidField('/constraints/expires_at', 'must lie in the future')
  if (nbf >= exp) {
    const pointer =
      constraints.not_before === undefined ? '/constraints/expires_at' : '/constraints/not_before'
    throw invalidField(pointer, 'leaves no time in which the token would be valid')
  }
  return { ...claims, nbf, exp }
}

/** The confirmation claim that binds a token to the agent's key, if one is given. */
export function confirmation(agent_jwk: unknown): Pick<Claims, 'cnf'> {
  if (agent_jwk === undefined) return {}
  try {
    return { cnf: { jkt: thumbprint(readHolderJwk(agent_jwk)) } }
  } catch (error) {
    if (error instanceof KeyError) throw invalidField('/agent_jwk', `is not acceptable: ${error.message}`)
    throw error
  }
}
