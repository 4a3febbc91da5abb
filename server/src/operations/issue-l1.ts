import { type Claims, invalidField, LEVELS, newId } from '@deputy/protocol'
import { humanRef } from '../access/human-ref.ts'
import type { IssueOutcome } from '../clerk/judges/issue.ts'
import { tenantClaim } from '../domain/token.ts'
import { asserted } from './assertions.ts'
import { confirmation, mint, withinTimes } from './minting.ts'
import { type Call, carryOut, type Handler, type OperationContext } from './operation-context.ts'

export const issueL1: Handler<'issueL1'> = async (call, context) => {
  const minted = await mint(claimsOf(call, context), context)
  return carryOut<IssueOutcome>({ kind: 'issue', purpose: call.body.purpose, ...minted }, call, context)
}

function claimsOf({ body, caller }: Call<'issueL1'>, context: OperationContext): Claims {
  const { keys, clock, issuer, access } = context
  const { audience, constraints = {} } = body
  if (audience !== undefined && constraints.allowed_audiences?.includes(audience) === false) {
    throw invalidField('/audience', 'must be one of constraints.allowed_audiences')
  }
  const now_ms = clock()
  const iat = Math.floor(now_ms / 1000)
  const jti = newId('root_token', now_ms)
  const claims: Claims = {
    iss: issuer,
    sub: `agent:${body.agent_id}`,
    ...(audience !== undefined && { aud: audience }),
    iat,
    nbf: iat,
    exp: iat + (body.expires_in ?? LEVELS.L1.default_lifetime_s),
    jti,
    svc_env: access,
    ...tenantClaim(caller.tenant_id),
    svc_trust_score: LEVELS.L1.base_trust,
    svc_scope: { resources: body.resources, actions: body.actions },
    svc_assurance_level: 'L1',
    svc_human_ref: humanRef(keys, caller.tenant_id, `email|${normalisedEmail(body.developer_email)}`),
    svc_email_verified: false,
    svc_provenance_ref: newId('workflow', now_ms),
    svc_delegation_depth: 0,
    svc_root_jti: jti,
    ...(body.constraints !== undefined && { svc_constraints: body.constraints }),
    ...confirmation(body.agent_jwk),
  }
  return asserted(withinTimes(claims, constraints), body.policy_assertions ?? [], context)
}

function normalisedEmail(email: string): string {
  return email.normalize('NFC').toLowerCase()
}
