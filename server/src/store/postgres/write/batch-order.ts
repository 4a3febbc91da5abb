/** A batch's place among those of its node. */
interface Place {
  /** Resolves when the batches before it have ended, successfully or not. */
  readonly turn: Promise<void>
  leave(): void
}

/**
 * The order of a node's batches. Each is written after the previous one has ended. At most one more may be judged while
 * one is being committed.
 */
export class BatchOrder {
  #inside = 0
  /** Whether the only batch inside is being committed. */
  #isSent = false
  #last: Promise<void> = Promise.resolve()
  #judgedAhead: Promise<void> = Promise.resolve()
  #change = Promise.withResolvers<void>()

  enter(): Place {
    const turn = this.#last
    const end = Promise.withResolvers<void>()
    this.#last = end.promise
    this.#inside += 1
    return {
      turn,
      leave: () => {
        this.#inside -= 1
        this.#isSent = false
        end.resolve()
        this.#changed()
      },
    }
  }

  /** Called when the current batch has been sent to be committed. */
  send(): void {
    this.#isSent = true
    this.#changed()
  }

  /** Called if that batch may not have been committed. Resolves when no batch is being judged as if it had been. */
  takeBack(): Promise<void> {
    this.#isSent = false
    return this.#judgedAhead
  }

  /** Whether the batch that entered last directly follows a batch that is being committed. */
  isFollowing(): boolean {
    return this.#isSent && this.#inside === 2
  }

  /** `judge` must not reject. */
  judgeAhead<T>(judge: () => Promise<T>): Promise<T> {
    const judging = judge()
    this.#judgedAhead = judging.then(() => {})
    return judging
  }

  /** Resolves when another batch may enter and be judged at once. Undefined if it already may. */
  room(): Promise<void> | undefined {
    return this.#hasRoom() ? undefined : this.#untilRoom()
  }

  async #untilRoom(): Promise<void> {
    while (!this.#hasRoom()) await this.#change.promise
  }

  #hasRoom(): boolean {
    return this.#inside === 0 || (this.#inside === 1 && this.#isSent)
  }

  #changed(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }
}
