/**
 * What is refused first when more arrives than can be done, last to first. What stops an agent is never refused. An
 * action that was authorized is completed before another one is authorized, because its reservation holds a budget. A
 * record tells what has happened anyway and can be sent again. Reads change nothing.
 */
export const LOAD_RANKS = ['read', 'record', 'authorize', 'complete', 'stop'] as const

export type LoadRank = (typeof LOAD_RANKS)[number]

/** The share of the longest wait from which on calls of a rank are refused. */
const SHARES: Readonly<Record<LoadRank, number>> = {
  read: 1 / 16,
  record: 1 / 8,
  authorize: 1 / 4,
  complete: 1,
  stop: Number.POSITIVE_INFINITY,
}

/** Waits that are over sooner were a hiccup, such as a slow sync of the disk. */
const HICCUP_MS = 100

/** Decides who is refused: nobody before waits were too long again and again for a while. */
export class Shedding {
  readonly #longest_wait_ms: number
  /** When calls of a rank would have waited for too long, first and last. */
  readonly #overlong: Partial<Record<LoadRank, { readonly since_ms: number; last_ms: number }>> = {}

  constructor(longest_wait_ms: number) {
    this.#longest_wait_ms = longest_wait_ms
  }

  isRefused(rank: LoadRank, expected_wait_ms: number, now_ms: number): boolean {
    if (expected_wait_ms <= this.#longest_wait_ms * SHARES[rank]) return false
    const known = this.#overlong[rank]
    if (known === undefined || now_ms - known.last_ms > HICCUP_MS) {
      this.#overlong[rank] = { since_ms: now_ms, last_ms: now_ms }
      return false
    }
    known.last_ms = now_ms
    return now_ms - known.since_ms >= HICCUP_MS
  }
}
