import { type Claims, type Constraints, type Level, type Scope, toMicroUsd } from '@deputy/protocol'

/** What is fixed for ever when a token is issued. */
export interface Token {
  readonly jti: string
  readonly root_jti: string
  readonly provenance_ref: string
  readonly agent_id: string
  readonly human_ref: string
  readonly assurance_level: Level
  readonly delegation_depth: number
  readonly scope: Scope
  readonly limits: Limits
  readonly claims: Claims
  readonly purpose: string | undefined
  readonly issued_at_ms: number
  /** Position of the leaf that tells of the issue. */
  readonly log_index: number
}

/** The constraints of a token in the units in which they are enforced. */
export interface Limits {
  readonly not_before_ms: number
  readonly expires_at_ms: number
  readonly max_spend_micro_usd: number | undefined
  readonly max_spend_per_action_micro_usd: number | undefined
  readonly max_actions: number | undefined
}

/** What changes while a token is in use. */
export interface TokenState {
  revoked_at_ms: number | undefined
  revoke_reason: string | undefined
  spent_micro_usd: number
  reserved_micro_usd: number
  actions: number
}

export interface Link {
  readonly token: Token
  readonly state: TokenState
}

/** A token, then each ancestor up to the root. Never empty: nothing is ever allowed by no token. */
export type Chain = readonly [Link, ...Link[]]

export function freshState(): TokenState {
  return {
    revoked_at_ms: undefined,
    revoke_reason: undefined,
    spent_micro_usd: 0,
    reserved_micro_usd: 0,
    actions: 0,
  }
}

/** The limits that signed claims carry. Times of the constraints bind beside `nbf` and `exp`: the later start, the earlier end. */
export function limitsOf(claims: Claims): Limits {
  const constraints: Constraints = claims.svc_constraints ?? {}
  return {
    not_before_ms: Math.max(claims.nbf * 1000, instantOr(constraints.not_before, 0)),
    expires_at_ms: Math.min(claims.exp * 1000, instantOr(constraints.expires_at, Number.POSITIVE_INFINITY)),
    max_spend_micro_usd: microUsdOf(constraints.max_spend_usd),
    max_spend_per_action_micro_usd: microUsdOf(constraints.max_spend_per_action_usd),
    max_actions: constraints.max_actions,
  }
}

function instantOr(text: string | undefined, otherwise: number): number {
  return text === undefined ? otherwise : Date.parse(text)
}

function microUsdOf(usd: number | undefined): number | undefined {
  return usd === undefined ? undefined : toMicroUsd(usd)
}
