import { type ActiveHours, DAYS } from '@deputize/protocol'
import { wallTime } from './local-time.ts'
import { DAY_MS, MINUTE_MS } from './time.ts'

const DAY_MINUTES = DAY_MS / MINUTE_MS
/** 1 January 1970 was a Thursday. */
const FIRST_DAY = DAYS.indexOf('thu')

/** Whether an instant falls within the hours, by the clock and calendar of their time zone. */
export function isWithinHours({ time_zone, days, from, to }: ActiveHours, now_ms: number): boolean {
  const wall = wallTime(time_zone, now_ms)
  const day = (Math.floor(wall / DAY_MS) + FIRST_DAY) % 7
  const minute = Math.floor((wall % DAY_MS) / MINUTE_MS)
  const isActive = (on: number) => days === undefined || days.some((name) => DAYS.indexOf(name) === on)
  const start = minutesOf(from)
  const end = minutesOf(to)
  if (start < end) return isActive(day) && minute >= start && minute < end
  // Hours past midnight belong to the day before.
  return (isActive(day) && minute >= start) || (isActive((day + 6) % 7) && minute < end % DAY_MINUTES)
}

/**
 * Whether hours begin and end at the same time of day, which could mean all day or never. New tokens cannot have such
 * hours. Tokens issued before this rule keep the meaning they were issued with: from that minute to the same minute of
 * the next day.
 */
export function haveEqualEnds({ from, to }: Pick<ActiveHours, 'from' | 'to'>): boolean {
  return from !== '00:00' || to !== '24:00'
    ? minutesOf(from) % DAY_MINUTES === minutesOf(to) % DAY_MINUTES
    : false
}

function minutesOf(text: string): number {
  return Number(text.slice(0, 2)) * 60 + Number(text.slice(3))
}
