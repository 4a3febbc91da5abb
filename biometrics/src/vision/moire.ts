export const MOIRE_SIZE = 128
/** Below lies the face itself, above the noise of the sensor and the edge of the spectrum. */
const MIN_RADIUS = 14
const MAX_RADIUS = 60
/** JPEG writes blocks of 8 pixels, whose edges peak on both axes at these multiples. */
const BLOCK_BIN = MOIRE_SIZE / 8

/**
 * The highest peak of the spectrum over the median of its ring, as a natural logarithm. The grid of a screen or of a print
 * beats against the grid of the camera and makes a regular pattern; skin has none.
 */
export function moirePeak(patch: Float32Array): number {
  const power = spectrum(patch)
  const rings: number[][] = Array.from({ length: MAX_RADIUS + 1 }, () => [])
  const bins: { readonly radius: number; readonly value: number }[] = []
  for (let v = 0; v <= MOIRE_SIZE / 2; v++) {
    for (let u = -MOIRE_SIZE / 2; u < MOIRE_SIZE / 2; u++) {
      const radius = Math.round(Math.hypot(u, v))
      if (radius < MIN_RADIUS || radius > MAX_RADIUS || isBlockEdge(u, v)) continue
      const value = power[v * MOIRE_SIZE + ((u + MOIRE_SIZE) % MOIRE_SIZE)] ?? 0
      rings[radius]?.push(value)
      bins.push({ radius, value })
    }
  }
  const medians = rings.map(medianOf)
  return bins.reduce(
    (best, { radius, value }) => Math.max(best, Math.log((value + 1) / ((medians[radius] ?? 0) + 1))),
    0,
  )
}

function isBlockEdge(u: number, v: number): boolean {
  const onAxis = Math.abs(u) <= 1 || Math.abs(v) <= 1
  const offBlock = Math.max(Math.abs(u), Math.abs(v)) % BLOCK_BIN
  return onAxis && Math.min(offBlock, BLOCK_BIN - offBlock) <= 1
}

/** Magnitudes of the two-dimensional Fourier transform, with a Hann window. */
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

/** Radix-2 transform, in place, of `MOIRE_SIZE` values that lie `stride` apart. */
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

function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
