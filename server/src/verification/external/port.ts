/**
 * The interface of an identity-verification provider. A provider proves who a person is; the person's passkey still
 * confirms the delegation. A callback only wakes Deputy: the decision is always fetched from the provider.
 */
import type { Outbound } from '../../outbound/outbound.ts'
import type { ExternalDecision } from './verdict.ts'

/** The levels that an operator may allow a provider to give. */
export const EXTERNAL_LEVELS = ['L2', 'L3'] as const
export type ExternalLevel = (typeof EXTERNAL_LEVELS)[number]

/** A provider that is ready to be called. Methods reject only with a `ProviderFailure`. */
export interface ExternalProvider {
  /** Creates a session at the provider: no second one for the same `session_id` and `attempt`, if it can tell. */
  createSession(session: NewExternalSession): Promise<ExternalSession>
  /**
   * Returns the event in a callback, or undefined unless its signature is the provider's and its time is in the window.
   * `body` is exactly what arrived. Never throws, and compares in constant time.
   */
  readCallback(body: Uint8Array, headers: CallbackHeaders): CallbackEvent | undefined
  /** Fetches the provider's current decision. `memory` is what `createSession` returned. */
  fetchDecision(external_id: string, memory: string | undefined): Promise<ExternalDecision>
  /** Deletes what the provider holds about the person, if anything. Absent if the provider offers no such call. */
  redact?(external_id: string): Promise<void>
  /**
   * For a provider that answers through the person's browser (OpenID Connect): reads the decision from the query that
   * the browser came back with. `memory` is what `createSession` returned.
   */
  redeem?(query: URLSearchParams, memory: string | undefined): Promise<ExternalDecision>
}

export interface NewExternalSession {
  /** `vs_…`, to find the session again at the provider. */
  readonly session_id: string
  /** Counts from 1. A retry is a new session at the provider. */
  readonly attempt: number
  /** A pseudonym of the person, as stable as the person is in this tenant. */
  readonly human_ref: string
  /** Where the provider sends the person's browser when they are done: a page of Deputy, with no secret in it. */
  readonly return_url: string
  /** Where the provider may post its callbacks, for providers that take it with each session. */
  readonly callback_url: string
  readonly locale: string
}

/** A session at the provider. At least one of `redirect_url` and `client_token` is set. */
export interface ExternalSession {
  /** 1 to 200 of `A-Z a-z 0-9 . _ ~ : -`. */
  readonly external_id: string
  /** The page where the person proves who they are: https, or http on this machine in development. */
  readonly redirect_url?: string
  /** For the provider's own browser SDK. */
  readonly client_token?: string
  /** What `fetchDecision` and `redeem` need again. Stored encrypted; may hold secrets. */
  readonly memory?: string
}

/** Like Node's `headersDistinct`: lower-case names, with one value for each time that a header was sent. */
export type CallbackHeaders = Readonly<Record<string, readonly string[] | undefined>>

export interface CallbackEvent {
  /** The provider's ID of the event or, if it has none, a digest of the body. The same ID again is a duplicate. */
  readonly event_id: string
  readonly external_id: string
}

export const PROVIDER_FAILURES = {
  unavailable: 'the provider did not answer, or answered with a server error',
  rate_limited: 'the provider asks for fewer calls',
  refused: 'the provider refused the call: check the credentials and the settings in the providers file',
  malformed: 'the provider gave an answer that its documentation does not describe',
  unknown: 'the provider does not know this session',
} as const satisfies Record<string, string>

export type ProviderFailureReason = keyof typeof PROVIDER_FAILURES

/** A failed call to a provider. The message never repeats what the provider sent. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure'
  readonly reason: ProviderFailureReason
  /** How long the provider asks to wait, in seconds. */
  readonly retry_after_s: number | undefined

  constructor(
    reason: ProviderFailureReason,
    options: { readonly cause?: unknown; readonly retry_after_s?: number | undefined } = {},
  ) {
    super(PROVIDER_FAILURES[reason], { cause: options.cause })
    this.reason = reason
    this.retry_after_s = options.retry_after_s
  }
}

/** What an adapter gets from the service. */
export interface ExternalParts {
  readonly name: string
  readonly call: Outbound
  readonly clock: () => number
  /** Where this service is reached. Known once it listens. */
  readonly public_url: () => string
  /** A secret of the deployment for one purpose, the same on every node. */
  readonly derivedSecret: (purpose: string) => string
}

/** Opens the provider of one entry of the file. */
export type OpenExternal = (parts: ExternalParts) => ExternalProvider
