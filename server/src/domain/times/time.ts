export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
/** A token lives at most 30 days, so an older one cannot act for anyone. */
export const MAX_LIFETIME_MS = 30 * DAY_MS

/** Returns the number of days since 1970, in UTC. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS)
}

let last_ms = 0
let last_text = '1970-01-01T00:00:00.000Z'

/**
 * Formats an instant as the API does: ISO 8601 in UTC, with milliseconds. Keeps the last text, because all leaves of a
 * batch have the same instant.
 */
export function isoInstant(ms: number): string {
  if (ms === last_ms) return last_text
  last_text = new Date(ms).toISOString()
  last_ms = ms
  return last_text
}
