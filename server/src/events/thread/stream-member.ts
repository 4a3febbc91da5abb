import type { Leaf } from '../../log/leaf.ts'
import { mayEnd } from './credential-watch.ts'
import type { StreamOrder } from './messages.ts'

/** One open stream. */
export class StreamMember {
  readonly stream_id: number
  readonly order: StreamOrder
  /** Everything below this index was sent to the client, or isn't for it. */
  next: number
  /** Whether it reads events itself that the group no longer keeps. */
  is_behind = false
  is_closed = false
  /** Whether the client has taken what was sent last. */
  is_free = true
  #freed: PromiseWithResolvers<void> | undefined
  /**
   * Counts of leaves that may have ended its credential: those that arrived, those asked about, and those found
   * harmless.
   */
  #doubts = 0
  #asked = 0
  #verified = 0

  constructor(stream_id: number, order: StreamOrder) {
    this.stream_id = stream_id
    this.order = order
    this.next = order.from
    if (order.watch !== undefined) this.#doubts = 1 // a leaf may have ended it since the call was authenticated
  }

  /** Whether its credential must be verified before anything more is sent. */
  get is_doubtful(): boolean {
    return this.#doubts > this.#verified
  }

  /** Whether something may be sent now. */
  get is_ready(): boolean {
    return this.is_free && !this.is_doubtful && !this.is_closed
  }

  /** Whether a leaf may have ended its credential. */
  watch(leaf: Leaf): boolean {
    if (this.order.watch === undefined || !mayEnd(this.order.watch, leaf)) return false
    this.#doubts += 1
    return true
  }

  /** The doubt to ask about, once. */
  takeDoubt(): number | undefined {
    if (this.#asked === this.#doubts) return undefined
    this.#asked = this.#doubts
    return this.#doubts
  }

  /** The credential was valid after this doubt. Newer ones remain. */
  verified(doubt: number): void {
    this.#verified = Math.max(this.#verified, doubt)
  }

  /** Resolves when something may be sent, or the stream has ended. */
  async ready(): Promise<void> {
    while (!this.is_ready && !this.is_closed) {
      this.#freed ??= Promise.withResolvers()
      await this.#freed.promise
    }
  }

  /** Called when its state has changed. */
  ring(): void {
    this.#freed?.resolve()
    this.#freed = undefined
  }
}
