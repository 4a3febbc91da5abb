import { AuthorityError, type Claims, newId, plainAgent, tenantOf } from '@deputize/protocol'
import type { IssueOutcome } from '../../clerk/judges/issue.ts'
import { assertLive } from '../../domain/decision.ts'
import { type DelegationPlan, planDelegation } from '../../domain/tokens/delegation.ts'
import { type Token, tenantClaim } from '../../domain/tokens/token.ts'
import { trustScore } from '../../domain/tokens/trust.ts'
import { loadStanding, loadToken } from '../loading/load-chain.ts'
import { assertApprovers } from '../minting/approver-rules.ts'
import { keyConfirmation, type MintedToken, mintToken, withinTimes } from '../minting/minting.ts'
import {
  assertedPolicies,
  type Refuse,
  throwRefusal,
  withPolicyAssertions,
} from '../minting/policy-assertions.ts'
import { assertAudience, requestedConstraints } from '../minting/requested-constraints.ts'
import { wideningError } from '../minting/widening-error.ts'
import type { OperationCall, OperationContext, UntypedCall } from '../operation-context.ts'
import { submitPrepared } from '../submit-command.ts'

export type DelegationBody = OperationCall<'delegate'>['body']

/**
 * Issues a child token. It is planned from facts about its parent that never change. The clerk decides whether the
 * chain is live. The chain is read here only if the child is refused for another reason, because a chain that isn't
 * live takes precedence.
 */
export async function issueChild(
  body: DelegationBody,
  call: UntypedCall,
  context: OperationContext,
  confirmation?: Pick<Claims, 'cnf'>,
) {
  const parent = await loadToken(body.vat_jti, context)
  const prepare = async () => {
    const minted = await mintChild(parent, body, call, context, confirmation).catch(async (refusal) => {
      assertLive(await loadStanding(parent.jti, context), context.clock())
      throw refusal
    })
    return { kind: 'delegate', above_jti: parent.jti, purpose: body.purpose, ...minted } as const
  }
  const outcome = await submitPrepared<IssueOutcome>(prepare, call, context)
  return {
    ...outcome,
    parent_jti: parent.jti,
    root_jti: parent.root_jti,
    delegation_depth: outcome.claims.svc_delegation_depth,
  }
}

async function mintChild(
  parent: Token,
  body: DelegationBody,
  { caller }: UntypedCall,
  context: OperationContext,
  confirmation: Pick<Claims, 'cnf'> | undefined,
): Promise<MintedToken> {
  const plan = planChild(parent, body, context)
  const claims = childClaims(parent, plan, { ...body, confirmation }, throwRefusal, context)
  return mintToken(claims, caller, context)
}

export function planChild(
  parent: Token,
  body: DelegationBody,
  { clock }: Pick<OperationContext, 'clock'>,
): DelegationPlan {
  const { resources, actions, constraints, expires_in, audience } = body
  const request = {
    resources,
    actions,
    constraints: constraints && requestedConstraints(constraints),
    expires_in_s: expires_in,
    audience,
  }
  return planDelegation(parent, request, clock())
}

/** Builds the claims of a child. The real call and the preview both use it, so they refuse the same. */
export function childClaims(
  parent: Token,
  plan: DelegationPlan,
  body: DelegationBody & { readonly confirmation?: Pick<Claims, 'cnf'> | undefined },
  refuse: Refuse,
  context: OperationContext,
): Claims {
  assertApprovers(body.constraints, parent.human_ref, context)
  if (plan.obstacle !== undefined) refuse(new AuthorityError('delegation_not_allowed', plan.obstacle))
  if (plan.widening.length > 0) refuse(wideningError(plan.widening))
  assertAudience(body, parent.claims.aud)
  const confirmation = body.confirmation ?? childKey(parent, body)
  const claims = claimsBelow(parent, plan, { agent_id: body.agent_id, confirmation }, context)
  const bounded = withinTimes(claims, body.constraints ?? {})
  return withPolicyAssertions(bounded, childPolicies(parent, body), context, refuse)
}

/** Returns the policies that a child asserts: those of its parent, which it can't drop, and any requested ones. */
function childPolicies({ claims }: Token, { policy_assertions = [] }: DelegationBody): string[] {
  return [...new Set([...assertedPolicies(claims), ...policy_assertions])]
}

/**
 * Returns the child's key. Binding can't be undone: a child of a bound token is bound to its own key or, for the same
 * agent, to the same key.
 */
function childKey({ claims, agent_id }: Token, body: DelegationBody): Pick<Claims, 'cnf'> {
  if (body.agent_jwk !== undefined || claims.cnf === undefined) return keyConfirmation(body.agent_jwk)
  if (body.agent_id === plainAgent(agent_id)) return { cnf: claims.cnf }
  throw new AuthorityError(
    'key_required',
    'The parent token is bound to a key, so its children are too. Send the public key of the child agent as agent_jwk.',
  )
}

function claimsBelow(
  parent: Token,
  plan: DelegationPlan,
  { agent_id, confirmation }: { readonly agent_id: string; readonly confirmation: Pick<Claims, 'cnf'> },
  context: OperationContext,
): Claims {
  const now_ms = context.clock()
  const iat = Math.floor(now_ms / 1000)
  const { claims: above } = parent
  return {
    iss: context.issuer,
    sub: `agent:${agent_id}`,
    ...(plan.audience !== undefined && { aud: plan.audience }),
    iat,
    nbf: Math.max(iat, above.nbf),
    exp: plan.exp_s,
    jti: newId('sub_token', now_ms),
    svc_env: context.access,
    ...tenantClaim(tenantOf(parent.agent_id)),
    svc_trust_score: trustScore(parent.assurance_level, plan.delegation_depth),
    svc_scope: plan.scope,
    svc_assurance_level: parent.assurance_level,
    svc_human_ref: parent.human_ref,
    ...(above.svc_email_verified !== undefined && { svc_email_verified: above.svc_email_verified }),
    ...(above.svc_verification !== undefined && { svc_verification: above.svc_verification }),
    svc_provenance_ref: parent.provenance_ref,
    svc_delegation_depth: plan.delegation_depth,
    svc_root_jti: parent.root_jti,
    svc_parent_jti: parent.jti,
    svc_parent_hash: parent.jwt_hash,
    act: { sub: above.sub, ...(above.act !== undefined && { act: above.act }) },
    ...(Object.keys(plan.constraints).length > 0 && { svc_constraints: plan.constraints }),
    ...confirmation,
  }
}
