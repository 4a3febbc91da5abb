export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** Days since 1970 in UTC. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS)
}

let last_ms = 0
let last_text = '1970-01-01T00:00:00.000Z'

/** Milliseconds as the API writes instants: ISO 8601 UTC with milliseconds. All leaves of a batch have the same. */
export function isoInstant(ms: number): string {
  if (ms === last_ms) return last_text
  last_text = new Date(ms).toISOString()
  last_ms = ms
  return last_text
}
