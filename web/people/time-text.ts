const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** `exact`: the day and the time. `ago`: how long ago. `until`: the time, and how long until then. */
export function timeText(at_ms: number, shown: string, now_ms: number, locale?: string): string {
  if (shown === 'ago') return agoText(now_ms - at_ms)
  const exact = exactText(at_ms, locale)
  if (shown !== 'until') return exact
  const isToday = new Date(at_ms).toDateString() === new Date(now_ms).toDateString()
  const clock = isToday ? new Date(at_ms).toLocaleTimeString(locale, { timeStyle: 'short' }) : exact
  return at_ms <= now_ms ? `${clock}, which has passed` : `${clock}, in ${lengthText(at_ms - now_ms)}`
}

function agoText(length_ms: number): string {
  return length_ms < 45_000 ? 'now' : `${lengthText(length_ms)} ago`
}

/** A number and its unit stay on one line. */
function lengthText(length_ms: number): string {
  if (length_ms < HOUR_MS) return `${Math.max(1, Math.round(length_ms / MINUTE_MS))}\u00a0min`
  if (length_ms < 2 * DAY_MS) return `${Math.round(length_ms / HOUR_MS)}\u00a0h`
  return `${Math.round(length_ms / DAY_MS)}\u00a0days`
}

export function exactText(at_ms: number, locale?: string): string {
  return new Date(at_ms).toLocaleString(locale, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  })
}
