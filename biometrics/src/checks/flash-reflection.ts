import type { FlashColor, Step, VisionEvidence } from '../contract.ts'

/** The effect of each screen colour on ln(red/green) and ln(blue/green) of skin. */
const EFFECTS: Readonly<Record<FlashColor, readonly [number, number]>> = {
  red: [1, 0],
  green: [-1, -1],
  blue: [0, 1],
  black: [0, 0],
}
/** The longest time from the command to show a colour until the camera sees it. */
const MAX_LAG_MS = 400
const LAG_STEP_MS = 25
/** Fewer frames would correlate with anything. */
const MIN_FRAMES = 24

/**
 * Returns how well the colour of forehead and cheeks follows the screen's colours: the best correlation over all
 * plausible lags. Undefined if the step has no colours or too few frames show a face.
 */
export function flashReflection(step: Step, vision: VisionEvidence): number | undefined {
  if (step.kind !== 'flash' || vision.faces.length < MIN_FRAMES) return undefined
  const times = vision.faces.map(({ frame }) => vision.t_ms[frame] ?? 0)
  const seen = [
    withoutTrend(
      times,
      vision.faces.map(({ red }) => red),
    ),
    withoutTrend(
      times,
      vision.faces.map(({ blue }) => blue),
    ),
  ]
  const lags = Array.from({ length: MAX_LAG_MS / LAG_STEP_MS + 1 }, (_, i) => i * LAG_STEP_MS)
  return Math.max(...lags.map((lag) => correlation(seen, shown(step, times, lag))))
}

function shown(step: Step & { readonly kind: 'flash' }, times: readonly number[], lag: number): number[][] {
  const effects = times.map((time) => {
    const slot = Math.floor((time - lag) / step.slot_ms)
    return EFFECTS[step.colors[slot] ?? 'black']
  })
  return [0, 1].map((channel) =>
    withoutTrend(
      times,
      effects.map((effect) => effect[channel] ?? 0),
    ),
  )
}

/** Removes the linear trend: slow changes, such as clouds or the camera's white balance, don't come from the screen. */
function withoutTrend(times: readonly number[], values: readonly number[]): number[] {
  const t = mean(times)
  const v = mean(values)
  const slope =
    sum(times.map((time, i) => (time - t) * ((values[i] ?? 0) - v))) /
    (sum(times.map((time) => (time - t) ** 2)) || 1)
  return values.map((value, i) => value - v - slope * ((times[i] ?? 0) - t))
}

function correlation(a: readonly number[][], b: readonly number[][]): number {
  const [x, y] = [a.flat(), b.flat()]
  const both = sum(x.map((value, i) => value * (y[i] ?? 0)))
  const norm = Math.sqrt(sum(x.map((value) => value ** 2)) * sum(y.map((value) => value ** 2)))
  // Anything below is only rounding error.
  return norm < 1e-9 ? 0 : both / norm
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function mean(values: readonly number[]): number {
  return sum(values) / Math.max(1, values.length)
}
