import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Leaf } from '../log/leaf.ts'
import type { DecodedLeaf, LoggedChange } from './change.ts'
import { type EventInterest, matches } from './interest.ts'

/** How long to wait after the store couldn't be read. */
const RETRY_MS = 1_000
/** Changes that may wait for one subscriber. If there are more, it rereads them from the store when it is ready. */
const MOST_WAITING_CHANGES = 1_024

/** What a subscriber gets at once. */
export interface FeedBatch {
  /** In log order. */
  readonly changes: readonly LoggedChange[]
  /** Everything below this index has been considered. A reader that has handled the batch can resume here. */
  readonly next: number
  /** Whether a leaf arrived that the subscriber watches. Handle this before the changes. */
  readonly is_watched: boolean
}

export interface SubscribeOptions {
  /** The first index to consider. */
  readonly from: number
  readonly interest: EventInterest
  /**
   * Whether the subscriber must know about a leaf, even if it doesn't want or may not see its event. Called for each
   * leaf, not only until the first match.
   */
  readonly watches?: ((leaf: Leaf) => boolean) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface PastPage {
  readonly decoded: readonly DecodedLeaf[]
  readonly next: number
  /** Whether the log ended there. */
  readonly is_last: boolean
}

interface SubscriptionHost {
  read(from: number): Promise<PastPage>
  /** Everything below this index was handed out to the followers. */
  tail(): number
  join(subscription: FeedSubscription): boolean
  leave(subscription: FeedSubscription): void
  onTrouble(cause: unknown): void
}

/**
 * The subscription of one subscriber, which iterates over batches. Each is made on demand. Memory is bounded: a
 * subscriber that is too slow reads what it has missed from the store.
 */
export class FeedSubscription implements AsyncIterable<FeedBatch> {
  readonly interest: EventInterest
  readonly #host: SubscriptionHost
  readonly #watches: SubscribeOptions['watches']
  /** The first index that the subscriber hasn't got yet. */
  #next: number
  #waiting: LoggedChange[] = []
  #isWatched = false
  #state: 'behind' | 'caught_up' | 'following' | 'closed' = 'behind'
  #bell: PromiseWithResolvers<void> | undefined

  constructor({ from, interest, watches, signal }: SubscribeOptions, host: SubscriptionHost) {
    this.interest = interest
    this.#host = host
    this.#watches = watches
    this.#next = from
    if (signal?.aborted === true) this.#state = 'closed'
    signal?.addEventListener('abort', () => this.close(), { once: true })
  }

  /** Everything below this index was given to the subscriber, or isn't for it. */
  get next(): number {
    return this.#state === 'following' && this.#waiting.length === 0
      ? Math.max(this.#next, this.#host.tail())
      : this.#next
  }

  /** Like `next`, while the subscriber waits for something new. Undefined while a batch is on its way to it. */
  get passed(): number | undefined {
    return this.#bell === undefined ? undefined : this.next
  }

  get isClosed(): boolean {
    return this.#state === 'closed'
  }

  close(): void {
    this.#stopFollowing('closed')
    this.ring()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<FeedBatch, void> {
    try {
      for (;;) {
        const batch = await this.#nextBatch()
        if (batch === 'closed') return
        if (batch === undefined) continue
        this.#next = batch.next
        yield batch
      }
    } finally {
      this.close()
    }
  }

  /** Called by the feed with a change that may be wanted. True if the subscriber has something to do. */
  offer(change: LoggedChange): boolean {
    if (this.#state !== 'following' || change.log_index < this.#next) return false
    if (this.#waiting.at(-1) === change || !matches(this.interest.filter, change)) return false
    const { subscriber } = this.interest
    if (subscriber.role !== 'agent' && change.isSeenBy(subscriber) !== true) return false
    if (this.#waiting.length >= MOST_WAITING_CHANGES) this.#stopFollowing('behind')
    else this.#waiting.push(change)
    return true
  }

  /**
   * Called by the feed with a leaf that the subscriber may watch. True if it watches this one or an earlier one that it
   * hasn't handled.
   */
  watch(log_index: number, leaf: Leaf): boolean {
    if (log_index >= this.#next && this.#watches?.(leaf) === true) this.#isWatched = true
    return this.#isWatched
  }

  /** Wakes the subscriber if it waits. */
  ring(): void {
    this.#bell?.resolve()
    this.#bell = undefined
  }

  #stopFollowing(state: 'behind' | 'closed'): void {
    if (this.#state !== 'closed') this.#state = state
    this.#host.leave(this)
  }

  async #nextBatch(): Promise<FeedBatch | undefined | 'closed'> {
    if (this.#state === 'closed') return 'closed'
    // Waiting changes were taken in order, so they go before anything that is reread.
    if (this.#waiting.length > 0 || this.#isWatched) return this.#takeWaiting()
    if (this.#state === 'caught_up') {
      this.#state = this.#host.join(this) ? 'following' : 'behind'
      return undefined
    }
    if (this.#state === 'behind') return this.#readPast()
    this.#next = this.next
    this.#bell ??= Promise.withResolvers()
    await this.#bell.promise
    return undefined
  }

  async #takeWaiting(): Promise<FeedBatch> {
    const waiting = this.#waiting
    const is_watched = this.#isWatched
    const last = waiting.at(-1)?.log_index
    const next =
      this.#state === 'following'
        ? Math.max(this.#next, this.#host.tail())
        : last === undefined
          ? this.#next
          : last + 1
    this.#waiting = []
    this.#isWatched = false
    const { subscriber } = this.interest
    const changes = subscriber.role === 'agent' ? await wanted(waiting, this.interest) : waiting
    return { changes, next, is_watched }
  }

  async #readPast(): Promise<FeedBatch | undefined> {
    try {
      const { decoded, next, is_last } = await this.#host.read(this.#next)
      const is_watched = decoded.filter(({ leaf }) => this.#watches?.(leaf) === true).length > 0
      const changes = await wanted(changesIn(decoded), this.interest)
      if (is_last && this.#state === 'behind') this.#state = 'caught_up'
      await nextTurn()
      return { changes, next, is_watched }
    } catch (cause) {
      this.#host.onTrouble(cause)
      await sleep(RETRY_MS)
      return undefined
    }
  }
}

export function changesIn(decoded: readonly DecodedLeaf[]): LoggedChange[] {
  return decoded.flatMap(({ change }) => (change === undefined ? [] : [change]))
}

export async function wanted(
  changes: readonly LoggedChange[],
  { subscriber, filter }: EventInterest,
): Promise<LoggedChange[]> {
  const found: LoggedChange[] = []
  for (const change of changes) {
    if (!matches(filter, change)) continue
    const seen = change.isSeenBy(subscriber)
    if (seen instanceof Promise ? await seen : seen) found.push(change)
  }
  return found
}
