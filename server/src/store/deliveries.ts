import type { Page, PageRequest } from './port/pages.ts'

/** What became of the delivery of an event. `waiting`: it is tried again, or waits for an older one of its workflow. */
export const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** Why an endpoint gets nothing more until somebody enables it. */
export const DISABLED_REASONS = ['failing', 'gone', 'key_deleted'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

/** The delivery of one event to one endpoint, as of its newest attempt. Holds nothing of the event itself. */
export interface Delivery {
  readonly log_index: number
  /** Deliveries of one lane are made in the order of the log. */
  readonly lane: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly first_at_ms: number
  readonly last_at_ms: number
  /** Not before this instant is there another attempt. */
  readonly next_at_ms: number
  /** The HTTP status of the newest attempt. */
  readonly status: number | undefined
  /** Why the newest attempt failed, in words for the owner of the endpoint. */
  readonly error: string | undefined
  /** The first bytes of the newest answer. */
  readonly answer: string | undefined
  readonly took_ms: number | undefined
}

/** The part of a delivery that the engine holds in memory while the delivery waits. */
export type WaitingDelivery = Pick<
  Delivery,
  'log_index' | 'lane' | 'attempts' | 'first_at_ms' | 'last_at_ms' | 'next_at_ms'
>

/** How far an endpoint is. */
export interface EndpointState {
  /** Every event below this log index was delivered, given up, or has a waiting row. */
  readonly next_index: number
  /** Since when every attempt failed. */
  readonly failing_since_ms: number | undefined
  readonly disabled: { readonly at_ms: number; readonly reason: DisabledReason } | undefined
}

/** The right of one node to send for an endpoint. A change from outside, such as a replay, makes a new revision. */
export interface Lease {
  readonly endpoint_id: string
  readonly revision: number
}

/** Progress of an endpoint. Cursor and rows are one write: a crash repeats deliveries and never skips one. */
export interface DeliveryProgress extends Lease {
  readonly next_index: number
  readonly failing_since_ms: number | undefined
  readonly rows: readonly Delivery[]
}

export interface DeliveryFilter {
  readonly state: DeliveryState | undefined
}

/**
 * How far each endpoint is, and its deliveries of the last days. Operational data: it is neither in the log nor written
 * by the clerk, and writing it slows nothing else down.
 *
 * Promises: cursor and rows of one `write` are stored together or not at all; writes survive a crash of the process; a
 * crash of the machine or the database may lose the newest ones, which repeats deliveries. At most one node holds the
 * lease of an endpoint at a time, and a node that has lost it, or has not seen the newest revision, writes nothing.
 */
export interface DeliveryStore {
  /** Begins endpoints that are new at their first log index. Known ones stay as they are. */
  begin(endpoints: readonly { readonly endpoint_id: string; readonly since: number }[]): Promise<void>
  /** Renews the leases of a node and takes those that nobody holds. Returns all that it holds now. */
  hold(holder: string, lease_ms: number): Promise<Lease[]>
  /** Gives up the leases of a node, so that another takes over at once. */
  release(holder: string): Promise<void>
  /** Undefined for an endpoint that is unknown. */
  state(endpoint_id: string): Promise<EndpointState | undefined>
  /** The deliveries that wait, oldest first. */
  waiting(endpoint_id: string): Promise<WaitingDelivery[]>
  /** Stores progress. Returns the endpoints that this holder may no longer write, whose progress was dropped. */
  write(holder: string, progress: readonly DeliveryProgress[]): Promise<string[]>
  /** Newest event first. */
  list(endpoint_id: string, filter: DeliveryFilter, page: PageRequest): Promise<Page<Delivery>>
  find(endpoint_id: string, log_index: number): Promise<Delivery | undefined>
  /** Has a delivery made again as soon as possible, in its place in the order. False if it is unknown. */
  retry(endpoint_id: string, log_index: number, now_ms: number): Promise<boolean>
  /** Has every event from `next_index` on delivered again; never skips one. False if the endpoint is unknown. */
  rewind(endpoint_id: string, next_index: number): Promise<boolean>
  disable(endpoint_id: string, reason: DisabledReason, now_ms: number): Promise<boolean>
  /** Lets a disabled endpoint go on where it stopped. */
  enable(endpoint_id: string): Promise<boolean>
  /** Forgets an endpoint and its deliveries. */
  remove(endpoint_id: string): Promise<void>
  /** Deletes settled deliveries that are older than `before_ms`, and of each endpoint all but the newest `most`. */
  sweep(before_ms: number, most: number): Promise<void>
  close(): Promise<void>
}
