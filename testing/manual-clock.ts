/** A clock that stands still until a test advances it. */
export interface ManualClock {
  (): number
  advance(ms: number): void
}

export function manualClock(start = Date.parse('2027-01-01T00:00:00Z')): ManualClock {
  let now_ms = start
  return Object.assign(() => now_ms, {
    advance(ms: number) {
      now_ms += ms
    },
  })
}
