import type { LoggedChange } from '../change.ts'
import type { EventFeed } from '../feed.ts'
import type { FeedSubscription } from '../feed-subscription.ts'
import type { KnownEndpoint } from './endpoint-directory.ts'
import type { EndpointQueue, QueuedEvent } from './endpoint-queue.ts'

/**
 * Follows the feed for one endpoint, with its document's interest, and fills its queue while that has room. A change
 * that no endpoint wants costs them nothing.
 */
export class EndpointReader {
  readonly known: KnownEndpoint
  readonly #queue: EndpointQueue<LoggedChange>
  readonly #subscription: FeedSubscription
  readonly #onEvents: () => void
  #bell: PromiseWithResolvers<void> | undefined

  constructor(
    feed: EventFeed,
    known: KnownEndpoint,
    queue: EndpointQueue<LoggedChange>,
    onEvents: () => void,
  ) {
    this.known = known
    this.#queue = queue
    this.#onEvents = onEvents
    const { interest } = known.endpoint
    this.#subscription = feed.subscribe({ from: queue.read_index, interest })
    void this.#follow()
  }

  /** Tells the queue how far the log was read, even if it contained nothing for the endpoint. */
  passOn(): void {
    const { passed } = this.#subscription
    if (passed !== undefined) this.#queue.pass(passed)
  }

  /** Called when the queue may have room again. */
  wake(): void {
    if (this.#bell === undefined || this.#queue.room === 0) return
    this.#bell.resolve()
    this.#bell = undefined
  }

  close(): void {
    this.#subscription.close()
    this.#bell?.resolve()
  }

  async #follow(): Promise<void> {
    for await (const { changes, next } of this.#subscription) {
      if (this.#subscription.isClosed) return
      this.#queue.offer(this.#wanted(changes), next)
      if (changes.length > 0) this.#onEvents()
      if (this.#queue.room > 0) continue
      this.#bell = Promise.withResolvers()
      await this.#bell.promise
    }
  }

  #wanted(changes: readonly LoggedChange[]): QueuedEvent<LoggedChange>[] {
    const { wants, laneOf } = this.known.endpoint
    return changes
      .filter((change) => wants === undefined || wants(change))
      .map((change) => ({
        log_index: change.log_index,
        lane: laneOf?.(change) ?? laneOfChange(change),
        event: change,
      }))
  }
}

/** The workflow of an event. An event without a workflow is its own lane. */
function laneOfChange({ audience, log_index }: LoggedChange): string {
  return audience.provenance_ref ?? `evt_${log_index}`
}
