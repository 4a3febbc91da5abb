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
import type { DelegationPlan } from '../../domain/tokens/delegation.ts'
import type { UnmetRule } from '../../domain/tokens/policy.ts'
import type { Token } from '../../domain/tokens/token.ts'
import { trustScore } from '../../domain/tokens/trust.ts'
import { loadChain } from '../loading/load-chain.ts'
import { assertMintable } from '../minting/minting.ts'
import type { Handler, OperationCall, OperationContext } from '../operation-context.ts'
import { childClaims, planChild } from './delegation.ts'

export const previewDelegation: Handler<'previewDelegation'> = async (call, context) => {
  const { body } = call
  const chain = await loadChain(body.vat_jti, context)
  const [{ token: parent }] = chain
  const plan = planChild(parent, body, context)
  const agent_id = scopedAgent(tenantOf(parent.agent_id), body.agent_id)
  const above = livenessReasons(chain, context.clock())
  const suspension = await suspensionReasons(agent_id, context)
  const reasons = [...new Set([...above, ...suspension])]
  const { unmet, isRefused, refusal } = await judgedChild(parent, plan, call, above.length === 0, context)
  return {
    allowed: reasons.length === 0 && !isRefused && refusal === undefined,
    widening: [...plan.widening],
    reasons,
    unmet: unmet.map(({ framework, rule }) => `${framework}: ${rule}`),
    ...(plan.obstacle !== undefined && { obstacle: plan.obstacle }),
    ...(refusal !== undefined &&
      !isAmong(reasons, refusal) && { refusal: { code: refusal.code, detail: refusal.message } }),
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
  'provider_not_allowed',
  'scope_widening',
  'token_not_live',
])

/** Whether the reasons already say what a refusal says. */
function isAmong(reasons: readonly Reason[], { code }: AuthorityError): boolean {
  return code === 'token_not_live' && reasons.includes('agent_suspended')
}

interface JudgedChild {
  readonly unmet: readonly UnmetRule[]
  /** Whether the plan or a policy forbids the child. */
  readonly isRefused: boolean
  /** Any other refusal. */
  readonly refusal: AuthorityError | undefined
}

/** Takes the steps of the real call, and goes on after a refusal where it can. */
async function judgedChild(
  parent: Token,
  plan: DelegationPlan,
  { body, caller }: OperationCall<'previewDelegation'>,
  isLive: boolean,
  context: OperationContext,
): Promise<JudgedChild> {
  let unmet: readonly UnmetRule[] = []
  let isRefused = false
  const refuse = ({ code, members }: AuthorityError) => {
    isRefused = true
    if (code === 'policy_unmet') unmet = members.unmet as readonly UnmetRule[] // as `withPolicyAssertions` lists them
  }
  try {
    const claims = childClaims(parent, plan, body, refuse, context)
    if (isLive) await assertMintable(claims, caller, context, delegatingActors(parent, caller))
  } catch (error) {
    if (!(error instanceof AuthorityError)) throw error
    if (REPORTED.has(error.code)) return { unmet, isRefused, refusal: error }
    if ((isLive && !isRefused) || error.code !== 'invalid_request') throw error
  }
  return { unmet, isRefused, refusal: undefined }
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
