/** Round numbers from 0 to at least `max`, for an axis with about `wanted` lines. */
export function niceTicks(max: number, wanted = 4): number[] {
  if (!(max > 0)) return [0, 1]
  const rough = max / wanted
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

/** A number for an attribute of a picture. */
export function round(value: number): number {
  return Math.round(value * 10) / 10
}

/** What every browser can draw on: the longest side, and the whole area, in pixels. */
const CANVAS = { side: 32_767, area: 120_000_000 } as const

/** How much larger than on the screen a PNG is: twice, or as large as a browser can draw it. */
export function pngScale(width: number, height: number): number {
  const bySide = CANVAS.side / Math.max(1, width, height)
  const byArea = Math.sqrt(CANVAS.area / Math.max(1, width * height))
  return Math.min(2, bySide, byArea)
}
