const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** `now`, `4 min ago`, `in 56 min`, `3 h ago`, `in 2 days`. */
export function relativeTime(time: string | number, now: number): string {
  const distance = new Date(time).getTime() - now
  const length = Math.abs(distance)
  if (length < 45_000) return 'now'
  const words = lengthWords(length)
  return distance < 0 ? `${words} ago` : `in ${words}`
}

function lengthWords(length_ms: number): string {
  if (length_ms < HOUR_MS) return `${Math.max(1, Math.round(length_ms / MINUTE_MS))} min`
  if (length_ms < 2 * DAY_MS) return `${Math.round(length_ms / HOUR_MS)} h`
  return `${Math.round(length_ms / DAY_MS)} days`
}

/** The time of day in the zone of the reader. */
export function clockTime(time: string | number, locale?: string): string {
  return new Date(time).toLocaleTimeString(locale, { timeStyle: 'medium', hourCycle: 'h23' })
}

/** Day and time in the zone of the reader. */
export function localTime(time: string | number, locale?: string): string {
  return new Date(time).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' })
}

/** The time zone of the reader, as their system names it. */
export function zoneName(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const DAY = { day: 'numeric', month: 'short' } as const

/** The time of day, with the day unless it is today. */
export function momentTime(time: string | number, now: number, locale?: string): string {
  const at = new Date(time)
  const clock = at.toLocaleTimeString(locale, CLOCK)
  const isToday = at.toDateString() === new Date(now).toDateString()
  return isToday ? clock : `${at.toLocaleDateString(locale, DAY)} ${clock}`
}

/** The label of a chart bucket: its day if buckets are days, else its time, with the day if `span_ms` exceeds a day. */
export function bucketTime(time: string | number, step_ms: number, span_ms: number, locale?: string): string {
  const at = new Date(time)
  if (step_ms >= DAY_MS) return at.toLocaleDateString(locale, DAY)
  const hasSeconds = step_ms < MINUTE_MS && span_ms < 10 * MINUTE_MS
  const clock = at.toLocaleTimeString(locale, hasSeconds ? { ...CLOCK, second: '2-digit' } : CLOCK)
  if (span_ms <= DAY_MS) return clock
  const day = span_ms <= 7 * DAY_MS ? ({ weekday: 'short' } as const) : DAY
  return `${at.toLocaleDateString(locale, day)} ${clock}`
}

/** How much of a time span is left, from 1 to 0. */
export function shareLeft(begin: string, end: string, now: number): number {
  const [from, to] = [Date.parse(begin), Date.parse(end)]
  if (to <= from) return 0
  return Math.min(1, Math.max(0, (to - now) / (to - from)))
}
