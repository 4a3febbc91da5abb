import { allowsAction, type Constraints, type Scope } from '@deputize/protocol'
import { authorityWidening, meet } from './narrowing.ts'
import type { Token } from './token.ts'

const MAX_DEPTH = 10
const DEFAULT_LIFETIME_S = 3600
const DELEGATE = 'delegate'

/** The delegation that a holder requests. Members that are left out are inherited, except the right to delegate. */
export interface DelegationRequest {
  readonly resources: readonly string[] | undefined
  readonly actions: readonly string[] | undefined
  readonly constraints: Constraints | undefined
  readonly expires_in_s: number | undefined
  readonly audience: string | undefined
}

/** The child token that a request would create, and everything that forbids it. */
export interface DelegationPlan {
  readonly scope: Scope
  readonly constraints: Constraints
  readonly audience: string | undefined
  readonly exp_s: number
  readonly delegation_depth: number
  /** Entries that exceed the parent, by name. */
  readonly widening: readonly string[]
  /** Why this token can't be delegated at all. */
  readonly obstacle: string | undefined
}

export function planDelegation(parent: Token, request: DelegationRequest, now_ms: number): DelegationPlan {
  const held = {
    scope: parent.scope,
    constraints: parent.claims.svc_constraints ?? {},
    overrun_pct: parent.limits.max_overrun_pct,
  }
  const scope = {
    resources: [...(request.resources ?? parent.scope.resources)],
    actions: [...(request.actions ?? parent.scope.actions.filter((action) => action !== DELEGATE))],
  }
  const requested = { scope, constraints: request.constraints ?? {} }
  const now_s = Math.floor(now_ms / 1000)
  const parent_exp_s = Math.floor(parent.limits.expires_at_ms / 1000)
  const wanted_exp_s = now_s + (request.expires_in_s ?? DEFAULT_LIFETIME_S)
  return {
    scope,
    constraints: meet(held.constraints, requested.constraints),
    audience: request.audience ?? parent.claims.aud,
    exp_s: Math.min(wanted_exp_s, parent_exp_s, constrainedEnd(requested.constraints)),
    delegation_depth: parent.delegation_depth + 1,
    widening: [
      ...authorityWidening(held, requested),
      ...(request.expires_in_s !== undefined && wanted_exp_s > parent_exp_s ? ['expires_in'] : []),
      ...audienceWidening(parent, request.audience),
    ],
    obstacle: obstacleOf(parent, scope),
  }
}

function constrainedEnd({ expires_at }: Constraints): number {
  return expires_at === undefined ? Number.POSITIVE_INFINITY : Math.floor(Date.parse(expires_at) / 1000)
}

function audienceWidening(parent: Token, audience: string | undefined): string[] {
  const { aud, svc_constraints } = parent.claims
  const allowed = svc_constraints?.allowed_audiences
  if (audience === undefined || audience === aud) return []
  return aud !== undefined || (allowed !== undefined && !allowed.includes(audience))
    ? [`audience: ${audience}`]
    : []
}

function obstacleOf(parent: Token, { resources, actions }: Scope): string | undefined {
  if (!allowsAction(parent.scope, DELEGATE)) return 'The token does not allow the action delegate.'
  if (parent.limits.max_delegation_depth < 1)
    return 'The constraint max_delegation_depth does not allow tokens below this one.'
  if (parent.delegation_depth >= MAX_DEPTH) return `A chain can have at most ${MAX_DEPTH} delegations.`
  if (resources.length === 0 || actions.length === 0)
    return 'The child would have no resources or no actions. Name the actions of the child.'
  return undefined
}
