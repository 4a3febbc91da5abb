const INSTANT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{3})Z$/
const DAY_MS = 86_400_000

/** Milliseconds since 1970 of an instant as leaves write it; undefined for any other text. The same on every machine. */
export function instantMs(text: unknown): number | undefined {
  const parts = typeof text === 'string' ? INSTANT.exec(text)?.slice(1).map(Number) : undefined
  if (parts === undefined) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, ms = 0] = parts
  return daysSince1970(year, month, day) * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000 + ms
}

/** Days of the Gregorian calendar. Years begin in March here, so that the leap day is the last of a year. */
function daysSince1970(year: number, month: number, day: number): number {
  const shifted = month > 2 ? year : year - 1
  const march_based = (month + 9) % 12
  const leap_days = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400)
  return shifted * 365 + leap_days + Math.floor((march_based * 153 + 2) / 5) + day - 719_469
}
