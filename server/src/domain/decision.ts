import {
  type ArgumentLimits,
  AuthorityError,
  allowsAction,
  allowsResource,
  type Reason,
  withAdvice,
} from '@deputize/protocol'
import { exceededPeriods } from './budget.ts'
import { isWithinHours } from './times/active-hours.ts'
import { MINUTE_MS } from './times/time.ts'
import { limitsArguments } from './tokens/arguments.ts'
import type { Chain, Link } from './tokens/token.ts'

/** The action that an agent requests. */
export interface ActionRequest {
  readonly action: string
  readonly resource: string
  readonly spend_micro_usd: number
}

/** What a decision depends on in addition to the request and the chain. */
export interface Circumstances {
  readonly now_ms: number
  /** Returns the acting agent's score to compare with `min_reputation`. Called only if a link requires one. */
  reputation(): number
  /** Returns the acting agent's vouch score, in millionths. Called only if a link requires one. */
  vouchScore(): number
  /** Whether the request's arguments break a link's limits. Called only if a link limits those of the action. */
  breaksLimits(limits: ArgumentLimits): boolean
  /** Judges by the rules of earlier versions, in which a used-up budget still allowed actions that spend nothing. */
  readonly by_earlier_rules?: boolean
}

type Rule = (link: Link, request: ActionRequest, circumstances: Circumstances) => boolean
type NamedRule = readonly [Reason, Rule]

/** The rules for whether a token is in force. In the chain of its renewal, a token's own times don't apply. */
const LIVENESS: readonly NamedRule[] = [
  ['token_revoked', isRevoked],
  ['token_suspended', ({ state }) => state.suspended_at_ms !== undefined],
  ['agent_suspended', ({ agent }) => agent.suspended_at_ms !== undefined],
  ['token_expired', ({ token }, _request, { now_ms }) => now_ms >= token.limits.expires_at_ms],
  ['token_not_yet_valid', ({ token }, _request, { now_ms }) => now_ms < token.limits.not_before_ms],
]

/** The rules for whether a token in force allows the request. Each looks at one link of the chain. */
const PERMISSION: readonly NamedRule[] = [
  ['action_not_in_scope', ({ token }, { action }) => !allowsAction(token.scope, action)],
  ['resource_not_in_scope', ({ token }, { resource }) => !allowsResource(token.scope, resource)],
  ['argument_not_allowed', breaksArguments],
  ['outside_hours', isOutsideHours],
  ['budget_exceeded', exceedsBudget],
  ['period_budget_exceeded', exceedsPeriod],
  ['action_limit', ({ token, state }) => state.actions >= token.limits.max_actions],
  ['rate_limit', exceedsRate],
  ['reputation_too_low', lacksReputation],
  ['vouch_score_too_low', lacksVouches],
]

const ALL_RULES: readonly NamedRule[] = [...LIVENESS, ...PERMISSION]

const TIMES: readonly Reason[] = ['token_expired', 'token_not_yet_valid']

/** Returns every reason why the chain denies the request, the most final first. Empty if the chain allows it. */
export function objections(request: ActionRequest, chain: Chain, circumstances: Circumstances): Reason[] {
  return reasonsOf(ALL_RULES, request, chain, circumstances)
}

/** Returns every reason why the chain isn't in force, independent of any request. */
export function livenessReasons(chain: Chain, now_ms: number): Reason[] {
  return reasonsOf(LIVENESS, NO_REQUEST, chain, {
    now_ms,
    reputation: () => 1,
    vouchScore: () => 0,
    breaksLimits: () => false,
  })
}

/** Throws if the chain isn't in force, with every reason. */
export function assertLive(chain: Chain, now_ms: number): void {
  const reasons = livenessReasons(chain, now_ms)
  if (reasons.length === 0) return
  throw new AuthorityError('token_not_live', withAdvice('The token is not live', reasons), {
    reason: reasons[0],
    reasons,
  })
}

const NO_REQUEST: ActionRequest = { action: '', resource: '', spend_micro_usd: 0 }

/** Returns the reasons of the rules that a link breaks. Runs for every action, so it avoids garbage. */
function reasonsOf(
  rules: readonly NamedRule[],
  request: ActionRequest,
  chain: Chain,
  circumstances: Circumstances,
): Reason[] {
  const reasons: Reason[] = []
  for (const [reason, rule] of rules)
    if (objects(reason, rule, request, chain, circumstances)) reasons.push(reason)
  return reasons
}

function objects(
  reason: Reason,
  rule: Rule,
  request: ActionRequest,
  chain: Chain,
  circumstances: Circumstances,
): boolean {
  let below: Link | undefined
  for (const link of chain) {
    if (rule(link, request, circumstances) && !(TIMES.includes(reason) && isRenewed(link, below))) return true
    below = link
  }
  return false
}

function isRenewed({ token }: Link, below: Link | undefined): boolean {
  return below !== undefined && below.token.renews_jti === token.jti
}

/** Whether a token was revoked, by itself or together with all tokens of its agent or human. */
export function isRevoked({ token, state, agent, human }: Link): boolean {
  return (
    state.revoked_at_ms !== undefined ||
    token.log_index < agent.revoked_below ||
    token.log_index < human.revoked_below
  )
}

function isOutsideHours({ token }: Link, _request: ActionRequest, { now_ms }: Circumstances): boolean {
  const { active_hours } = token.limits
  return active_hours !== undefined && !isWithinHours(active_hours, now_ms)
}

function exceedsBudget(
  link: Link,
  { spend_micro_usd }: ActionRequest,
  { by_earlier_rules = false }: Circumstances,
): boolean {
  if (spend_micro_usd === 0 && by_earlier_rules) return false
  return exceedsSpendPerAction(link, spend_micro_usd) || exceedsTotalSpend(link, spend_micro_usd)
}

export function exceedsSpendPerAction({ token }: Pick<Link, 'token'>, spend_micro_usd: number): boolean {
  return spend_micro_usd > token.limits.max_spend_per_action_micro_usd
}

export function exceedsTotalSpend(
  { token, state }: Pick<Link, 'token' | 'state'>,
  spend_micro_usd: number,
): boolean {
  const { max_spend_micro_usd } = token.limits
  const committed = state.spent_micro_usd + state.reserved_micro_usd
  if (spend_micro_usd === 0) return isExhausted(committed, max_spend_micro_usd)
  return committed + spend_micro_usd > max_spend_micro_usd
}

/** Whether a budget is used up. An unspent budget of zero isn't: its token can act without spending. */
function isExhausted(committed: number, max_spend_micro_usd: number): boolean {
  return committed > max_spend_micro_usd || (max_spend_micro_usd > 0 && committed === max_spend_micro_usd)
}

function exceedsPeriod(link: Link, { spend_micro_usd }: ActionRequest, { now_ms }: Circumstances): boolean {
  return exceededPeriods(link, spend_micro_usd, now_ms).length > 0
}

function breaksArguments(
  { token }: Link,
  { action }: ActionRequest,
  { breaksLimits }: Circumstances,
): boolean {
  const limits = token.limits.arguments
  return limits !== undefined && limitsArguments(limits, action) && breaksLimits(limits)
}

function exceedsRate({ token, state }: Link, _request: ActionRequest, { now_ms }: Circumstances): boolean {
  return actionsThisMinute(state, now_ms) >= token.limits.max_actions_per_minute
}

function actionsThisMinute({ minute, minute_actions }: Link['state'], now_ms: number): number {
  return minute === Math.floor(now_ms / MINUTE_MS) ? minute_actions : 0
}

function lacksReputation({ token }: Link, _request: ActionRequest, { reputation }: Circumstances): boolean {
  return token.limits.min_reputation > 0 && reputation() < token.limits.min_reputation
}

function lacksVouches({ token }: Link, _request: ActionRequest, { vouchScore }: Circumstances): boolean {
  return token.limits.min_vouch_score > 0 && vouchScore() < token.limits.min_vouch_score
}

/** Whether a decision about the chain depends on the acting agent's vouch score. */
export function asksVouchScore(chain: readonly Pick<Link, 'token'>[]): boolean {
  return chain.some(({ token }) => token.limits.min_vouch_score > 0)
}

/** Counts an allowed action for every link of the chain. */
export function countAction(chain: Chain, now_ms: number): void {
  for (const { state } of chain) {
    state.actions += 1
    state.minute_actions = actionsThisMinute(state, now_ms) + 1
    state.minute = Math.floor(now_ms / MINUTE_MS)
  }
}
