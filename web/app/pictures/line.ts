import { labelledTimes, niceTicks, round } from './scales.ts'
import { CHART_MARGIN } from './stacked-bars.ts'

export interface LinePoint {
  readonly x: number
  readonly y: number
  /** The confidence interval of the value, drawn as a band around the line. */
  readonly interval?: { readonly low: number; readonly high: number }
}

interface LineInput {
  readonly points: readonly LinePoint[]
  readonly width: number
  readonly height: number
  /** The top of the axis. By default a round number above the highest value. */
  readonly y_max?: number
  /** Values hold until the next point, as counters do. */
  readonly isStepped?: boolean
}

export interface LineLayout {
  readonly line: string
  readonly area: string
  /** Empty if the points have no intervals. */
  readonly band: string
  readonly dots: readonly { readonly x: number; readonly y: number }[]
  readonly y_ticks: readonly { readonly y: number; readonly value: number }[]
  readonly x_ticks: readonly { readonly x: number; readonly at: number }[]
  readonly left: number
  /** Returns the position of another point in the same picture. */
  readonly at: (point: Pick<LinePoint, 'x' | 'y'>) => Pick<LinePoint, 'x' | 'y'>
}

const X_LABEL_WIDTH = 84

/** A line over time, and the area under it. */
export function lineLayout({ points, width, height, y_max, isStepped = false }: LineInput): LineLayout {
  const { left, right, top, bottom } = CHART_MARGIN
  const inner = Math.max(1, width - left - right)
  const base = height - bottom
  const ticks = niceTicks(y_max ?? Math.max(0, ...points.map(({ y, interval }) => interval?.high ?? y)))
  const highest = ticks.at(-1) ?? 1
  const first = points[0]?.x ?? 0
  const span = Math.max(1, (points.at(-1)?.x ?? 1) - first)
  const xOf = (x: number) =>
    round(points.length === 1 ? left + inner / 2 : left + ((x - first) / span) * inner)
  const yOf = (y: number) => round(base - (y / highest) * (base - top))
  const at = ({ x, y }: Pick<LinePoint, 'x' | 'y'>) => ({ x: xOf(x), y: yOf(y) })
  const dots = points.map(at)
  const line = pathOf(dots, isStepped)
  const end = dots.at(-1)
  const begin = dots[0]
  return {
    line,
    area: begin === undefined || end === undefined ? '' : `${line}L${end.x},${base}L${begin.x},${base}Z`,
    band: bandPath(points, at),
    dots,
    y_ticks: ticks.map((value) => ({ value, y: yOf(value) })),
    x_ticks: labelledTimes(
      points.map(({ x }) => x),
      Math.floor(inner / X_LABEL_WIDTH),
    ).map((time) => ({ at: time, x: xOf(time) })),
    left,
    at,
  }
}

/** Wide enough to be visible around a single point. */
const HALF_BAND = 12

/** The path along the upper ends of the intervals, and back along the lower ends. */
function bandPath(points: readonly LinePoint[], at: LineLayout['at']): string {
  const ends = points.flatMap(({ x, interval }) =>
    interval === undefined ? [] : [{ high: at({ x, y: interval.high }), low: at({ x, y: interval.low }) }],
  )
  const [only] = ends
  if (only === undefined) return ''
  const [left, right] = [only.high.x - HALF_BAND, only.high.x + HALF_BAND]
  if (ends.length === 1) return `M${left},${only.high.y}H${right}V${only.low.y}H${left}Z`
  const there = ends.map(({ high }) => `${high.x},${high.y}`)
  const back = ends.toReversed().map(({ low }) => `${low.x},${low.y}`)
  return `M${[...there, ...back].join('L')}Z`
}

function pathOf(dots: LineLayout['dots'], isStepped: boolean): string {
  return dots
    .map(({ x, y }, index) => {
      if (index === 0) return `M${x},${y}`
      return isStepped ? `H${x}V${y}` : `L${x},${y}`
    })
    .join('')
}
