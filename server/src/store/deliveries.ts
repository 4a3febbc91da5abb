import type { Page, PageRequest } from './port/pages.ts'

/** The state of a delivery. `waiting`: it will be tried again, or waits for an older delivery of its workflow. */
export const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** Why an endpoint gets no more events until it is enabled again. */
export const DISABLED_REASONS = ['failing', 'gone', 'key_deleted'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

/** The delivery of an event to an endpoint, as of the newest attempt. Holds no data of the event itself. */
export interface Delivery {
  readonly log_index: number
  /** Deliveries of a lane are made in log order. */
  readonly lane: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly first_at_ms: number
  readonly last_at_ms: number
  /** The earliest time of the next attempt. */
  readonly next_at_ms: number
  /** The HTTP status of the newest attempt. */
  readonly status: number | undefined
  /** Why the newest attempt failed, worded for the endpoint's owner. */
  readonly error: string | undefined
  /** The first bytes of the newest response. */
  readonly answer: string | undefined
  readonly took_ms: number | undefined
}

/** The part of a delivery that the engine holds in memory while the delivery waits. */
export type WaitingDelivery = Pick<
  Delivery,
  'log_index' | 'lane' | 'attempts' | 'first_at_ms' | 'last_at_ms' | 'next_at_ms'
>

/** An endpoint's state. */
export interface EndpointState {
  /** Every event below this log index was delivered, given up, or has a waiting row. */
  readonly next_index: number
  /** The time since which every attempt has failed. */
  readonly failing_since_ms: number | undefined
  readonly disabled: { readonly at_ms: number; readonly reason: DisabledReason } | undefined
}

/** A node's right to send to an endpoint. An outside change, such as a replay, creates a new revision. */
export interface Lease {
  readonly endpoint_id: string
  readonly revision: number
}

/** An endpoint's progress. The cursor and rows are written together: a crash repeats deliveries but never skips one. */
export interface DeliveryProgress extends Lease {
  readonly next_index: number
  readonly failing_since_ms: number | undefined
  readonly rows: readonly Delivery[]
}

export interface DeliveryFilter {
  readonly state: DeliveryState | undefined
}

/**
 * Each endpoint's state, and its deliveries of the last days. This is operational data: it isn't in the log, the clerk
 * doesn't write it, and writing it slows nothing else down.
 *
 * Promises: the cursor and rows of one `write` are stored together or not at all; writes survive a crash of the
 * process; a crash of the machine or the database may lose the newest writes, which repeats deliveries. At most one
 * node holds an endpoint's lease at a time, and a node that has lost it, or hasn't seen the newest revision, writes
 * nothing.
 */
export interface DeliveryStore {
  /** Adds new endpoints, which start at their first log index. Known ones don't change. */
  begin(endpoints: readonly { readonly endpoint_id: string; readonly since: number }[]): Promise<void>
  /** Renews a node's leases and takes those that no node holds. Returns all leases that the node now has. */
  hold(holder: string, lease_ms: number): Promise<Lease[]>
  /** Releases a node's leases, so that another node can take over at once. */
  release(holder: string): Promise<void>
  /** Undefined for an unknown endpoint. */
  state(endpoint_id: string): Promise<EndpointState | undefined>
  /** The waiting deliveries, oldest first. */
  waiting(endpoint_id: string): Promise<WaitingDelivery[]>
  /** Stores progress. Returns the endpoints that this holder may no longer write. Their progress was dropped. */
  write(holder: string, progress: readonly DeliveryProgress[]): Promise<string[]>
  /** Newest event first. */
  list(endpoint_id: string, filter: DeliveryFilter, page: PageRequest): Promise<Page<Delivery>>
  find(endpoint_id: string, log_index: number): Promise<Delivery | undefined>
  /** Repeats a delivery as soon as possible, in its place in the order. False if it is unknown. */
  retry(endpoint_id: string, log_index: number, now_ms: number): Promise<boolean>
  /** Repeats the delivery of every event from `next_index` on; never skips one. False if the endpoint is unknown. */
  rewind(endpoint_id: string, next_index: number): Promise<boolean>
  disable(endpoint_id: string, reason: DisabledReason, now_ms: number): Promise<boolean>
  /** Lets a disabled endpoint continue where it stopped. Waiting deliveries are due, and their retries begin anew. */
  enable(endpoint_id: string): Promise<boolean>
  /** Forgets an endpoint and its deliveries. */
  remove(endpoint_id: string): Promise<void>
  /** Deletes settled deliveries that are older than `before_ms`, and all but each endpoint's newest `most` of them. */
  sweep(before_ms: number, most: number): Promise<void>
  close(): Promise<void>
}
