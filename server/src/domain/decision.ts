import type { Reason } from '@deputy/protocol'
import { allowsAction, allowsResource } from './scope.ts'
import type { Chain, Link } from './token.ts'

/** What an agent asks to do. */
export interface ActionRequest {
  readonly action: string
  readonly resource: string
  readonly spend_micro_usd: number
}

type Rule = (request: ActionRequest, link: Link, now_ms: number) => boolean

/** Each reason with the test that raises it, most final first. A rule looks at one link of the chain. */
const RULES: readonly (readonly [Reason, Rule])[] = [
  ['token_revoked', (_request, { state }) => state.revoked_at_ms !== undefined],
  ['token_expired', (_request, { token }, now_ms) => now_ms >= token.limits.expires_at_ms],
  ['token_not_yet_valid', (_request, { token }, now_ms) => now_ms < token.limits.not_before_ms],
  ['action_not_in_scope', ({ action }, { token }) => !allowsAction(token.scope, action)],
  ['resource_not_in_scope', ({ resource }, { token }) => !allowsResource(token.scope, resource)],
  ['budget_exceeded', exceedsBudget],
  [
    'action_limit',
    (_request, { token, state }) => state.actions >= (token.limits.max_actions ?? Number.POSITIVE_INFINITY),
  ],
]

/** Every reason why the chain does not allow the request. An empty list is a yes. */
export function objections(request: ActionRequest, chain: Chain, now_ms: number): Reason[] {
  return RULES.filter(([, objects]) => chain.some((link) => objects(request, link, now_ms))).map(
    ([reason]) => reason,
  )
}

function exceedsBudget({ spend_micro_usd }: ActionRequest, { token, state }: Link): boolean {
  if (spend_micro_usd === 0) return false
  const { max_spend_micro_usd, max_spend_per_action_micro_usd } = token.limits
  if (spend_micro_usd > (max_spend_per_action_micro_usd ?? Number.POSITIVE_INFINITY)) return true
  const committed_micro_usd = state.spent_micro_usd + state.reserved_micro_usd
  return committed_micro_usd + spend_micro_usd > (max_spend_micro_usd ?? Number.POSITIVE_INFINITY)
}
