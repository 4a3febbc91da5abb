const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** The pause after each failed attempt. */
export const RETRY_AFTER_MS: readonly number[] = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  8 * HOUR_MS,
  24 * HOUR_MS,
]

/** An endpoint that accepts nothing for this long is disabled. */
export const FAILING_LIMIT_MS = 3 * 24 * HOUR_MS
/**
 * But not before it has failed for this long since this node began to send. The service itself may have been down, and
 * its receivers with it.
 */
export const TRIED_AT_LEAST_MS = HOUR_MS

/** The longest time by which a receiver can postpone the next attempt. */
const LONGEST_PAUSE_MS = 24 * HOUR_MS
/** Pauses vary by up to a tenth, so that endpoints that failed together aren't retried together. */
const JITTER = 0.1

export interface Pause {
  /** How many attempts have failed. */
  readonly attempts: number
  /** What the receiver asked for. */
  readonly after_ms?: number | undefined
  /** From 0 to 1. */
  readonly random: number
}

/** How long to wait after a failed attempt. Past the end of the schedule, its last pause repeats. */
export function pauseAfterFailure({ attempts, after_ms = 0, random }: Pause): number {
  const planned = RETRY_AFTER_MS[Math.min(attempts, RETRY_AFTER_MS.length) - 1] ?? 0
  const pause = Math.min(Math.max(planned, after_ms), LONGEST_PAUSE_MS)
  return Math.round(pause * (1 + JITTER * random))
}

/** Whether the schedule has no further attempt. */
export function isLastAttempt(attempts: number): boolean {
  return attempts > RETRY_AFTER_MS.length
}

/** The value of a `Retry-After` header: seconds or a date. Undefined for anything else. */
export function retryAfterMs(header: string | null | undefined, now_ms: number): number | undefined {
  if (header === null || header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND_MS
  const at_ms = Date.parse(header)
  return Number.isNaN(at_ms) ? undefined : Math.max(0, at_ms - now_ms)
}
