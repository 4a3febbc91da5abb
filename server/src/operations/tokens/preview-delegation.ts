import {
  AuthorityError,
  type ErrorCode,
  plainAgent,
  type Reason,
  scopedAgent,
  tenantOf,
} from '@deputize/protocol'
import { actorsOf, type Caller } from '../../access/caller.ts'
import { livenessReasons } from '../../domain/decision.ts'
import { isoInstant } from '../../domain/times/time.ts'
import { type DelegationPlan, planDelegation } from '../../domain/tokens/delegation.ts'
import { unmetRules } from '../../domain/tokens/policy.ts'
import type { Token } from '../../domain/tokens/token.ts'
import { trustScore } from '../../domain/tokens/trust.ts'
import { verifiedAtSeconds } from '../../domain/verification/verification-age.ts'
import { loadChain } from '../loading/load-chain.ts'
import { assertObtainable } from '../minting/obtainable.ts'
import type { Handler, OperationCall, OperationContext } from '../operation-context.ts'
import { submitCommand, withoutReplay } from '../submit-command.ts'
import { childKey, childPolicies, type DelegationBody, delegationRequest } from './delegation.ts'

export const previewDelegation: Handler<'previewDelegation'> = async (call, context) => {
  const { body } = call
  const chain = await loadChain(body.vat_jti, context)
  const [{ token: parent }] = chain
  const plan = planDelegation(parent, delegationRequest(body), context.clock())
  const agent_id = scopedAgent(tenantOf(parent.agent_id), body.agent_id)
  const suspension = await suspensionReasons(agent_id, context)
  const reasons = [...new Set([...livenessReasons(chain, context.clock()), ...suspension])]
  const unmet = unmetPolicyRules(parent, plan, body, context)
  // The clerk checks suspensions first, so a suspended agent is reported once.
  const refusal = reasons.length > 0 ? undefined : await childRefusal(parent, plan, agent_id, call, context)
  return {
    allowed:
      plan.obstacle === undefined &&
      refusal === undefined &&
      [plan.widening, reasons, unmet].every((list) => list.length === 0),
    widening: [...plan.widening],
    reasons,
    unmet: unmet.map(({ framework, rule }) => `${framework}: ${rule}`),
    ...(plan.obstacle !== undefined && { obstacle: plan.obstacle }),
    ...(refusal !== undefined && { refusal: { code: refusal.code, detail: refusal.message } }),
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

/** Refusals of the child itself. An invalid request, or a service that can't answer, is an error of the preview too. */
const REPORTED: ReadonlySet<ErrorCode> = new Set([
  'agent_taken',
  'key_removed',
  'key_required',
  'not_yours',
  'scope_widening',
  'token_not_live',
])

/** Returns the error that the child's key or name would cause, in the order of the real call. */
async function childRefusal(
  parent: Token,
  plan: DelegationPlan,
  agent_id: string,
  call: OperationCall<'previewDelegation'>,
  context: OperationContext,
): Promise<AuthorityError | undefined> {
  try {
    const confirmation = childKey(parent, call.body)
    await assertObtainable({ ...parent.claims, svc_scope: plan.scope, ...confirmation }, call.caller, context)
    const actors = delegatingActors(parent, call.caller)
    if (actors !== undefined)
      await submitCommand(
        {
          kind: 'preview_token',
          claims: {
            ...parent.claims,
            sub: `agent:${plainAgent(agent_id)}`,
            svc_parent_jti: parent.jti,
            ...confirmation,
          },
          actors,
        },
        withoutReplay(call),
        context,
      )
    return undefined
  } catch (error) {
    if (error instanceof AuthorityError && REPORTED.has(error.code)) return error
    throw error
  }
}

/** Returns who delegates: a person or an agent itself. Other callers preview what the token's agent could do. */
function delegatingActors({ agent_id }: Token, caller: Caller): readonly string[] | undefined {
  const actors = actorsOf(caller)
  const isDelegating = caller.role === 'human' || caller.role === 'agent'
  return actors === undefined || isDelegating ? actors : [`agent:${plainAgent(agent_id)}`]
}

/** Returns the reason if the agent is suspended. The clerk refuses a token for it, so the preview reports that. */
async function suspensionReasons(agent_id: string, { reader }: OperationContext): Promise<Reason[]> {
  const agent = await reader.agent(agent_id)
  return agent?.suspended_at_ms === undefined ? [] : ['agent_suspended']
}

/** Returns the rules of asserted policies that the planned child would not meet. */
function unmetPolicyRules(
  parent: Token,
  plan: DelegationPlan,
  body: DelegationBody,
  { policies, clock }: OperationContext,
) {
  const names = childPolicies(parent, body)
  const verified_at_s = verifiedAtSeconds(parent.claims)
  return unmetRules(
    policies.filter(({ name }) => names.includes(name)),
    {
      scope: plan.scope,
      assurance_level: parent.assurance_level,
      human_ref: parent.human_ref,
      lifetime_s: plan.exp_s - Math.floor(clock() / 1000),
      is_key_bound: body.agent_jwk !== undefined,
      verified_for_s: verified_at_s === undefined ? undefined : plan.exp_s - verified_at_s,
      min_vouch_score: plan.constraints.min_vouch_score ?? 0,
    },
  )
}
