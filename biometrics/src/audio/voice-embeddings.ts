import { floats, floatsOf, type TensorNet } from '../tensor-net.ts'
import { equalAreaBands, symmetricBands } from './mel-bands.ts'
import { melSpectrogram, type Rows } from './spectrogram.ts'

const ECAPA_BANDS = symmetricBands(80)
const GE2E_BANDS = equalAreaBands(40)
/** Anything quieter than the loudest moment by more than this is silence. */
const RANGE_DB = 80

/** Returns the ECAPA-TDNN embedding of the voice: 192 numbers of unit length. */
export async function ecapaEmbedding(net: TensorNet, speech: Float32Array): Promise<Float32Array> {
  const mel = centred(decibels(melSpectrogram(speech, 'hamming', ECAPA_BANDS)))
  const time = mel.data.length / mel.width
  const outputs = await net.run({ mel: floats(columns(mel), [1, mel.width, time]) })
  return unit(floatsOf(outputs, 'embedding'))
}

function decibels({ width, data }: Rows): Rows {
  const levels = data.map((energy) => 10 * Math.log10(Math.max(energy, 1e-10)))
  const floor =
    levels.reduce((highest, level) => Math.max(highest, level), Number.NEGATIVE_INFINITY) - RANGE_DB
  return { width, data: levels.map((level) => Math.max(level, floor)) }
}

/** Subtracts the mean over time, because the room and the microphone colour all frames alike. */
function centred({ width, data }: Rows): Rows {
  const means = new Float64Array(width)
  data.forEach((value, at) => {
    means[at % width] = (means[at % width] ?? 0) + (value * width) / data.length
  })
  return { width, data: data.map((value, at) => value - (means[at % width] ?? 0)) }
}

function columns({ width, data }: Rows): Float32Array {
  const time = data.length / width
  return Float32Array.from({ length: data.length }, (_, at) => {
    return data[(at % time) * width + Math.floor(at / time)] ?? 0
  })
}

/** GE2E reads 1.6 s at a time. */
const PART_FRAMES = 160
const PART_STEP = 77
const HOP = 160
/** A part counts if at least this much of it is sound. */
const LEAST_COVERAGE = 0.75
const LEVEL = 10 ** (-30 / 20)

/** Returns the GE2E embedding of the voice: 256 numbers of unit length, the mean over overlapping parts. */
export async function ge2eEmbedding(net: TensorNet, speech: Float32Array): Promise<Float32Array> {
  const starts = partStarts(speech.length)
  const frames = (starts.at(-1) ?? 0) + PART_FRAMES
  const padded = new Float32Array(Math.max(speech.length, frames * HOP))
  padded.set(louder(speech))
  const { width, data } = melSpectrogram(padded, 'hann', GE2E_BANDS)
  const parts = new Float32Array(starts.length * PART_FRAMES * width)
  for (const [at, start] of starts.entries()) {
    parts.set(data.subarray(start * width, (start + PART_FRAMES) * width), at * PART_FRAMES * width)
  }
  const outputs = await net.run({ mel: floats(parts, [starts.length, PART_FRAMES, width]) })
  return unit(sumOfRows(floatsOf(outputs, 'embedding'), starts.length))
}

/** Returns the frames at which parts begin, at least one. */
export function partStarts(samples: number): number[] {
  const frames = Math.ceil((samples + 1) / HOP)
  const steps = Math.max(1, frames - PART_FRAMES + PART_STEP + 1)
  const starts = Array.from({ length: Math.ceil(steps / PART_STEP) }, (_, at) => at * PART_STEP)
  const covered = (samples - (starts.at(-1) ?? 0) * HOP) / (PART_FRAMES * HOP)
  return covered < LEAST_COVERAGE && starts.length > 1 ? starts.slice(0, -1) : starts
}

/** Raises a quiet voice to the level that the net was trained with. Leaves a loud one unchanged. */
function louder(speech: Float32Array): Float32Array {
  const power = speech.reduce((sum, sample) => sum + sample * sample, 0) / speech.length
  const gain = Math.max(1, LEVEL / Math.sqrt(power + 1e-12))
  return speech.map((sample) => sample * gain)
}

function sumOfRows(data: Float32Array, rows: number): Float32Array {
  const width = data.length / rows
  return Float32Array.from({ length: width }, (_, column) => {
    let sum = 0
    for (let row = 0; row < rows; row += 1) sum += data[row * width + column] ?? 0
    return sum
  })
}

function unit(values: Float32Array): Float32Array {
  const length = Math.hypot(...values)
  return values.map((value) => value / (length + 1e-12))
}
