import type { Outcome } from '../actions/action.ts'
import type { Claims } from '../generated/operations.ts'
import type { RequestedAction } from './options.ts'
import type { RefusedAnswer } from './refusal.ts'

/** The agent and the person that a request acts for, as the handler sees them. */
export interface RequestAuthority {
  readonly jti: string
  readonly agent_id: string
  readonly human_ref: string
  readonly action: string
  readonly resource: string
  readonly claims: Claims
  readonly provenance_ref: string
  /** The ID of the action record. Undefined if the guard decided offline, which records nothing. */
  readonly aar_id: string | undefined
  /** Sets the result, cost or metadata of the action record. By default the status of the response decides. */
  outcome(outcome: Outcome): void
}

/** A request, in the form that every framework can provide. */
export interface GuardedRequest {
  readonly method: string
  /** Path and query, exactly as in the request line. */
  readonly target: string
  readonly header: (name: string) => string | undefined
  /** The pattern of the route. Undefined if the framework does not provide it. */
  readonly route: string | undefined
  /** SHA-256 of the body that the handler sees, in hex. Throws `BodyTooLarge` or `BodyNotBound`. */
  bodySha256(max_bytes: number): Promise<string>
}

/** The handler may run. */
export interface Admitted {
  readonly authority: RequestAuthority
  /** Runs the handler within its action. Actions started inside name it as their cause. */
  during<T>(handler: () => T): T
  /** Completes the record. Never throws, so it cannot break the response. Undefined if there is nothing to complete. */
  readonly finish: Finish | undefined
}

export type Finish = (end: {
  readonly succeeded: boolean
  readonly result_hash: string | undefined
}) => Promise<void>

/** Whether a request may proceed. */
export type RequestDecision = { readonly refused: RefusedAnswer } | { readonly admitted: Admitted }

export function requestAuthority(
  claims: Claims,
  { action, resource }: Pick<RequestedAction, 'action' | 'resource'>,
  aar_id: string | undefined,
): Omit<RequestAuthority, 'outcome'> {
  const { jti, sub: agent_id, svc_human_ref: human_ref, svc_provenance_ref: provenance_ref } = claims
  return { jti, agent_id, human_ref, action, resource, claims, provenance_ref, aar_id }
}
