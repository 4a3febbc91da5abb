import type { StoredCheckpoint } from '../store/port/log-reader.ts'

const MAX_WAIT_MS = 10_000

/** The newest published checkpoint, and the callers waiting for one that covers their leaf. */
export class PublishedCheckpoint {
  readonly #waiting = new Set<{ readonly size: number; resolve(): void }>()
  #current: StoredCheckpoint | undefined
  #grown_ms = Number.NEGATIVE_INFINITY

  constructor(current: StoredCheckpoint | undefined) {
    this.#current = current
  }

  get current(): StoredCheckpoint | undefined {
    return this.#current
  }

  /**
   * How long ago the published size last changed, by a monotonic clock: the time of day may stand still or step back.
   */
  get unchanged_ms(): number {
    return performance.now() - this.#grown_ms
  }

  replace(checkpoint: StoredCheckpoint): void {
    if (checkpoint.size !== this.#current?.size) this.#grown_ms = performance.now()
    this.#current = checkpoint
    for (const caller of this.#waiting) if (caller.size <= checkpoint.size) caller.resolve()
  }

  /** Returns the current checkpoint if it covers `size` leaves. */
  at(size: number): StoredCheckpoint | undefined {
    return this.#current !== undefined && this.#current.size >= size ? this.#current : undefined
  }

  /** Like `at`, but waits for one. Undefined after the longest wait. */
  async covering(size: number): Promise<StoredCheckpoint | undefined> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const caller = { size, resolve }
    this.#waiting.add(caller)
    const timer = setTimeout(resolve, MAX_WAIT_MS)
    await promise
    clearTimeout(timer)
    this.#waiting.delete(caller)
    return this.at(size)
  }
}
