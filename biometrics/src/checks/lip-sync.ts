import type { Loudness, MouthSample } from '../contract.ts'

export interface LipSync {
  /** Highest correlation of mouth and sound with a delay of at most `NEAR_MS`, -1 to 1. */
  readonly r: number
  /** How much higher that is than at any greater delay. Negative if the sound fits another time better. */
  readonly margin: number
  /** The delay at which `r` was found. Positive if the sound lags behind the picture. */
  readonly lag_ms: number
}

const STEP_MS = 40
const NEAR_MS = 120
const FAR_MS = 1000
/** The overlap that both series must have at every delay. */
const LEAST_OVERLAP_MS = 1200
/** Cameras deliver 10 to 15 pictures a second; fewer than this can't follow speech. */
const LEAST_MOUTHS_PER_S = 6

/**
 * The lowest standard deviation of a moving mouth's darkness. In videos of closed mouths it was at most 0.007, picture
 * noise that may follow a sound by chance; in videos of people speaking it was at least 0.11.
 */
const LEAST_MOVEMENT = 0.015

/** Returns how well mouth and sound move together. Undefined if there is too little of either. */
export function lipSync(mouth: readonly MouthSample[], loudness: Loudness): LipSync | undefined {
  if (!isDense(mouth)) return undefined
  const lags = range(-FAR_MS, FAR_MS, STEP_MS).flatMap((lag_ms) => {
    const r = correlationAt(mouth, loudness, lag_ms)
    return r === undefined ? [] : [{ lag_ms, r }]
  })
  const near = highest(lags.filter(({ lag_ms }) => Math.abs(lag_ms) <= NEAR_MS))
  const far = highest(lags.filter(({ lag_ms }) => Math.abs(lag_ms) > NEAR_MS))
  if (near === undefined || far === undefined) return undefined
  return { r: rounded(near.r), margin: rounded(near.r - far.r), lag_ms: near.lag_ms }
}

function isDense(mouth: readonly MouthSample[]): boolean {
  const [first] = mouth
  const last = mouth.at(-1)
  if (first === undefined || last === undefined) return false
  return mouth.length >= (LEAST_MOUTHS_PER_S * (last.t_ms - first.t_ms)) / 1000
}

function correlationAt(
  mouth: readonly MouthSample[],
  loudness: Loudness,
  lag_ms: number,
): number | undefined {
  const start = Math.max(mouth.at(0)?.t_ms ?? 0, loudness.t0_ms - lag_ms)
  const end = Math.min(mouth.at(-1)?.t_ms ?? 0, endOf(loudness) - lag_ms)
  if (!(end - start >= LEAST_OVERLAP_MS)) return undefined
  const times = range(start, end, STEP_MS)
  return correlation(
    times.map((t_ms) => darknessAt(mouth, t_ms)),
    times.map((t_ms) => energyAt(loudness, t_ms + lag_ms)),
  )
}

function endOf({ t0_ms, step_ms, log_energy }: Loudness): number {
  return t0_ms + step_ms * log_energy.length
}

/** Interpolates linearly between two frames. */
function darknessAt(mouth: readonly MouthSample[], t_ms: number): number {
  const after = mouth.findIndex((sample) => sample.t_ms >= t_ms)
  const right = mouth[after]
  const left = mouth[after - 1] ?? right
  if (right === undefined || left === undefined) return 0
  const share = right.t_ms === left.t_ms ? 0 : (t_ms - left.t_ms) / (right.t_ms - left.t_ms)
  return left.darkness + share * (right.darkness - left.darkness)
}

/** Interpolates linearly between the middles of two steps. */
function energyAt({ t0_ms, step_ms, log_energy }: Loudness, t_ms: number): number {
  const place = (t_ms - t0_ms) / step_ms - 0.5
  const at = Math.floor(place)
  const share = place - at
  return (1 - share) * smoothed(log_energy, at) + share * smoothed(log_energy, at + 1)
}

/** Returns the mean over the time that a camera needs for a frame, because the mouth is slower than the sound. */
function smoothed(values: readonly number[], at: number): number {
  const around = values.slice(Math.max(0, at - 1), Math.max(1, at + 2))
  return around.length === 0 ? (values.at(-1) ?? 0) : mean(around)
}

/** Returns Pearson's correlation. 0 if the mouth is still or the sound constant, because neither follows the other. */
function correlation(mouth: readonly number[], sound: readonly number[]): number {
  const movement = variance(mouth)
  const variances = movement * variance(sound)
  if (movement < LEAST_MOVEMENT ** 2 || !(variances > 1e-12)) return 0
  const [mean_mouth, mean_sound] = [mean(mouth), mean(sound)]
  const products = mouth.map((value, at) => (value - mean_mouth) * ((sound[at] ?? 0) - mean_sound))
  return mean(products) / Math.sqrt(variances)
}

function variance(values: readonly number[]): number {
  const middle = mean(values)
  return mean(values.map((value) => (value - middle) ** 2))
}

function highest<Item extends { readonly r: number }>(items: readonly Item[]): Item | undefined {
  return items.reduce<Item | undefined>((best, item) => (best && best.r >= item.r ? best : item), undefined)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function range(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => from + at * step)
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}
