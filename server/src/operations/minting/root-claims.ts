import { type Claims, type Constraints, invalidField, LEVELS, type Level, newId } from '@deputize/protocol'
import { tenantClaim } from '../../domain/tokens/token.ts'
import { verificationEnd, verifiedAtSeconds } from '../../domain/verification/verification-age.ts'
import type { OperationContext } from '../operation-context.ts'
import { assertApprovers } from './approver-rules.ts'
import { keyConfirmation, withinTimes } from './minting.ts'
import { withPolicyAssertions } from './policy-assertions.ts'
import { requestedConstraints } from './requested-constraints.ts'

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
  if (audience !== undefined && constraints.allowed_audiences?.includes(audience) === false) {
    throw invalidField('/audience', 'must be one of constraints.allowed_audiences')
  }
  assertApprovers(constraints, person.human_ref, context)
  const { base_trust, default_lifetime_s } = LEVELS[person.assurance_level]
  const now_ms = clock()
  const iat = Math.floor(now_ms / 1000)
  const jti = newId('root_token', now_ms)
  const claims: Claims = {
    iss: issuer,
    sub: `agent:${body.agent_id}`,
    ...(audience !== undefined && { aud: audience }),
    iat,
    nbf: iat,
    exp:
      body.expires_in === undefined
        ? (verifiedAtSeconds(person.proof) ?? iat) + default_lifetime_s
        : iat + body.expires_in,
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
  assertWithinVerification(claims)
  return withPolicyAssertions(withinTimes(claims, constraints), body.policy_assertions ?? [], context)
}

/** Refuses a token that outlasts what its level allows after the verification, whenever the token is issued. */
function assertWithinVerification(claims: Claims): void {
  if (claims.exp > verificationEnd(claims))
    throw invalidField(
      '/expires_in',
      `must end within ${LEVELS[claims.svc_assurance_level].max_lifetime_s} seconds of the verification`,
    )
}
