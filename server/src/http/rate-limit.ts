import { isIP } from 'node:net'

/** What a caller may still do, and when the count begins anew. */
export interface Allowance {
  readonly isAllowed: boolean
  readonly remaining: number
  readonly reset_s: number
}

const WINDOW_MS = 60_000
export const MAX_CALLERS = 10_000

/** Whom an address stands for: with IPv6 everybody has a whole network of 64 bits to themselves. */
export function neighbourhoodOf(address: string): string {
  if (isIP(address) !== 6 || address.includes('.')) return address
  const [head = '', tail] = address.toLowerCase().split('%')[0]?.split('::') ?? []
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  const groups = [...before, ...zeros, ...after].slice(0, 4).map((group) => Number.parseInt(group, 16))
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`
}

export interface RateLimiter {
  /** Counts one more. */
  count(caller: string, limit_per_minute?: number): Allowance
  /** How it stands, without counting. */
  look(caller: string): Allowance
}

/**
 * Counts for each caller in windows of a minute. Never remembers more callers than it can hold: whoever was not counted for
 * the longest time is forgotten first, so that a crowd of passers-by hides nobody who goes on.
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
