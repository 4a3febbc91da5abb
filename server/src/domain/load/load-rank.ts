/**
 * The ranks of calls under overload, from the first to be refused to the last. Calls that stop an agent are never
 * refused. Completing an authorized action outranks authorizing another, because its reservation holds a budget. A
 * record reports what has already happened and can be sent again. Reads change nothing.
 */
export const LOAD_RANKS = ['read', 'record', 'authorize', 'complete', 'stop'] as const

export type LoadRank = (typeof LOAD_RANKS)[number]

/** The share of the longest wait above which calls of a rank are refused. */
const SHARES: Readonly<Record<LoadRank, number>> = {
  read: 1 / 8,
  record: 1 / 4,
  authorize: 1 / 2,
  complete: 1,
  stop: Number.POSITIVE_INFINITY,
}

/**
 * The share of a limit that is open to all callers. The rest is reserved for callers with less than an even share of
 * the calls in progress.
 */
const FOR_ALL = 1 / 2

/** Waits that end sooner were a hiccup, such as a slow disk sync. */
const HICCUP_MS = 100
/** Beyond this multiple of the limit, calls are refused even in a short peak: an admitted call would wait too long anyway. */
const FAR = 1.5

/** A call as load shedding sees it. */
export interface LoadedCall {
  readonly rank: LoadRank
  /** Whether its caller has less than an even share of the calls in progress. */
  readonly is_modest: boolean
  /** How long it would wait for the work in progress. */
  readonly expected_wait_ms: number
  /**
   * How long calls wait unread because of others, scaled like `expected_wait_ms`. One slow call isn't a sign of load.
   */
  readonly unread_wait_ms: number
  /** How long calls have been arriving as fast as they are read. */
  readonly endless_ms: number
}

/**
 * Decides which calls are refused: those whose wait would be far too long, all beyond a limit once waits have exceeded
 * it for a while, and, if the service has only been reading calls for longer than the limit, every call except one that
 * stops an agent, until it has caught up.
 */
export class Shedding {
  readonly #longest_wait_ms: number
  /** When waits began to exceed a limit, and when they last did, by limit. */
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

  /** Whether waits have kept exceeding a limit for a while. */
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
