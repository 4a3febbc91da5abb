import { labelledTimes, niceTicks, round, thinned } from './scales.ts'

interface BarsInput {
  /** Where each bucket begins, in ms. */
  readonly starts: readonly number[]
  /** For each bucket, the count of each series, from the bottom. */
  readonly values: readonly (readonly number[])[]
  readonly width: number
  readonly height: number
}

interface BarPart {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly series: number
  readonly bucket: number
}

export interface BarsLayout {
  readonly parts: readonly BarPart[]
  readonly y_ticks: readonly { readonly y: number; readonly value: number }[]
  readonly x_ticks: readonly { readonly x: number; readonly start: number }[]
  readonly left: number
}

export const CHART_MARGIN = { left: 44, right: 8, top: 8, bottom: 20 } as const
const WIDEST_BAR = 36
const X_LABEL_WIDTH = 76

/** The position of each part of each bar. Parts of a bar touch and add up to its height. */
export function stackedBars({ starts, values, width, height }: BarsInput): BarsLayout {
  const { left, right, top, bottom } = CHART_MARGIN
  const inner = Math.max(1, width - left - right)
  const base = height - bottom
  const highestBar = Math.max(0, ...values.map((parts) => parts.reduce((sum, one) => sum + one, 0)))
  const ticks = niceTicks(highestBar, 1)
  const highest = ticks.at(-1) ?? 1
  const slot = inner / Math.max(1, starts.length)
  const bar = Math.max(1, Math.min(WIDEST_BAR, slot * 0.72))
  const yOf = (value: number) => base - (value / highest) * (base - top)
  const xOf = (bucket: number) => left + bucket * slot + (slot - bar) / 2
  const parts = values.flatMap((stack, bucket) => {
    let below = 0
    return stack.flatMap((value, series) => {
      const from = below
      below += value
      if (value <= 0) return []
      const y = yOf(below)
      return [
        {
          x: round(xOf(bucket)),
          y: round(y),
          width: round(bar),
          height: round(yOf(from) - y),
          series,
          bucket,
        },
      ]
    })
  })
  return {
    parts,
    y_ticks: ticks.map((value) => ({ value, y: round(yOf(value)) })),
    x_ticks: labelledStarts(starts, Math.floor(inner / X_LABEL_WIDTH)).map((start) => ({
      start,
      x: round(left + (starts.indexOf(start) + 0.5) * slot),
    })),
    left,
  }
}

/** A label needs a bar that begins at its time. */
function labelledStarts(starts: readonly number[], wanted: number): readonly number[] {
  const named = new Set(labelledTimes(starts, wanted))
  const found = starts.filter((start) => named.has(start))
  return found.length < 2 ? thinned(starts, wanted) : found
}

/** Every bucket between two times, including those without activity. */
export function bucketStarts(from: number, to: number, step: number): number[] {
  const length = Math.max(0, Math.ceil((to - from) / step))
  return Array.from({ length }, (_, index) => from + index * step)
}
