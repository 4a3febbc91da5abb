/**
 * The port between the delivery engine and the kinds of endpoints (webhook, push stream, email). The engine owns the
 * queue, the order, the retries, the leases and the list of deliveries; a kind owns what is sent and how.
 */
import type { DeputyEvent } from '@deputize/protocol'
import type { KeptEntry, RegistryKind } from '../../store/port/registry.ts'
import type { LoggedChange } from '../change.ts'
import type { EventInterest } from '../interest.ts'

/** A destination of events. Built from a registry document, and rebuilt after each change of it. */
export interface Endpoint<Config = unknown> {
  /** Unique among the endpoints of all kinds, and the same in each version of the document. */
  readonly endpoint_id: string
  readonly tenant_id: string
  /** Who receives which events. Each attempt checks again that they may see the event. Agents can't be subscribers. */
  readonly interest: EventInterest
  /** The log index that a new endpoint starts at. */
  readonly since: number
  /** An additional filter on changes. */
  readonly wants?: ((change: LoggedChange) => boolean) | undefined
  /** Events of one lane arrive in log order. By default the workflow is the lane. */
  readonly laneOf?: ((change: LoggedChange) => string) | undefined
  readonly config: Config
}

/** What is stored about an attempt in addition to its outcome. Never a secret. */
export interface AttemptNotes {
  readonly status?: number | undefined
  /** The first bytes of the response. */
  readonly answer?: string | undefined
}

export type DeliveryOutcome =
  | ({ readonly outcome: 'delivered' } & AttemptNotes)
  /** It failed and is retried on schedule, or after the time that the receiver asks for. */
  | ({
      readonly outcome: 'retry'
      readonly error: string
      readonly after_ms?: number | undefined
    } & AttemptNotes)
  /** The receiver will never accept this event: it is given up, and the endpoint continues. */
  | ({ readonly outcome: 'refused'; readonly error: string } & AttemptNotes)
  /** Not now, without being a failure: quiet hours, or waiting for more to send together. */
  | { readonly outcome: 'hold'; readonly for_ms: number }
  /** The event contains nothing for this endpoint. */
  | { readonly outcome: 'skip' }
  /** The endpoint no longer exists at the receiver: it is disabled. */
  | ({ readonly outcome: 'gone' } & AttemptNotes)

export interface Attempt {
  /** Counts from 1. */
  readonly number: number
  readonly now_ms: number
  /** Aborts when the service shuts down. */
  readonly signal: AbortSignal
}

/** A kind of endpoint. */
export interface EndpointKind<Config = unknown> {
  /** The kind of registry entries that hold the documents of its endpoints. */
  readonly registry_kind: RegistryKind
  /** The endpoints that a document describes. */
  endpointsOf(entry: KeptEntry): readonly Endpoint<Config>[]
  /** Makes one attempt. It ends within `ATTEMPT_LIMIT_MS`; a rejection counts as a failed attempt. */
  send(endpoint: Endpoint<Config>, event: DeputyEvent, attempt: Attempt): Promise<DeliveryOutcome>
}

/** How long an attempt may take. */
export const ATTEMPT_LIMIT_MS = 15_000
