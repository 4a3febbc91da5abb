/** Returns the wall-clock time of a zone: its fields as if they were UTC, in milliseconds. */
export function wallTime(time_zone: string, at_ms: number): number {
  return at_ms + offsetAt(time_zone, at_ms)
}

/** Returns how far the wall clock of a zone is ahead of UTC at an instant, in milliseconds. */
export function offsetAt(time_zone: string, at_ms: number): number {
  const second_ms = Math.floor(at_ms / 1000) * 1000
  const parts = formatOf(time_zone).formatToParts(second_ms)
  const field = (name: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find(({ type }) => type === name)?.value ?? 0)
  const wall = Date.UTC(
    field('year'),
    field('month') - 1,
    field('day'),
    field('hour'),
    field('minute'),
    field('second'),
  )
  return wall - second_ms
}

/**
 * Returns the first instant at which the wall clock of a zone shows `wall_ms` or later. If clocks go back, it is the
 * first of the two; if they skip `wall_ms`, it is the instant of the change.
 */
export function instantAt(time_zone: string, wall_ms: number): number {
  const before = offsetAt(time_zone, wall_ms - DAY)
  const after = offsetAt(time_zone, wall_ms + DAY)
  const early = wall_ms - before
  if (before === after || offsetAt(time_zone, early) === before) return early
  const late = wall_ms - after
  if (late >= early || offsetAt(time_zone, late) === after) return late
  return changeBetween(time_zone, late, early, after)
}

/** Returns the first instant after `from_ms`, at most `to_ms`, with `offset`, which the zone has at `to_ms`. */
export function changeBetween(time_zone: string, from_ms: number, to_ms: number, offset: number): number {
  let before = from_ms
  let at = to_ms
  while (at - before > 1) {
    const middle = Math.floor((before + at) / 2)
    if (offsetAt(time_zone, middle) === offset) at = middle
    else before = middle
  }
  return at
}

const DAY = 24 * 60 * 60_000

/** A formatter takes tens of kilobytes. Few zones are in use, but every token can name another. */
const MAX_FORMATS = 64
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(time_zone: string): Intl.DateTimeFormat {
  const known = formats.get(time_zone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: time_zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  })
  // Maps keep insertion order, so this removes the oldest entry.
  if (formats.size >= MAX_FORMATS) formats.delete(formats.keys().next().value ?? '')
  formats.set(time_zone, format)
  return format
}

/** Returns how many formatters are cached, for the test that the number stays bounded. */
export function keptFormats(): number {
  return formats.size
}
