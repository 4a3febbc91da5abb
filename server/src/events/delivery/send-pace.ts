import { performance } from 'node:perf_hooks'

/** How long a measurement is valid. */
export const PACE_WINDOW_MS = 100
/** Above this share of its time, the HTTP thread is busy. */
const BUSY = 0.8
/** From this many new leaves per window on, it is callers that keep it busy, not the sending itself. */
const GROWING = 20
/** Attempts that may start in a window while callers keep the service busy: about 20 a second. */
const STARTS_WHILE_BUSY = 2

export interface SendPaceOptions {
  /** The share of its time that the HTTP thread was busy. */
  readonly busy: () => number
  readonly logSize: () => number
}

/**
 * Lets callers go first if the operating system doesn't: while they keep the service busy, few attempts start. The log
 * keeps the rest, which is sent later.
 */
export class SendPace {
  readonly #options: SendPaceOptions
  #size = 0
  #until = 0
  #left = Number.POSITIVE_INFINITY

  constructor(options: SendPaceOptions) {
    this.#options = options
  }

  /** Whether one more attempt may start now. */
  take(): boolean {
    if (performance.now() >= this.#until) this.#measure()
    this.#left -= 1
    return this.#left >= 0
  }

  #measure(): void {
    const size = this.#options.logSize()
    const isBusy = this.#options.busy() > BUSY && size - this.#size >= GROWING
    this.#size = size
    this.#until = performance.now() + PACE_WINDOW_MS
    this.#left = isBusy ? STARTS_WHILE_BUSY : Number.POSITIVE_INFINITY
  }
}
