import type { ActiveHours } from '@deputize/protocol'
import { isWithinHours } from './active-hours.ts'
import { instantAt, wallTime } from './local-time.ts'
import { DAY_MS, MINUTE_MS } from './time.ts'

/** Hours in which a person wants no messages, by the clock of their time zone. */
export type QuietHours = ActiveHours

/** Returns when the current quiet hours end, or undefined outside of quiet hours. */
export function quietUntil(quiet: QuietHours | undefined, now_ms: number): number | undefined {
  if (quiet === undefined || !isWithinHours(quiet, now_ms)) return undefined
  const { time_zone, to } = quiet
  const wall_ms = wallTime(time_zone, now_ms)
  const midnight_ms = wall_ms - (wall_ms % DAY_MS)
  const end_ms = midnight_ms + (Number(to.slice(0, 2)) * 60 + Number(to.slice(3))) * MINUTE_MS
  return instantAt(time_zone, end_ms > wall_ms ? end_ms : end_ms + DAY_MS)
}

/** Quiet hours follow each other for a week at most: after that, they never end. */
const LONGEST_MS = 7 * DAY_MS

/** Returns when quiet hours that follow each other without a gap end, such as a whole weekend. `now_ms` outside of them. */
export function quietRunEnd(quiet: QuietHours | undefined, now_ms: number): number {
  let end_ms = now_ms
  for (let next = quietUntil(quiet, now_ms); next !== undefined; next = quietUntil(quiet, end_ms)) {
    end_ms = next
    if (end_ms - now_ms > LONGEST_MS) break
  }
  return end_ms
}
