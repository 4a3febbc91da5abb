import { type Reason, scopedAgent, tenantOf } from '@deputize/protocol'
import { livenessReasons } from '../../domain/decision.ts'
import { type DelegationPlan, planDelegation } from '../../domain/delegation.ts'
import { unmetRules } from '../../domain/policy.ts'
import { isoInstant } from '../../domain/time.ts'
import type { Token } from '../../domain/token.ts'
import { trustScore } from '../../domain/trust.ts'
import { loadChain } from '../load-chain.ts'
import type { Handler, OperationContext } from '../operation-context.ts'
import { childPolicies, type DelegationBody, delegationRequest } from './delegation.ts'

export const previewDelegation: Handler<'previewDelegation'> = async ({ body }, context) => {
  const chain = await loadChain(body.vat_jti, context)
  const [{ token: parent }] = chain
  const plan = planDelegation(parent, delegationRequest(body), context.clock())
  const agent_id = scopedAgent(tenantOf(parent.agent_id), body.agent_id)
  const suspension = await suspensionReasons(agent_id, context)
  const reasons = [...new Set([...livenessReasons(chain, context.clock()), ...suspension])]
  const unmet = unmetPolicyRules(parent, plan, body, context)
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

/** The clerk refuses a token for a suspended agent, so the preview reports it. */
async function suspensionReasons(agent_id: string, { reader }: OperationContext): Promise<Reason[]> {
  const agent = await reader.agent(agent_id)
  return agent?.suspended_at_ms === undefined ? [] : ['agent_suspended']
}

/** The rules of asserted policies that the planned child would not meet. */
function unmetPolicyRules(
  parent: Token,
  plan: DelegationPlan,
  body: DelegationBody,
  { policies, clock }: OperationContext,
) {
  const names = childPolicies(parent, body)
  return unmetRules(
    policies.filter(({ name }) => names.includes(name)),
    {
      scope: plan.scope,
      assurance_level: parent.assurance_level,
      human_ref: parent.human_ref,
      lifetime_s: plan.exp_s - Math.floor(clock() / 1000),
      is_key_bound: body.agent_jwk !== undefined,
    },
  )
}
