const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const DAY_MS = 86_400_000

/**
 * Milliseconds since 1970 of an instant in the form that leaves use; undefined for any other text. The same on every
 * machine.
 */
export function instantMs(text: unknown): number | undefined {
  if (typeof text !== 'string' || !INSTANT.test(text)) return undefined
  const number = (from: number, to: number) => Number(text.slice(from, to))
  const days = daysSince1970(number(0, 4), number(5, 7), number(8, 10))
  return (
    days * DAY_MS + ((number(11, 13) * 60 + number(14, 16)) * 60 + number(17, 19)) * 1000 + number(20, 23)
  )
}

/** Days of the Gregorian calendar. Years begin in March here, so that the leap day is the last of a year. */
function daysSince1970(year: number, month: number, day: number): number {
  const shifted = month > 2 ? year : year - 1
  const march_based = (month + 9) % 12
  const leap_days = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400)
  return shifted * 365 + leap_days + Math.floor((march_based * 153 + 2) / 5) + day - 719_469
}
