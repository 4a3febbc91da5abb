import { SAMPLE_RATE } from './read-sound.ts'
import { binFrequencies, type MelBands } from './spectrogram.ts'

const HIGHEST_HZ = SAMPLE_RATE / 2

/** Returns SpeechBrain's bands: triangles on the logarithmic scale, each as wide to the right as to the left. */
export function symmetricBands(count: number): MelBands {
  const edges = evenly(count + 2, toLogMel(HIGHEST_HZ)).map(fromLogMel)
  return bandsOf(count, (hz, band) => {
    const [left = 0, middle = 0] = edges.slice(band, band + 2)
    return 1 - Math.abs(hz - middle) / (middle - left)
  })
}

/** Returns librosa's bands: triangles on a scale that is linear up to 1 kHz, all with the same area. */
export function equalAreaBands(count: number): MelBands {
  const edges = evenly(count + 2, toSlaneyMel(HIGHEST_HZ)).map(fromSlaneyMel)
  return bandsOf(count, (hz, band) => {
    const [left = 0, middle = 0, right = 0] = edges.slice(band, band + 3)
    const triangle = Math.min((hz - left) / (middle - left), (right - hz) / (right - middle))
    return triangle * (2 / (right - left))
  })
}

function bandsOf(count: number, weight: (hz: number, band: number) => number): MelBands {
  const bins = binFrequencies()
  const rows = Array.from({ length: count }, (_, band) => bins.map((hz) => Math.max(0, weight(hz, band))))
  return { width: bins.length, data: Float32Array.from(rows.flat()) }
}

function evenly(count: number, to: number): number[] {
  return Array.from({ length: count }, (_, at) => (to * at) / (count - 1))
}

function toLogMel(hz: number): number {
  return 2595 * Math.log10(1 + hz / 700)
}

function fromLogMel(mel: number): number {
  return 700 * (10 ** (mel / 2595) - 1)
}

const LINEAR_HZ = 200 / 3
const LOG_FROM_HZ = 1000
const LOG_FROM_MEL = LOG_FROM_HZ / LINEAR_HZ
const LOG_STEP = Math.log(6.4) / 27

function toSlaneyMel(hz: number): number {
  return hz < LOG_FROM_HZ ? hz / LINEAR_HZ : LOG_FROM_MEL + Math.log(hz / LOG_FROM_HZ) / LOG_STEP
}

function fromSlaneyMel(mel: number): number {
  return mel < LOG_FROM_MEL ? mel * LINEAR_HZ : LOG_FROM_HZ * Math.exp(LOG_STEP * (mel - LOG_FROM_MEL))
}
