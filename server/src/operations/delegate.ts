import { AuthorityError, type Claims, newId, type Reason, scopedAgent, tenantOf } from '@deputize/protocol'
import type { IssueOutcome } from '../clerk/judges/issue.ts'
import { assertLive, livenessReasons } from '../domain/decision.ts'
import { type DelegationPlan, planDelegation } from '../domain/delegation.ts'
import { unmetRules } from '../domain/policy.ts'
import { isoInstant } from '../domain/time.ts'
import { type Chain, type Token, tenantClaim } from '../domain/token.ts'
import { trustScore } from '../domain/trust.ts'
import { asserted, assertedNames } from './assertions.ts'
import { confirmation, mint, withinTimes } from './minting.ts'
import {
  type Call,
  type CallEnvelope,
  carryOut,
  type Handler,
  type OperationContext,
} from './operation-context.ts'

export type DelegationBody = Call<'delegate'>['body']

export const delegate: Handler<'delegate'> = async (call, context) => delegateAs(call.body, call, context)

/** Passes authority on. Everything that can be known beforehand is checked here; the clerk checks that the chain lives. */
export async function delegateAs(
  body: DelegationBody,
  call: CallEnvelope & { params: unknown; body: unknown },
  context: OperationContext,
) {
  const chain = await chainOf(body.vat_jti, context)
  assertLive(chain, context.clock())
  const [{ token: parent }] = chain
  const plan = planDelegation(parent, requestOf(body), context.clock())
  if (plan.obstacle !== undefined) throw new AuthorityError('delegation_not_allowed', plan.obstacle)
  if (plan.widening.length > 0) throw wideningError(plan.widening)
  const minted = await mint(childClaims(parent, plan, body, context), context)
  const outcome = await carryOut<IssueOutcome>(
    { kind: 'delegate', above_jti: parent.jti, purpose: body.purpose, ...minted },
    call,
    context,
  )
  return {
    ...outcome,
    parent_jti: parent.jti,
    root_jti: parent.root_jti,
    delegation_depth: outcome.claims.svc_delegation_depth,
  }
}

export const previewDelegation: Handler<'previewDelegation'> = async ({ body }, context) => {
  const chain = await chainOf(body.vat_jti, context)
  const [{ token: parent }] = chain
  const plan = planDelegation(parent, requestOf(body), context.clock())
  const suspension = await suspensionOf(scopedAgent(tenantOf(parent.agent_id), body.agent_id), context)
  const reasons = [...new Set([...livenessReasons(chain, context.clock()), ...suspension])]
  const unmet = unmetBy(parent, plan, body, context)
  return {
    allowed:
      plan.obstacle === undefined && [plan.widening, reasons, unmet].every((list) => list.length === 0),
    widening: [...plan.widening],
    reasons,
    unmet: unmet.map(({ framework, rule }) => `${framework}: ${rule}`),
    ...(plan.obstacle !== undefined && { obstacle: plan.obstacle }),
    child: {
      agent_id: `agent:${body.agent_id}`,
      resources: plan.scope.resources,
      actions: plan.scope.actions,
      constraints: plan.constraints,
      delegation_depth: plan.delegation_depth,
      trust_score: trustScore(parent.assurance_level, plan.delegation_depth),
      expires_at: isoInstant(plan.exp_s * 1000),
    },
  }
}

/** A suspended agent is given nothing, as the clerk will say too. */
async function suspensionOf(agent_id: string, { reader }: OperationContext): Promise<Reason[]> {
  const agent = await reader.agent(agent_id)
  return agent?.suspended_at_ms === undefined ? [] : ['agent_suspended']
}

export async function chainOf(jti: string, { reader }: OperationContext): Promise<Chain> {
  const chain = await reader.chain(jti)
  if (chain === undefined) throw new AuthorityError('token_unknown')
  return chain
}

export function wideningError(widening: readonly string[]): AuthorityError {
  return new AuthorityError('scope_widening', `The parent does not hold: ${widening.join(', ')}.`, {
    widening,
  })
}

function requestOf({ resources, actions, constraints, expires_in, audience }: DelegationBody) {
  return { resources, actions, constraints, expires_in_s: expires_in, audience }
}

function childClaims(
  parent: Token,
  plan: DelegationPlan,
  body: DelegationBody,
  context: OperationContext,
): Claims {
  const now_ms = context.clock()
  const iat = Math.floor(now_ms / 1000)
  const { claims: above } = parent
  const claims: Claims = {
    iss: context.issuer,
    sub: `agent:${body.agent_id}`,
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
    svc_provenance_ref: parent.provenance_ref,
    svc_delegation_depth: plan.delegation_depth,
    svc_root_jti: parent.root_jti,
    svc_parent_jti: parent.jti,
    svc_parent_hash: parent.jwt_hash,
    act: { sub: above.sub, ...(above.act !== undefined && { act: above.act }) },
    ...(Object.keys(plan.constraints).length > 0 && { svc_constraints: plan.constraints }),
    ...confirmation(body.agent_jwk),
  }
  return asserted(withinTimes(claims, body.constraints ?? {}), promisesOf(parent, body), context)
}

/** What a chain has promised it keeps promising: assertions only accumulate. */
function promisesOf({ claims }: Token, { policy_assertions = [] }: DelegationBody): string[] {
  return [...new Set([...assertedNames(claims), ...policy_assertions])]
}

/** The rules of promised policies that the planned child would not meet. */
function unmetBy(
  parent: Token,
  plan: DelegationPlan,
  body: DelegationBody,
  { policies, clock }: OperationContext,
) {
  const promised = promisesOf(parent, body)
  return unmetRules(
    policies.filter(({ name }) => promised.includes(name)),
    {
      scope: plan.scope,
      assurance_level: parent.assurance_level,
      human_ref: parent.human_ref,
      lifetime_s: plan.exp_s - Math.floor(clock() / 1000),
      is_key_bound: body.agent_jwk !== undefined,
    },
  )
}
