export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** Days since 1970 in UTC. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS)
}

/** Milliseconds as the API writes instants: ISO 8601 UTC with milliseconds. */
export function isoInstant(ms: number): string {
  return new Date(ms).toISOString()
}
