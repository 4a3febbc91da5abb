/** Bars and lines over time, drawn from their layouts. */
import { bucketTime } from '../words/time.ts'
import { type LinePoint, lineLayout } from './line.ts'
import { useWidth } from './picture.tsx'
import { stackedBars } from './stacked-bars.ts'

interface Axis {
  readonly y_ticks: readonly { readonly y: number; readonly value: number }[]
  readonly left: number
}

function YAxis({
  y_ticks,
  left,
  width,
  show,
}: Axis & { readonly width: number; readonly show: (value: number) => string }) {
  return (
    <g class="axis">
      {y_ticks.map(({ y, value }) => (
        <g key={value}>
          <line x1={left} x2={width} y1={y} y2={y} />
          <text x={left - 6} y={y + 4} text-anchor="end">
            {show(value)}
          </text>
        </g>
      ))}
    </g>
  )
}

const HEIGHT = 176

/** The span from the first to the last of these times. */
export function spanOf(times: readonly number[]): number {
  return (times.at(-1) ?? 0) - (times[0] ?? 0)
}

export function Bars({
  label,
  starts,
  values,
  tones,
  words,
  step_ms,
  show,
}: {
  readonly label: string
  readonly starts: readonly number[]
  readonly values: readonly (readonly number[])[]
  readonly tones: readonly string[]
  readonly words: readonly string[]
  readonly step_ms: number
  readonly show: (value: number) => string
}) {
  const { ref, width } = useWidth()
  const layout = stackedBars({ starts, values, width, height: HEIGHT })
  const timeOf = (start: number) => bucketTime(start, step_ms, spanOf(starts))
  return (
    <div ref={ref} class="chart">
      {width > 0 && (
        <svg width={width} height={HEIGHT} role="img" aria-label={label}>
          <YAxis {...layout} width={width} show={show} />
          {layout.parts.map(({ series, bucket, ...at }) => (
            <rect key={`${bucket}.${series}`} {...at} class={`fill-${tones[series]}`}>
              <title>
                {`${timeOf(starts[bucket] ?? 0)}: ${show(values[bucket]?.[series] ?? 0)} ${words[series]}`}
              </title>
            </rect>
          ))}
          <g class="axis">
            {layout.x_ticks.map(({ x, start }) => (
              <text key={start} x={x} y={HEIGHT - 4} text-anchor="middle">
                {timeOf(start)}
              </text>
            ))}
          </g>
        </svg>
      )}
    </div>
  )
}

/** A label closer to the right edge than this would be cut off. */
const HALF_LABEL = 40

export function Line({
  label,
  points,
  step_ms,
  show,
  y_max,
  isStepped = false,
  hasDots = false,
  marks = [],
  height = HEIGHT,
}: {
  readonly label: string
  readonly points: readonly LinePoint[]
  readonly step_ms: number
  readonly show: (value: number) => string
  readonly y_max?: number
  readonly isStepped?: boolean
  readonly hasDots?: boolean
  /** Dots in addition to the line, each with a text. */
  readonly marks?: readonly (LinePoint & { readonly tone: string; readonly words: string })[]
  readonly height?: number
}) {
  const { ref, width } = useWidth()
  const layout = lineLayout({ points, width, height, isStepped, ...(y_max !== undefined && { y_max }) })
  const span = spanOf(points.map(({ x }) => x))
  // Ticks that are closer than the precision of their labels have the same label, which is shown once.
  const ticks = layout.x_ticks
    .map((tick) => ({ ...tick, word: bucketTime(tick.at, step_ms, span) }))
    .filter(({ word }, index, all) => word !== all[index - 1]?.word)
  return (
    <div ref={ref} class="chart">
      {width > 0 && (
        <svg width={width} height={height} role="img" aria-label={label}>
          <YAxis {...layout} width={width} show={show} />
          {layout.band === '' ? <path d={layout.area} class="area" /> : <path d={layout.band} class="band" />}
          <path d={layout.line} class="line" />
          {hasDots && layout.dots.map(({ x, y }) => <circle key={x} cx={x} cy={y} r="3" class="dot" />)}
          {marks.map(({ tone, words, ...point }) => {
            const { x, y } = layout.at(point)
            return (
              <circle key={`${x} ${y}`} cx={x} cy={y} r="5" class={`mark fill-${tone}`}>
                <title>{`${bucketTime(point.x, step_ms, 0)}: ${words}`}</title>
              </circle>
            )
          })}
          <g class="axis">
            {ticks.map(({ x, at, word }, index) => (
              <text
                key={at}
                x={x}
                y={height - 4}
                text-anchor={index > 0 && x > width - HALF_LABEL ? 'end' : 'middle'}
              >
                {word}
              </text>
            ))}
          </g>
        </svg>
      )}
    </div>
  )
}

/** A line as small as a word. */
export function Sparkline({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  const highest = Math.max(1, ...values)
  const [width, height] = [84, 20]
  const step = width / Math.max(1, values.length)
  return (
    <svg class="sparkline" width={width} height={height} role="img" aria-label={label}>
      {values.map((value, index) => {
        const tall = value === 0 ? 1 : Math.max(2, (value / highest) * height)
        return (
          <rect
            // The index is the day.
            key={index}
            x={index * step}
            y={height - tall}
            width={Math.max(1, step - 1.5)}
            height={tall}
            class={value === 0 ? 'spark-none' : 'spark'}
          />
        )
      })}
    </svg>
  )
}

/** A ring that empties as time passes. */
export function Ring({ share, label }: { readonly share: number; readonly label: string }) {
  const radius = 8
  const around = 2 * Math.PI * radius
  return (
    <svg class={share < 0.2 ? 'ring late' : 'ring'} width="20" height="20" role="img" aria-label={label}>
      <circle cx="10" cy="10" r={radius} class="ring-rest" />
      <circle
        cx="10"
        cy="10"
        r={radius}
        class="ring-left"
        stroke-dasharray={`${share * around} ${around}`}
        transform="rotate(-90 10 10)"
      />
    </svg>
  )
}
