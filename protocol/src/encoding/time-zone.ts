export const MAX_TIME_ZONE_LENGTH = 64

/** Whether the runtime knows the time zone. An unknown one couldn't be enforced. */
export function isTimeZone(text: string): boolean {
  return canonicalTimeZone(text) !== undefined
}

/**
 * The canonical spelling of a time zone, or undefined if the runtime doesn't know it. Names are not case-sensitive, so
 * one zone has thousands of spellings; everything that is stored or remembered by zone uses this one.
 */
export function canonicalTimeZone(text: string): string | undefined {
  if (text.length > MAX_TIME_ZONE_LENGTH) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}
