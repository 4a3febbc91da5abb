import { isAction, isResource } from '../../../../protocol/src/encoding/grammar.ts'
import { checkMetadata } from '../actions/action.ts'
import { roundedUsd } from '../actions/rounded-usd.ts'
import { checkOptions } from '../options.ts'
import type { Tracing } from '../tracing.ts'

/** How a guard reaches the service, and how tokens name this API. Unknown options are rejected by name. */
export interface GuardOptions {
  /** The URL of the service. */
  readonly url: string
  /** In keyed mode: an API key with the role `resource_server`. */
  readonly key?: string | undefined
  /** The name of this API in tokens (`aud`). Tokens for other audiences are rejected. Required in keyed mode. */
  readonly audience?: string | undefined
  /** The URL under which callers reach this API. Proofs are checked against it. Default: the audience, if it is a URL. */
  readonly public_url?: string | undefined
  /** The issuer that tokens must name. Default: the issuer that the service reports. */
  readonly issuer?: string | undefined
  /**
   * The tenant of this API. Default: the tenant of `key`, or `default` without a key. The guard never decides locally about
   * tokens of other tenants.
   */
  readonly tenant_id?: string | undefined
  /**
   * What to do if the service does not answer. `refuse` returns 503. `allow_verified` admits requests that a route with
   * `offline: true` would admit, without a record. Default: `refuse`.
   */
  readonly on_unavailable?: 'refuse' | 'allow_verified' | undefined
  /**
   * Whether routes with `offline: true` and `allow_verified` accept tokens that are not bound to a key. Set it only if your
   * tenant allows them. Default: only if the service runs in open mode.
   */
  readonly allow_bearer?: boolean | undefined
  /** The longest body that the guard reads to bind it. Longer ones get 413. Default: 1 MiB. */
  readonly max_body_bytes?: number | undefined
  /** Called if an action record could not be completed. The record expires by itself. Default: `console.warn`. */
  readonly on_incomplete?: ((error: unknown, aar_id: string) => void) | undefined
  /** Replaces the `fetch` of the runtime. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** The time limit of each attempt to call the service. Default: 5 seconds. */
  readonly timeout_ms?: number | undefined
  /** How many times a failed call to the service is retried. Default: 1. */
  readonly retries?: number | undefined
  /** Creates a span for every action, as a child of the caller's. Pass `openTelemetry()`. */
  readonly tracing?: Tracing | undefined
  /** Returns the current time in milliseconds, for tests. */
  readonly clock?: (() => number) | undefined
}

export const GUARD_OPTIONS: Record<keyof GuardOptions, true> = {
  url: true,
  key: true,
  audience: true,
  public_url: true,
  issuer: true,
  tenant_id: true,
  on_unavailable: true,
  allow_bearer: true,
  max_body_bytes: true,
  on_incomplete: true,
  fetch: true,
  timeout_ms: true,
  retries: true,
  tracing: true,
  clock: true,
}

/** Options of a route, in addition to its action and resource. */
export interface RouteOptions<Request> {
  /** Decides from the token alone and records nothing, for reads. Tokens with limits still go to the service. */
  readonly offline?: boolean | undefined
  /** The estimated cost of the action, rounded up to micro-dollars. */
  readonly spend_usd?: number | ((request: Request) => number) | undefined
  /** Facts of your own, kept with the action record. The member `request` is set by the guard. */
  readonly metadata?: RouteMetadata | ((request: Request) => RouteMetadata) | undefined
  /**
   * Returns what a person reads about the request before approving it: a text, or named members. Runs after the token
   * is verified and the body is bound.
   */
  readonly summary?: ((request: Request) => Summary | Promise<Summary>) | undefined
  /**
   * Whether the body is part of what is authorized. Set it to false for uploads that are too large to read first: the route
   * then accepts no approvals. Default: true.
   */
  readonly bind_body?: boolean | undefined
}

/** Facts of your own about a request. */
type RouteMetadata = Readonly<Record<string, unknown>>

export type Summary = string | Readonly<Record<string, unknown>>

const ROUTE_OPTIONS: Record<keyof RouteOptions<unknown>, true> = {
  offline: true,
  spend_usd: true,
  metadata: true,
  summary: true,
  bind_body: true,
}

/** Throws a TypeError for a route that could never be allowed, and for one with unknown options or a cost that is not an amount. */
export function checkRoute<Request>(
  action: unknown,
  resource: unknown,
  options: RouteOptions<Request>,
): void {
  if (typeof action !== 'string' || !isAction(action))
    throw new TypeError(
      `The action must be a name that tokens can hold, such as 'write'. It is ${JSON.stringify(action)}.`,
    )
  const isGiven = typeof resource === 'string' && isResource(resource)
  if (typeof resource !== 'function' && !isGiven)
    throw new TypeError(
      `The resource must be '<namespace>:<name>', such as 'calendar:events', or a function of the request. It is ${JSON.stringify(resource)}.`,
    )
  checkOptions(options, ROUTE_OPTIONS)
  const { spend_usd, metadata } = options
  if (typeof spend_usd !== 'function') roundedUsd(spend_usd)
  if (typeof metadata !== 'function') checkRouteMetadata(metadata)
}

function checkRouteMetadata(metadata: RouteMetadata | undefined): void {
  checkMetadata(metadata)
  if (metadata !== undefined && Object.hasOwn(metadata, 'request'))
    throw new TypeError('metadata must not have a member request. The guard sets it.')
}

/** The action that a request asks for. */
export interface RequestedAction {
  readonly action: string
  readonly resource: string
  readonly offline: boolean
  readonly spend_usd: number | undefined
  readonly metadata: RouteMetadata | undefined
  readonly bind_body: boolean
  summary(): Promise<Summary | undefined>
}

export function requestedAction<Request>(
  action: string,
  resource: string | ((request: Request) => string),
  { offline = false, spend_usd, metadata, summary, bind_body = true }: RouteOptions<Request>,
  request: Request,
): RequestedAction {
  const facts = valueFor<Request, RouteMetadata | undefined>(metadata, request)
  checkRouteMetadata(facts)
  return {
    action,
    resource: valueFor(resource, request),
    offline,
    spend_usd: roundedUsd(valueFor(spend_usd, request)),
    metadata: facts,
    bind_body,
    summary: async () => summary?.(request),
  }
}

/** Returns the value, or what the function returns for the request. */
function valueFor<Request, Value>(given: Value | ((request: Request) => Value), request: Request): Value {
  return given instanceof Function ? given(request) : given
}
