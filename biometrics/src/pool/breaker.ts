/** Consecutive failures, without any step analysed in between, after which no more processes are started. */
const FAILURES = 6
/** A pack that can't be loaded always fails, and slowly. */
const FAILURES_TO_START = 2
const OPEN_MS = 30_000

/**
 * Stops crash loops. A single caller can't open it with media that crashes the process: at least two callers must be
 * affected, unless processes don't even start.
 */
export class Breaker {
  #failures = 0
  readonly #callers = new Set<string>()
  #failuresToStart = 0
  #openUntilMs = 0

  succeeded(): void {
    this.#failures = 0
    this.#callers.clear()
    this.#failuresToStart = 0
  }

  crashed(caller: string, now_ms: number): void {
    this.#callers.add(caller)
    this.#failed(now_ms)
  }

  failedToStart(now_ms: number): void {
    this.#failuresToStart += 1
    this.#failed(now_ms)
  }

  /** Milliseconds until processes are started again. 0 while the breaker is closed. */
  waitMs(now_ms: number): number {
    return Math.max(0, this.#openUntilMs - now_ms)
  }

  #failed(now_ms: number): void {
    this.#failures += 1
    const isLoop = this.#failures >= FAILURES && this.#callers.size > 1
    if (!isLoop && this.#failuresToStart < FAILURES_TO_START) return
    this.succeeded()
    this.#openUntilMs = now_ms + OPEN_MS
  }
}
