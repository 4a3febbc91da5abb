import { hash } from 'node:crypto'
import {
  AuthorityError,
  type Claims,
  type Constraints,
  invalidField,
  KeyError,
  LEVELS,
  newId,
  readEd25519Jwk,
  signCompact,
  TokenError,
  thumbprint,
} from '@deputy/protocol'
import type { IssueOutcome } from '../clerk/judges/issue.ts'
import { limitsOf } from '../domain/token.ts'
import type { SigningKey } from '../keys/key-ring.ts'
import { type Call, carryOut, type Handler, type OperationContext } from './operation-context.ts'

/** Signs first, so that the batch that makes the token count never waits for a signature. */
export const issueL1: Handler<'issueL1'> = async (call, context) => {
  const claims = claimsOf(call, context)
  const compact_jwt = await signed(claims, context.keys.active())
  const jwt_hash = `sha256:${hash('sha256', compact_jwt)}`
  return carryOut<IssueOutcome>(
    { kind: 'issue', claims, purpose: call.body.purpose, compact_jwt, jwt_hash },
    call,
    context,
  )
}

/** A token that verifiers would not take, because it is too large or too deep, is never issued. */
async function signed(claims: Claims, { kid, sign }: SigningKey): Promise<string> {
  try {
    return await signCompact({ alg: 'EdDSA', typ: 'vat+jwt', kid }, claims, sign)
  } catch (error) {
    if (!(error instanceof TokenError)) throw error
    throw new AuthorityError(
      'invalid_request',
      `${error.message} Name fewer resources and actions, use <namespace>:*, or shorten the x_ constraints.`,
    )
  }
}

function claimsOf({ body }: Call<'issueL1'>, { keys, clock, issuer, access }: OperationContext): Claims {
  const now_ms = clock()
  const iat = Math.floor(now_ms / 1000)
  const jti = newId('root_token', now_ms)
  const claims: Claims = {
    iss: issuer,
    sub: `agent:${body.agent_id}`,
    ...(body.audience !== undefined && { aud: body.audience }),
    iat,
    nbf: iat,
    exp: iat + (body.expires_in ?? LEVELS.L1.default_lifetime_s),
    jti,
    svc_env: access,
    svc_trust_score: LEVELS.L1.base_trust,
    svc_scope: { resources: body.resources, actions: body.actions },
    svc_assurance_level: 'L1',
    svc_human_ref: keys.digest('human', `email|${normalisedEmail(body.developer_email)}`),
    svc_email_verified: false,
    svc_provenance_ref: newId('workflow', now_ms),
    svc_delegation_depth: 0,
    svc_root_jti: jti,
    ...(body.constraints !== undefined && { svc_constraints: body.constraints }),
    ...(body.agent_jwk !== undefined && { cnf: { jkt: thumbprintOf(body.agent_jwk) } }),
  }
  return withinTimes(claims, body.constraints ?? {})
}

/** Folds the times of the constraints into nbf and exp, so that plain JWT verifiers keep them too. */
function withinTimes(claims: Claims, constraints: Constraints): Claims {
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

function normalisedEmail(email: string): string {
  return email.normalize('NFC').toLowerCase()
}

function thumbprintOf(jwk: unknown): string {
  try {
    return thumbprint(readEd25519Jwk(jwk))
  } catch (error) {
    if (error instanceof KeyError) throw invalidField('/agent_jwk', `is not acceptable: ${error.message}`)
    throw error
  }
}
