export const MOIRE_SIZE = 128
/** Lower radii hold the face itself; higher ones hold sensor noise and the edge of the spectrum. */
const MIN_RADIUS = 14
const MAX_RADIUS = 60
/** JPEG writes blocks of 8 pixels, whose edges peak on both axes at these multiples. */
const BLOCK_BIN = MOIRE_SIZE / 8

/** Bins this far from a peak are no longer part of it. */
const AROUND = 5
const DIRECTIONS = 16
/** A peak must rise above nearly all directions: the edge of a lip is a line through the spectrum, and only a pattern is a point. */
const NEARLY_ALL = 13
/** Lower magnitudes are coding noise. */
const FLOOR = 20

/**
 * Returns the highest isolated peak of the spectrum relative to its surroundings, as a natural logarithm. The grid of a
 * screen or of a print beats against the grid of the camera and makes a regular pattern; skin has none.
 */
export function moirePeak(patch: Float32Array): number {
  const magnitudes = spectrum(patch)
  const half = MOIRE_SIZE / 2
  let highest = 0
  for (let v = 0; v <= half; v++) {
    for (let u = -half; u < half; u++) {
      const radius = Math.hypot(u, v)
      if (radius < MIN_RADIUS || radius > MAX_RADIUS || isBlockEdge(u, v)) continue
      // Most bins are too small to matter, whatever their surroundings.
      const most = Math.log((magnitudeAt(magnitudes, u, v) + FLOOR) / FLOOR)
      if (most > highest && isPeak(magnitudes, u, v)) highest = Math.max(highest, rise(magnitudes, u, v))
    }
  }
  return highest
}

/** Returns the magnitude of a bin. The spectrum of a real picture is the same at (u, v) and (-u, -v), and repeats. */
function magnitudeAt(magnitudes: Float32Array, u: number, v: number): number {
  return magnitudes[((v + MOIRE_SIZE) % MOIRE_SIZE) * MOIRE_SIZE + ((u + MOIRE_SIZE) % MOIRE_SIZE)] ?? 0
}

function isPeak(magnitudes: Float32Array, u: number, v: number): boolean {
  const value = magnitudeAt(magnitudes, u, v)
  return NEIGHBOURS.every(([du, dv]) => value >= magnitudeAt(magnitudes, u + du, v + dv))
}

const NEIGHBOURS = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
] as const

function rise(magnitudes: Float32Array, u: number, v: number): number {
  const around = RING.map(([du, dv]) => magnitudeAt(magnitudes, u + du, v + dv)).sort((a, b) => a - b)
  return Math.log((magnitudeAt(magnitudes, u, v) + FLOOR) / ((around[NEARLY_ALL] ?? 0) + FLOOR))
}

const RING = Array.from({ length: DIRECTIONS }, (_, i) => {
  const angle = (i * 2 * Math.PI) / DIRECTIONS
  return [Math.round(AROUND * Math.cos(angle)), Math.round(AROUND * Math.sin(angle))] as const
})

function isBlockEdge(u: number, v: number): boolean {
  const onAxis = Math.abs(u) <= 1 || Math.abs(v) <= 1
  const offBlock = Math.max(Math.abs(u), Math.abs(v)) % BLOCK_BIN
  return onAxis && Math.min(offBlock, BLOCK_BIN - offBlock) <= 1
}

/** Returns the magnitudes of the two-dimensional Fourier transform, with a Hann window. */
function spectrum(patch: Float32Array): Float32Array {
  const n = MOIRE_SIZE
  const real = new Float64Array(n * n)
  const imaginary = new Float64Array(n * n)
  const mean = patch.reduce((sum, value) => sum + value, 0) / patch.length
  for (let i = 0; i < n * n; i++) {
    const window = hann(i % n) * hann(Math.floor(i / n))
    real[i] = ((patch[i] ?? 0) - mean) * window
  }
  for (let row = 0; row < n; row++) fft(real, imaginary, row * n, 1)
  for (let column = 0; column < n; column++) fft(real, imaginary, column, n)
  return Float32Array.from(real, (value, i) => Math.hypot(value, imaginary[i] ?? 0))
}

function hann(i: number): number {
  return 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / (MOIRE_SIZE - 1))
}

/** Runs a radix-2 transform, in place, of `MOIRE_SIZE` values that are `stride` apart. */
function fft(real: Float64Array, imaginary: Float64Array, start: number, stride: number): void {
  const n = MOIRE_SIZE
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1
    for (; j & bit; bit >>= 1) j ^= bit
    j ^= bit
    if (i < j) {
      swap(real, start + i * stride, start + j * stride)
      swap(imaginary, start + i * stride, start + j * stride)
    }
  }
  for (let length = 2; length <= n; length <<= 1) {
    const angle = (-2 * Math.PI) / length
    for (let block = 0; block < n; block += length) {
      for (let k = 0; k < length / 2; k++) {
        const [cos, sin] = [Math.cos(angle * k), Math.sin(angle * k)]
        const a = start + (block + k) * stride
        const b = a + (length / 2) * stride
        const [br, bi] = [real[b] ?? 0, imaginary[b] ?? 0]
        const r = br * cos - bi * sin
        const i = br * sin + bi * cos
        real[b] = (real[a] ?? 0) - r
        imaginary[b] = (imaginary[a] ?? 0) - i
        real[a] = (real[a] ?? 0) + r
        imaginary[a] = (imaginary[a] ?? 0) + i
      }
    }
  }
}

function swap(values: Float64Array, a: number, b: number): void {
  const kept = values[a] ?? 0
  values[a] = values[b] ?? 0
  values[b] = kept
}
