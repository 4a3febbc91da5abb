import { type Claims, type Constraints, LEVELS, type Level, newId } from '@deputize/protocol'
import { longestAfterVerification } from '../../domain/tokens/policy.ts'
import { tenantClaim } from '../../domain/tokens/token.ts'
import { verificationEnd, verifiedAtSeconds } from '../../domain/verification/verification-age.ts'
import type { OperationContext } from '../operation-context.ts'
import { assertApprovers } from './approver-rules.ts'
import { keyConfirmation, withinTimes } from './minting.ts'
import { policiesNamed, withPolicyAssertions } from './policy-assertions.ts'
import { assertAudience, requestedConstraints } from './requested-constraints.ts'

/** The members that every request for a root token has. */
interface RootTokenBody {
  readonly agent_id: string
  readonly resources: string[]
  readonly actions: string[]
  readonly constraints?: Constraints
  readonly expires_in?: number
  readonly audience?: string
  readonly agent_jwk?: Record<string, unknown>
  readonly policy_assertions?: readonly string[]
}

/** The person behind a root token, and how they proved it. */
interface RootPerson {
  readonly tenant_id: string
  readonly assurance_level: Level
  readonly human_ref: string
  readonly email_verified: boolean
  /** The claims that the assurance level adds. */
  readonly proof: Pick<Claims, 'svc_provider' | 'amr' | 'auth_time' | 'svc_verification'>
}

/** Builds the claims of a token that starts a workflow. */
export function rootClaims(body: RootTokenBody, person: RootPerson, context: OperationContext): Claims {
  const { clock, issuer, access } = context
  const { audience } = body
  const constraints = requestedConstraints(body.constraints ?? {})
  assertAudience(body)
  assertApprovers(constraints, person.human_ref, context)
  const { base_trust } = LEVELS[person.assurance_level]
  const now_ms = clock()
  const iat = Math.floor(now_ms / 1000)
  const jti = newId('root_token', now_ms)
  const claims: Claims = {
    iss: issuer,
    sub: `agent:${body.agent_id}`,
    ...(audience !== undefined && { aud: audience }),
    iat,
    nbf: iat,
    exp: endOf(body, person, iat, context),
    jti,
    svc_env: access,
    ...tenantClaim(person.tenant_id),
    svc_trust_score: base_trust,
    svc_scope: { resources: body.resources, actions: body.actions },
    svc_assurance_level: person.assurance_level,
    svc_human_ref: person.human_ref,
    svc_email_verified: person.email_verified,
    ...person.proof,
    svc_provenance_ref: newId('workflow', now_ms),
    svc_delegation_depth: 0,
    svc_root_jti: jti,
    ...(body.constraints !== undefined && { svc_constraints: constraints }),
    ...keyConfirmation(body.agent_jwk),
  }
  return withPolicyAssertions(withinTimes(claims, constraints), body.policy_assertions ?? [], context)
}

/**
 * Returns when the token ends, in seconds since 1970: never later than its level and its policies allow after the
 * verification, because the time until the token is issued isn't up to the person.
 */
function endOf(
  { expires_in, policy_assertions = [] }: RootTokenBody,
  { assurance_level, proof }: RootPerson,
  iat: number,
  context: OperationContext,
): number {
  const verified_at_s = verifiedAtSeconds(proof)
  const wanted =
    expires_in === undefined
      ? (verified_at_s ?? iat) + LEVELS[assurance_level].default_lifetime_s
      : iat + expires_in
  if (verified_at_s === undefined) return wanted
  const asserted = policiesNamed(policy_assertions, context)
  const ofPolicies = verified_at_s + longestAfterVerification(asserted)
  // A verification that is too old for a policy is refused by it.
  return Math.min(
    wanted,
    verificationEnd({ ...proof, svc_assurance_level: assurance_level }),
    ofPolicies > iat ? ofPolicies : Number.POSITIVE_INFINITY,
  )
}
