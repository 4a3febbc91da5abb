import type { Loudness } from '../contract.ts'
import { SAMPLE_RATE } from './read-sound.ts'
import type { SpeechSpan } from './speech-spans.ts'

const STEP_MS = 40
const STEP = (SAMPLE_RATE * STEP_MS) / 1000
/** The band of vowels, which the mouth shapes. */
const BAND_HZ = [300, 3400] as const
/** Quieter than any microphone, so that digital silence has a level too. */
const FLOOR_DB = -90
/** A word fades out, so the time around speech belongs to neither speech nor noise. */
const GUARD_STEPS = 3

/** Returns how loud the voice band is over time. */
export function loudness(samples: Float32Array, t0_ms: number): Loudness {
  const band = lowPass(highPass(samples, BAND_HZ[0]), BAND_HZ[1])
  const log_energy = levels(band).map((level) => Math.round(level * 10) / 100)
  return { t0_ms: Math.round(t0_ms), step_ms: STEP_MS, log_energy }
}

/** Returns the level of speech over the level outside speech, in decibels. 0 if there is no speech. */
export function signalToNoise(samples: Float32Array, spans: readonly SpeechSpan[]): number {
  const all = levels(samples)
  const is_speech = all.map((_, at) => touchesSpeech(spans, at, 0))
  const is_near_speech = all.map((_, at) => touchesSpeech(spans, at, GUARD_STEPS))
  const speech = all.filter((_, at) => is_speech[at])
  const around = all.filter((_, at) => !is_near_speech[at])
  if (speech.length === 0) return 0
  const noise = around.length > GUARD_STEPS ? meanPower(around) : quietest(all)
  return Math.round((meanPower(speech) - noise) * 10) / 10
}

/** Returns the level of each step in decibels relative to full scale. */
function levels(samples: Float32Array): number[] {
  const count = Math.floor(samples.length / STEP)
  return Array.from({ length: count }, (_, at) => {
    const part = samples.subarray(at * STEP, (at + 1) * STEP)
    const power = part.reduce((sum, sample) => sum + sample * sample, 0) / STEP
    return Math.max(FLOOR_DB, 10 * Math.log10(power + 1e-12))
  })
}

function touchesSpeech(spans: readonly SpeechSpan[], step: number, guard: number): boolean {
  const start = (step - guard) * STEP
  const end = (step + 1 + guard) * STEP
  return spans.some((span) => span.start < end && start < span.end)
}

function meanPower(decibels: readonly number[]): number {
  const power = decibels.reduce((sum, level) => sum + 10 ** (level / 10), 0) / decibels.length
  return 10 * Math.log10(power)
}

/** Returns the 10th percentile, for a person who speaks from start to end and leaves only short pauses. */
function quietest(decibels: readonly number[]): number {
  const sorted = [...decibels].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 10)] ?? FLOOR_DB
}

function highPass(samples: Float32Array, hz: number): Float32Array {
  const cosine = Math.cos((2 * Math.PI * hz) / SAMPLE_RATE)
  const edge = (1 + cosine) / 2
  return biquad(samples, hz, [edge, -2 * edge, edge])
}

function lowPass(samples: Float32Array, hz: number): Float32Array {
  const cosine = Math.cos((2 * Math.PI * hz) / SAMPLE_RATE)
  const edge = (1 - cosine) / 2
  return biquad(samples, hz, [edge, 2 * edge, edge])
}

/** Applies a second-order Butterworth filter with the given zeros. */
function biquad(
  samples: Float32Array,
  hz: number,
  [b0, b1, b2]: readonly [number, number, number],
): Float32Array {
  const angle = (2 * Math.PI * hz) / SAMPLE_RATE
  const alpha = Math.sin(angle) * Math.SQRT1_2
  const a0 = 1 + alpha
  const a1 = -2 * Math.cos(angle)
  const a2 = 1 - alpha
  const filtered = new Float32Array(samples.length)
  for (let at = 0; at < samples.length; at += 1) {
    const zeros = b0 * (samples[at] ?? 0) + b1 * (samples[at - 1] ?? 0) + b2 * (samples[at - 2] ?? 0)
    const poles = a1 * (filtered[at - 1] ?? 0) + a2 * (filtered[at - 2] ?? 0)
    filtered[at] = (zeros - poles) / a0
  }
  return filtered
}
