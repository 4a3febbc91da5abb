/**
 * What is refused first when more arrives than can be done, last to first. What stops an agent is never refused. An
 * action that was authorized is completed before another one is authorized, because its reservation holds a budget. A
 * record tells what has happened anyway and can be sent again. Reads change nothing.
 */
export const LOAD_RANKS = ['read', 'record', 'authorize', 'complete', 'stop'] as const

export type LoadRank = (typeof LOAD_RANKS)[number]

/** The share of the longest wait from which on calls of a rank are refused. */
const SHARES: Readonly<Record<LoadRank, number>> = {
  read: 1 / 8,
  record: 1 / 4,
  authorize: 1 / 2,
  complete: 1,
  stop: Number.POSITIVE_INFINITY,
}

/** The rest of the wait is kept for callers with less than an even share of the calls under way. */
const FOR_ALL = 1 / 2

/** Waits that are over sooner were a hiccup, such as a slow sync of the disk. */
const HICCUP_MS = 100
/** Beyond this multiple of the limit, calls are refused even in a short peak: an admitted call would wait too long anyway. */
const FAR = 1.5

/** A call, as shedding sees it. */
export interface LoadedCall {
  readonly rank: LoadRank
  /** Whether its caller has less than an even share of the calls under way. */
  readonly is_modest: boolean
  /** How long it would wait for what is under way. */
  readonly expected_wait_ms: number
  /** How long calls wait unread because of others, in terms of a wait. A single slow call is no sign of load. */
  readonly unread_wait_ms: number
  /** For how long calls have been read that arrive as fast as they are read. */
  readonly endless_ms: number
}

/**
 * Decides who is refused: those whose wait would be far too long, once waits were too long for a while all beyond it, and
 * every call while the service does nothing but read calls, until it has caught up.
 */
export class Shedding {
  readonly #longest_wait_ms: number
  /** When calls with a limit would have waited for too long, first and last. */
  readonly #overlong = new Map<number, { readonly since_ms: number; last_ms: number }>()

  constructor(longest_wait_ms: number) {
    this.#longest_wait_ms = longest_wait_ms
  }

  isRefused(call: LoadedCall, now_ms: number): boolean {
    const { rank, is_modest, expected_wait_ms, unread_wait_ms, endless_ms } = call
    const limit_ms = this.#longest_wait_ms * SHARES[rank] * (is_modest ? 1 : FOR_ALL)
    if (endless_ms > limit_ms) return true
    if (Math.max(expected_wait_ms, unread_wait_ms) <= limit_ms) return false
    return this.#hasLasted(limit_ms, now_ms) || expected_wait_ms > limit_ms * FAR
  }

  /** Whether waits were beyond a limit again and again for a while. */
  #hasLasted(limit_ms: number, now_ms: number): boolean {
    const known = this.#overlong.get(limit_ms)
    if (known === undefined || now_ms - known.last_ms > HICCUP_MS) {
      this.#overlong.set(limit_ms, { since_ms: now_ms, last_ms: now_ms })
      return false
    }
    known.last_ms = now_ms
    return now_ms - known.since_ms >= HICCUP_MS
  }
}
