import { SAMPLE_RATE } from './read-sound.ts'

/** Both voice nets use windows of 25 ms every 10 ms. */
const WINDOW = 400
const HOP = 160
const BINS = WINDOW / 2 + 1
const HALF = WINDOW / 2

/** Rows of equal length, one after another. */
export interface Rows {
  readonly width: number
  readonly data: Float32Array
}

export type WindowShape = 'hann' | 'hamming'
/** Weight of every frequency bin in every mel band, band after band. */
export type MelBands = Rows

/** Returns the energy in mel bands over time, one row per 10 ms. Pads the sound with silence to centre the frames. */
export function melSpectrogram(samples: Float32Array, shape: WindowShape, bands: MelBands): Rows {
  const window = windowOf(shape)
  const frames = 1 + Math.floor(samples.length / HOP)
  const count = bands.data.length / bands.width
  const data = new Float32Array(frames * count)
  for (let frame = 0; frame < frames; frame += 1) {
    const power = powerSpectrum(samples, frame * HOP - HALF, window)
    data.set(inBands(power, bands), frame * count)
  }
  return { width: count, data }
}

/** Returns the frequencies of the bins in hertz. */
export function binFrequencies(): number[] {
  return Array.from({ length: BINS }, (_, bin) => (bin * SAMPLE_RATE) / WINDOW)
}

function windowOf(shape: WindowShape): Float64Array {
  const base = shape === 'hann' ? 0.5 : 0.54
  return Float64Array.from(
    { length: WINDOW },
    (_, at) => base - (1 - base) * Math.cos((2 * Math.PI * at) / WINDOW),
  )
}

/**
 * Computes a discrete Fourier transform of a real signal. The window has 400 samples, which is not a power of two, so
 * samples that share a cosine are added first, which halves the work.
 */
function powerSpectrum(samples: Float32Array, start: number, window: Float64Array): Float64Array {
  const even = new Float64Array(HALF + 1)
  const odd = new Float64Array(HALF + 1)
  for (let at = 0; at <= HALF; at += 1) {
    const left = (samples[start + at] ?? 0) * (window[at] ?? 0)
    const mirror = WINDOW - at
    const right = at === 0 || at === HALF ? 0 : (samples[start + mirror] ?? 0) * (window[mirror] ?? 0)
    even[at] = left + right
    odd[at] = left - right
  }
  return Float64Array.from({ length: BINS }, (_, bin) => power(even, odd, bin))
}

const COSINES = Float64Array.from({ length: WINDOW }, (_, at) => Math.cos((2 * Math.PI * at) / WINDOW))
const SINES = Float64Array.from({ length: WINDOW }, (_, at) => Math.sin((2 * Math.PI * at) / WINDOW))

function power(even: Float64Array, odd: Float64Array, bin: number): number {
  let real = 0
  let imaginary = 0
  for (let at = 0, angle = 0; at <= HALF; at += 1) {
    real += (even[at] ?? 0) * (COSINES[angle] ?? 0)
    imaginary += (odd[at] ?? 0) * (SINES[angle] ?? 0)
    angle += bin
    if (angle >= WINDOW) angle -= WINDOW
  }
  return real * real + imaginary * imaginary
}

function inBands(power_of_bins: Float64Array, { width, data }: MelBands): Float32Array {
  return Float32Array.from({ length: data.length / width }, (_, band) => {
    let sum = 0
    for (let bin = 0; bin < width; bin += 1) {
      sum += (power_of_bins[bin] ?? 0) * (data[band * width + bin] ?? 0)
    }
    return sum
  })
}
