import { setTimeout as sleep } from 'node:timers/promises'
import type { Leaf } from '../../log/leaf.ts'
import { eventFrame } from '../event-text.ts'
import type { EventFeed } from '../feed.ts'
import type { FeedBatch, FeedSubscription } from '../feed-subscription.ts'
import type { StreamOrder } from './messages.ts'
import type { StreamMember } from './stream-member.ts'

/** Characters that are sent to a stream at once, so that little waits for a slow client. */
export const PIECE_LENGTH = 256 * 1024
/** Events that are kept for clients that are a little slower than others. Older ones are reread from the log. */
const MOST_KEPT = 8_192
/** How long to wait after the store couldn't be read. */
const RETRY_MS = 1_000

interface Frame {
  readonly log_index: number
  readonly text: string
  /** When it was made, by the steady clock. */
  readonly at_ms: number
}

/** Text for one stream, and where the next one begins. */
export interface NextText {
  readonly text: string
  readonly next: number
}

export interface StreamGroupOptions {
  readonly feed: EventFeed
  /** What the first member wants. All others want the same, possibly from another index on. */
  readonly order: StreamOrder
  readonly onEvents: () => void
  readonly onTrouble: (cause: unknown, what: string) => void
}

/**
 * Streams that want the same events in the same form. The events are read, filtered and encoded once for all of them.
 */
export class StreamGroup {
  readonly members = new Set<StreamMember>()
  readonly #options: StreamGroupOptions
  #subscription: FeedSubscription
  #isClosed = false
  #frames: Frame[] = []
  /** Every event of the group from this index on that has been read is kept. */
  #start: number
  /** Everything below this index has been read. */
  #end: number

  /** Follows from the end of the log on. Members that want older events read them themselves. */
  constructor(options: StreamGroupOptions) {
    this.#options = options
    this.#start = options.order.log_size
    this.#end = this.#start
    this.#subscription = this.#subscribe()
    void this.#follow()
  }

  get start(): number {
    return this.#start
  }

  /** The time of the oldest event that some stream hasn't got yet. Undefined if every stream has every event. */
  get oldest_ms(): number | undefined {
    return this.#frames[0]?.at_ms
  }

  /** How far a member has got. One that has got everything is as far as the group. */
  nextOf({ next }: StreamMember): number {
    const isUpToDate = (this.#frames.at(-1)?.log_index ?? -1) < next
    return isUpToDate ? Math.max(next, this.#end, this.#subscription.passed ?? 0) : next
  }

  /** The next text for a member; undefined if there is none. The member must not be behind. */
  textFrom(next: number): NextText | undefined {
    let text = ''
    const first = this.#frames.findIndex(({ log_index }) => log_index >= next)
    if (first === -1) return undefined
    for (let at = first; at < this.#frames.length; at += 1) {
      const frame = this.#frames[at]
      if (frame === undefined) break
      text += frame.text
      if (text.length >= PIECE_LENGTH && at + 1 < this.#frames.length)
        return { text, next: frame.log_index + 1 }
    }
    return { text, next: this.#end }
  }

  /** Forgets events that every member has got, and the oldest ones if there are too many. */
  trim(): void {
    let least = Number.POSITIVE_INFINITY
    for (const { is_behind, next } of this.members) if (!is_behind) least = Math.min(least, next)
    const kept = this.#frames.findIndex(({ log_index }) => log_index >= least)
    const got = kept === -1 ? this.#frames.length : kept
    this.#forget(Math.max(got, this.#frames.length - MOST_KEPT))
  }

  close(): void {
    this.#isClosed = true
    this.#subscription.close()
  }

  #subscribe(): FeedSubscription {
    const { feed, order } = this.#options
    return feed.subscribe({
      from: this.#end,
      interest: order.interest,
      watches: (leaf) => this.#watch(leaf),
    })
  }

  /** Follows the feed. After a failure, resumes where the last batch ended. Never rejects. */
  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      try {
        for await (const batch of this.#subscription) await this.#take(batch)
        return
      } catch (cause) {
        this.#options.onTrouble(cause, 'events could not be read')
        await sleep(RETRY_MS)
        if (!this.#isClosed) this.#subscription = this.#subscribe()
      }
    }
  }

  async #take({ changes, next }: FeedBatch): Promise<void> {
    const { format, source } = this.#options.order
    const frames: Frame[] = []
    for (const change of changes) {
      const frame = eventFrame(change, format, source)
      const text = typeof frame === 'string' ? frame : await frame
      frames.push({ log_index: change.log_index, text, at_ms: performance.now() })
    }
    this.#frames.push(...frames)
    this.#end = next
    this.trim()
    this.#options.onEvents()
  }

  #forget(count: number): void {
    const last = this.#frames[count - 1]
    if (last === undefined) return
    this.#start = last.log_index + 1
    this.#frames = this.#frames.slice(count)
  }

  #watch(leaf: Leaf): boolean {
    let isWatched = false
    for (const member of this.members) isWatched = member.watch(leaf) || isWatched
    return isWatched
  }
}
