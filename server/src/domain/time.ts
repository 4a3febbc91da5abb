/** Milliseconds as the API writes instants: ISO 8601 UTC with milliseconds. */
export function isoInstant(ms: number): string {
  return new Date(ms).toISOString()
}
