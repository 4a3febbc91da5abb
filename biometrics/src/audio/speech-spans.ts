import { floats, floatsOf, type TensorData, type TensorNet } from '../tensor-net.ts'
import { SAMPLE_RATE, soundMs } from './read-sound.ts'

/** A span of speech in samples: from `start` up to, but not including, `end`. */
export interface SpeechSpan {
  readonly start: number
  readonly end: number
}

/** Silero VAD 5 reads 32 ms at a time, with the last 4 ms of the previous window. */
const WINDOW = 512
const CONTEXT = 64
const STATE = [2, 1, 128] as const

/** A word begins above the first probability and ends below the second; shorter pauses belong to the speech around them. */
const SPEECH_BEGINS = 0.5
const SPEECH_ENDS = 0.35
const SHORTEST_SPEECH_MS = 96
const SHORTEST_PAUSE_MS = 160

/** Returns the probability of speech in each window of 32 ms. */
export async function speechProbabilities(vad: TensorNet, samples: Float32Array): Promise<number[]> {
  const rate: TensorData = { type: 'int64', data: BigInt64Array.of(BigInt(SAMPLE_RATE)), dims: [] }
  let state = floats(new Float32Array(STATE[0] * STATE[1] * STATE[2]), STATE)
  const probabilities: number[] = []
  for (let at = 0; at < samples.length; at += WINDOW) {
    const input = windowAt(samples, at)
    const outputs = await vad.run({ input: floats(input, [1, input.length]), state, sr: rate })
    probabilities.push(floatsOf(outputs, 'output')[0] ?? 0)
    state = floats(floatsOf(outputs, 'stateN'), STATE)
  }
  return probabilities
}

function windowAt(samples: Float32Array, at: number): Float32Array {
  const window = new Float32Array(CONTEXT + WINDOW)
  const from = Math.max(0, at - CONTEXT)
  window.set(samples.subarray(from, at + WINDOW), CONTEXT - (at - from))
  return window
}

/** Joins windows into spans. Fills pauses within a word and leaves out clicks. */
export function speechSpans(probabilities: readonly number[], sample_count: number): SpeechSpan[] {
  const spans: SpeechSpan[] = []
  for (const [first, after] of runs(probabilities)) {
    const start = first * WINDOW
    const end = Math.min(after * WINDOW, sample_count)
    const last = spans.at(-1)
    const is_pause = last === undefined || soundMs(start - last.end) >= SHORTEST_PAUSE_MS
    if (!is_pause) spans.pop()
    spans.push({ start: is_pause ? start : last.start, end })
  }
  return spans.filter(({ start, end }) => soundMs(end - start) >= SHORTEST_SPEECH_MS)
}

/** Returns the runs of windows with speech, with hysteresis. */
function runs(probabilities: readonly number[]): [number, number][] {
  const found: [number, number][] = []
  let begun: number | undefined
  for (const [at, probability] of probabilities.entries()) {
    if (begun === undefined && probability >= SPEECH_BEGINS) begun = at
    if (begun !== undefined && probability < SPEECH_ENDS) {
      found.push([begun, at])
      begun = undefined
    }
  }
  if (begun !== undefined) found.push([begun, probabilities.length])
  return found
}

export function spokenMs(spans: readonly SpeechSpan[]): number {
  return Math.round(spans.reduce((total, { start, end }) => total + soundMs(end - start), 0))
}
