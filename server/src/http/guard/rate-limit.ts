import { isIP } from 'node:net'
import { ipv6Network, withoutPort } from '../../access/addresses.ts'

/** The remaining requests of a caller, and when the window ends. */
export interface Allowance {
  readonly isAllowed: boolean
  readonly remaining: number
  readonly reset_s: number
}

const WINDOW_MS = 60_000
export const MAX_CALLERS = 10_000

/** Returns the key that an address is counted under. An IPv6 subscriber has a whole /64 network. */
export function neighbourhoodOf(forwarded: string): string {
  const address = withoutPort(forwarded)
  if (isIP(address) !== 6 || address.includes('.')) return address
  return ipv6Network(address, 4)
}

export interface RateLimiter {
  /** Counts one request. */
  count(caller: string, limit_per_minute?: number): Allowance
  /** Returns the current allowance, without counting. */
  look(caller: string): Allowance
}

/**
 * Counts requests per caller in windows of one minute. Memory is bounded: the least recently counted caller is evicted
 * first, so that many one-time callers don't hide a persistent one.
 */
export function rateLimiter(limit_per_minute: number, clock: () => number): RateLimiter {
  let window = 0
  let counts = new Map<string, number>()

  function allowance(caller: string, added: number, limit: number): Allowance {
    const now_ms = clock()
    const current = Math.floor(now_ms / WINDOW_MS)
    if (current !== window) {
      window = current
      counts = new Map()
    }
    const count = (counts.get(caller) ?? 0) + added
    if (added > 0) remember(caller, count)
    return {
      isAllowed: count <= limit,
      remaining: Math.max(0, limit - count),
      reset_s: Math.ceil(((current + 1) * WINDOW_MS - now_ms) / 1000),
    }
  }

  function remember(caller: string, count: number): void {
    counts.delete(caller)
    counts.set(caller, count)
    for (const oldest of counts.keys()) {
      if (counts.size <= MAX_CALLERS) return
      counts.delete(oldest)
    }
  }

  return {
    count: (caller, limit = limit_per_minute) => allowance(caller, 1, limit),
    look: (caller) => allowance(caller, 0, limit_per_minute - 1),
  }
}
