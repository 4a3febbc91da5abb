/** An axis has about this many lines. */
const WANTED_TICKS = 4

/** Round numbers from 0 to at least `max`, for an axis. They differ by at least `least_step`: 1 for what is counted. */
export function niceTicks(max: number, least_step = 0): number[] {
  if (!(max > 0)) return [0, 1]
  const rough = Math.max(max / WANTED_TICKS, least_step)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? power * 10
  const steps = Math.ceil(max / step - 1e-9)
  return Array.from({ length: steps + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}

/** At most `wanted` of these, evenly spread, the first included. */
export function thinned<T>(all: readonly T[], wanted: number): T[] {
  const every = Math.max(1, Math.ceil(all.length / Math.max(1, wanted)))
  return all.filter((_, index) => index % every === 0)
}

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Steps between round times of a clock. */
const CLOCK_STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 4, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 4, 7].map((days) => days * DAY_MS),
]

/**
 * The times that an axis labels, at most `wanted`: round times of the reader's clock, or some of the given times if
 * these are days or span fewer than two round times.
 */
export function labelledTimes(times: readonly number[], wanted: number): readonly number[] {
  const [first = 0, second = first] = times
  const round = second - first >= DAY_MS ? [] : roundTimes(first, times.at(-1) ?? first, wanted)
  return round.length < 2 ? thinned(times, wanted) : round
}

function roundTimes(from: number, to: number, wanted: number): number[] {
  const step = CLOCK_STEPS_MS.find((one) => (to - from) / one < wanted)
  if (step === undefined) return []
  const midnight = new Date(from).setHours(0, 0, 0, 0)
  const first = midnight + Math.ceil((from - midnight) / step) * step
  const length = Math.max(0, Math.floor((to - first) / step) + 1)
  return Array.from({ length }, (_, index) => first + index * step)
}

/** Rounds a number for an attribute of a picture. */
export function round(value: number): number {
  return Math.round(value * 10) / 10
}

/** The largest canvas that every browser supports: the longest side and the area, in pixels. */
const CANVAS = { side: 32_767, area: 120_000_000 } as const

/** The scale of a PNG relative to the screen: 2, or less if browsers couldn't draw it. */
export function pngScale(width: number, height: number): number {
  const bySide = CANVAS.side / Math.max(1, width, height)
  const byArea = Math.sqrt(CANVAS.area / Math.max(1, width * height))
  return Math.min(2, bySide, byArea)
}
