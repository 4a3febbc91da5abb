import {
  type ActiveHours,
  type ArgumentLimits,
  type Claims,
  type Constraints,
  DEFAULT_TENANT,
  type Level,
  type Rank,
  type RequireApproval,
  type Scope,
  type SuspendCode,
  scopedAgent,
  toMicroUsd,
} from '@deputize/protocol'
import { type PeriodAccount, type PeriodLimits, periodLimitsOf } from '../times/spend-period.ts'
import type { InnerLimits } from './inner-limits.ts'

/** The facts of a token that never change. */
export interface Token {
  readonly jti: string
  readonly root_jti: string
  readonly parent_jti: string | undefined
  /** The token that this one renews, with the same budgets and a later expiry. */
  readonly renews_jti: string | undefined
  readonly provenance_ref: string
  /** Qualified with its tenant, as everywhere inside the service. */
  readonly agent_id: string
  readonly human_ref: string
  readonly assurance_level: Level
  readonly delegation_depth: number
  readonly scope: Scope
  readonly limits: Limits
  /** What is held for review. Only L3 tokens have them, and only the clerk and the check open them. */
  readonly inner_limits: InnerLimits | undefined
  readonly claims: Claims
  readonly jwt_hash: string
  readonly issued_at_ms: number
  /** Index of the leaf that records its issuance. */
  readonly log_index: number
}

/** The constraints of a token in the units in which they are enforced. */
export interface Limits {
  readonly not_before_ms: number
  readonly expires_at_ms: number
  readonly max_spend_micro_usd: number
  readonly max_spend_per_action_micro_usd: number
  readonly max_spend_per: PeriodLimits | undefined
  /** How much more than its estimate an action may settle. */
  readonly max_overrun_pct: number
  readonly max_actions: number
  readonly max_actions_per_minute: number
  readonly max_delegation_depth: number
  readonly min_reputation: number
  /** In millionths. */
  readonly min_vouch_score: number
  readonly active_hours: ActiveHours | undefined
  readonly require_approval: RequireApproval | undefined
  readonly arguments: ArgumentLimits | undefined
}

/** The state of a token that changes with its use. */
export interface TokenState {
  revoked_at_ms: number | undefined
  suspended_at_ms: number | undefined
  /** The rank of the caller who suspended it. Also undefined for suspensions from before ranks were stored. */
  suspended_rank: Rank | undefined
  /** Set when the service itself suspended the token. */
  suspend_code: SuspendCode | undefined
  spent_micro_usd: number
  reserved_micro_usd: number
  actions: number
  /** The clock minute in which the last action was counted, and the number of actions in it. */
  minute: number
  minute_actions: number
  /** Spend in the periods that the token limits. Replaced, never changed in place. */
  periods: readonly PeriodAccount[]
  /** When the safety desk released the token. After that, its inner limits hold nothing. */
  released_at_ms: number | undefined
}

/** Texts that people wrote about a token. Read only for display and never cached, so that they can be erased. */
export interface TokenWords {
  readonly purpose: string | undefined
  readonly revoke_reason: string | undefined
  readonly suspend_reason: string | undefined
  /** Whether a text was erased. */
  readonly erased: boolean
}

/** Marks on an agent or a person that apply to all their tokens at once. */
export interface Marks {
  suspended_at_ms: number | undefined
  suspended_rank: Rank | undefined
  /** People only: since when they refuse new tokens in their name. */
  refused_at_ms: number | undefined
  /** Tokens issued below this log index are revoked. */
  revoked_below: number
  /** Agents only: until when every action needs a person's approval because of an alert. */
  asks_until_ms: number | undefined
}

export interface Link {
  readonly token: Token
  readonly state: TokenState
  readonly agent: Marks
  readonly human: Marks
}

/** A token, then each ancestor up to the root. Never empty, because nothing is allowed without a token. */
export type Chain = readonly [Link, ...Link[]]

/** Returns the chain of each link: itself, then its ancestors. */
export function viewsOf([first, ...above]: Chain): Chain[] {
  return [first, ...above].map((link, position) => [link, ...above.slice(position)])
}

/** Returns the chain of the token that the first one renews, through any number of renewals, or else the same chain. */
export function renewedChain(chain: Chain): Chain {
  const [first, above, ...rest] = chain
  const isRenewal = above !== undefined && first.token.renews_jti === above.token.jti
  return isRenewal ? renewedChain([above, ...rest]) : chain
}

/**
 * Returns the chains of the tokens to mark when the first one is stopped: its own, and that of the token that all its
 * renewals go back to. Both hold the same authority, so an agent could otherwise continue with the other one.
 */
export function stoppedChains(chain: Chain): [Chain, ...Chain[]] {
  const renewed = renewedChain(chain)
  return renewed === chain ? [chain] : [chain, renewed]
}

/** Returns the chains of the first token and of every token that it renews, the newest first. */
export function renewalViews(chain: Chain): Chain[] {
  return viewsOf(chain).slice(0, chain.length - renewedChain(chain).length + 1)
}

export function freshState(): TokenState {
  return {
    revoked_at_ms: undefined,
    suspended_at_ms: undefined,
    suspended_rank: undefined,
    suspend_code: undefined,
    spent_micro_usd: 0,
    reserved_micro_usd: 0,
    actions: 0,
    minute: 0,
    minute_actions: 0,
    periods: [],
    released_at_ms: undefined,
  }
}

export function noMarks(): Marks {
  return {
    suspended_at_ms: undefined,
    suspended_rank: undefined,
    refused_at_ms: undefined,
    revoked_below: 0,
    asks_until_ms: undefined,
  }
}

/** What a store keeps about a token in addition to its claims. */
export interface TokenRegistration {
  readonly jwt_hash: string
  readonly issued_at_ms: number
  readonly log_index: number
  readonly inner_limits?: InnerLimits | undefined
}

/** Builds a token from its signed claims and its registration. */
export function tokenOf(claims: Claims, registration: TokenRegistration): Token {
  return {
    jti: claims.jti,
    root_jti: claims.svc_root_jti,
    parent_jti: claims.svc_parent_jti,
    renews_jti: claims.svc_renews_jti,
    provenance_ref: claims.svc_provenance_ref,
    agent_id: agentOfClaims(claims),
    human_ref: claims.svc_human_ref,
    assurance_level: claims.svc_assurance_level,
    delegation_depth: claims.svc_delegation_depth,
    scope: claims.svc_scope,
    limits: limitsOf(claims),
    inner_limits: registration.inner_limits,
    claims,
    jwt_hash: registration.jwt_hash,
    issued_at_ms: registration.issued_at_ms,
    log_index: registration.log_index,
  }
}

/** Returns the agent that holds a token, qualified with its tenant. */
export function agentOfClaims({ sub, svc_tenant }: Pick<Claims, 'sub' | 'svc_tenant'>): string {
  return scopedAgent(svc_tenant ?? DEFAULT_TENANT, sub.slice('agent:'.length))
}

/** Returns the claim that names a tenant. The default tenant has none. */
export function tenantClaim(tenant_id: string): Pick<Claims, 'svc_tenant'> {
  return tenant_id === DEFAULT_TENANT ? {} : { svc_tenant: tenant_id }
}

const NO_LIMIT = Number.POSITIVE_INFINITY

/** Returns the limits in signed claims. Constraints and `nbf`/`exp` both apply: the later start and the earlier end. */
export function limitsOf(claims: Claims): Limits {
  const constraints: Constraints = claims.svc_constraints ?? {}
  return {
    not_before_ms: Math.max(claims.nbf * 1000, instantOr(constraints.not_before, 0)),
    expires_at_ms: Math.min(claims.exp * 1000, instantOr(constraints.expires_at, NO_LIMIT)),
    max_spend_micro_usd: microUsdOr(constraints.max_spend_usd, NO_LIMIT),
    max_spend_per_action_micro_usd: microUsdOr(constraints.max_spend_per_action_usd, NO_LIMIT),
    max_spend_per: periodLimitsOf(constraints.max_spend_usd_per),
    max_overrun_pct: constraints.max_overrun_pct ?? defaultOverrunPct(constraints) ?? overrunAt(claims),
    max_actions: constraints.max_actions ?? NO_LIMIT,
    max_actions_per_minute: constraints.max_actions_per_minute ?? NO_LIMIT,
    max_delegation_depth: constraints.max_delegation_depth ?? NO_LIMIT,
    min_reputation: constraints.min_reputation ?? 0,
    min_vouch_score: Math.round((constraints.min_vouch_score ?? 0) * 1_000_000),
    active_hours: constraints.active_hours,
    require_approval: constraints.require_approval,
    arguments: constraints.arguments,
  }
}

/**
 * Returns 0 if a constraint limits spending or requires approval, which would mean nothing if an action could settle
 * above its estimate.
 */
export function defaultOverrunPct(constraints: Constraints): number | undefined {
  const { max_spend_usd, max_spend_per_action_usd, max_spend_usd_per, require_approval } = constraints
  const limits = [max_spend_usd, max_spend_per_action_usd, max_spend_usd_per, require_approval]
  return limits.some((limit) => limit !== undefined) ? 0 : undefined
}

/**
 * Returns 0 for L3 tokens, whose actions may be held for review because of what they spend, so none may settle above
 * what was judged. No limit otherwise.
 */
function overrunAt({ svc_assurance_level }: Claims): number {
  return svc_assurance_level === 'L3' ? 0 : NO_LIMIT
}

/**
 * Whether an alert requires approval of every action of the link's agent. Delegating doesn't avoid it: the agents above
 * count too.
 */
export function isAskedByAlert({ agent }: Link, now_ms: number): boolean {
  return agent.asks_until_ms !== undefined && now_ms < agent.asks_until_ms
}

function instantOr(text: string | undefined, otherwise: number): number {
  return text === undefined ? otherwise : Date.parse(text)
}

function microUsdOr(usd: number | undefined, otherwise: number): number {
  return usd === undefined ? otherwise : toMicroUsd(usd)
}
