import { type ActiveHours, DAYS } from '@deputize/protocol'

const DAY_MINUTES = 24 * 60
const formats = new Map<string, Intl.DateTimeFormat>()

/** Whether an instant falls within the hours, by the clock and calendar of their time zone. */
export function isWithinHours({ time_zone, days, from, to }: ActiveHours, now_ms: number): boolean {
  const { day, minute } = localTime(time_zone, now_ms)
  const isActive = (on: number) => days === undefined || days.some((name) => DAYS.indexOf(name) === on)
  const start = minutesOf(from)
  const end = minutesOf(to)
  if (start < end) return isActive(day) && minute >= start && minute < end
  // Past midnight: these hours belong to the day before.
  return (isActive(day) && minute >= start) || (isActive((day + 6) % 7) && minute < end % DAY_MINUTES)
}

function minutesOf(text: string): number {
  return Number(text.slice(0, 2)) * 60 + Number(text.slice(3))
}

function localTime(time_zone: string, now_ms: number): { day: number; minute: number } {
  let format = formats.get(time_zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: time_zone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    })
    formats.set(time_zone, format)
  }
  const parts = Object.fromEntries(format.formatToParts(now_ms).map(({ type, value }) => [type, value]))
  return {
    day: (DAYS as readonly (string | undefined)[]).indexOf(parts.weekday?.toLowerCase()),
    minute: Number(parts.hour) * 60 + Number(parts.minute),
  }
}
