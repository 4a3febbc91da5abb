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
