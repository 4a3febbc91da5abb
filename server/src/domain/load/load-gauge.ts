/** The rate of work is measured over windows of this length. Only time with enough work counts. */
const WINDOW_MS = 100
/** The weight of the newest window in the estimate, which follows a change within about half a second. */
const NEWEST = 0.3
/**
 * Up to this many calls in progress aren't a sign of load, however slow the machine is: they may all wait for the same
 * disk sync, and a fleet of agents that starts at once isn't refused.
 */
const FEW = 256
/** Measuring continues until at most this many calls are left, because calls that share a commit end together. */
const NEARLY_NONE = FEW / 4

/**
 * Estimates how long new work waits: the work in progress, divided by the recent rate. Only the time from when more
 * than a few calls are in progress until nearly all are done counts: the rate of a quiet service says nothing about
 * what it could do.
 */
export class LoadGauge {
  #under_way = 0
  #rate_per_ms = 0
  #busy_ms = 0
  #done = 0
  #seen_ms = 0
  #isMeasured = false

  /** Whether more than a few calls are in progress. */
  get isBusy(): boolean {
    return this.#under_way > FEW
  }

  begin(weight: number, now_ms: number): void {
    this.#advance(now_ms)
    this.#under_way += weight
    if (this.isBusy) this.#isMeasured = true
  }

  end(weight: number, now_ms: number): void {
    if (this.#isMeasured) this.#done += weight
    this.#advance(now_ms)
    this.#under_way -= weight
    if (this.#under_way <= NEARLY_NONE) this.#isMeasured = false
  }

  /** Returns 0 while few calls are in progress, and until the first measurement. */
  expectedWaitMs(now_ms: number): number {
    this.#advance(now_ms)
    if (!this.isBusy || this.#rate_per_ms === 0) return 0
    return this.#under_way / this.#rate_per_ms
  }

  #advance(now_ms: number): void {
    if (this.#isMeasured) this.#busy_ms += Math.max(0, now_ms - this.#seen_ms)
    this.#seen_ms = now_ms
    if (this.#busy_ms < WINDOW_MS) return
    const rate = this.#done / this.#busy_ms
    const share = 1 - (1 - NEWEST) ** (this.#busy_ms / WINDOW_MS) // a long stall counts as several windows
    this.#rate_per_ms += (rate - this.#rate_per_ms) * (this.#rate_per_ms === 0 ? 1 : share)
    this.#busy_ms = 0
    this.#done = 0
  }
}
