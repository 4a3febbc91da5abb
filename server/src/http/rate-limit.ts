/** What a caller may still do, and when the count begins anew. */
export interface Allowance {
  readonly isAllowed: boolean
  readonly remaining: number
  readonly reset_s: number
}

const WINDOW_MS = 60_000
const MAX_CALLERS = 10_000

export interface RateLimiter {
  /** Counts one more. */
  count(caller: string, limit_per_minute?: number): Allowance
  /** How it stands, without counting. */
  look(caller: string): Allowance
}

/** Counts for each caller in windows of a minute. Never remembers more callers than it can hold. */
export function rateLimiter(limit_per_minute: number, clock: () => number): RateLimiter {
  let window = 0
  let counts = new Map<string, number>()

  function allowance(caller: string, added: number, limit: number): Allowance {
    const now_ms = clock()
    const current = Math.floor(now_ms / WINDOW_MS)
    if (current !== window || counts.size >= MAX_CALLERS) {
      window = current
      counts = new Map()
    }
    const count = (counts.get(caller) ?? 0) + added
    if (added > 0) counts.set(caller, count)
    return {
      isAllowed: count <= limit,
      remaining: Math.max(0, limit - count),
      reset_s: Math.ceil(((current + 1) * WINDOW_MS - now_ms) / 1000),
    }
  }

  return {
    count: (caller, limit = limit_per_minute) => allowance(caller, 1, limit),
    look: (caller) => allowance(caller, 0, limit_per_minute - 1),
  }
}
