import { EngineError, MEDIA_LIMITS, type Sound } from '../contract.ts'

export const SAMPLE_RATE = 16_000
const SHORTEST_MS = 300

/** Returns samples from -1 to 1. Refuses bytes that cannot be sound before anything is computed from them. */
export function readSound({ t0_ms, pcm16 }: Sound): Float32Array {
  if (!Number.isFinite(t0_ms)) throw bad('Send milliseconds since the step was shown.', '/sound/t0_ms')
  if (pcm16.length % 2 !== 0) throw bad('Send whole 16-bit samples, little-endian.', '/sound/pcm16')
  const duration_ms = soundMs(pcm16.length / 2)
  if (duration_ms < SHORTEST_MS) {
    throw bad(`Send at least ${SHORTEST_MS} ms of mono sound at ${SAMPLE_RATE} Hz.`, '/sound/pcm16')
  }
  if (duration_ms > MEDIA_LIMITS.sound_ms_per_step) {
    throw bad(`Send at most ${MEDIA_LIMITS.sound_ms_per_step} ms of sound in a step.`, '/sound/pcm16')
  }
  return samplesOf(pcm16)
}

export function soundMs(samples: number): number {
  return (samples * 1000) / SAMPLE_RATE
}

/** Returns the share of samples at full scale. A loud voice clips a little; a square wave always clips. */
export function clippedShare(samples: Float32Array): number {
  return samples.reduce((count, sample) => count + Number(Math.abs(sample) > 0.999), 0) / samples.length
}

/** Uses a plain loop, which is ten times as fast as `map`. Sound has many samples. */
function samplesOf(pcm16: Uint8Array): Float32Array {
  const view = new DataView(pcm16.buffer, pcm16.byteOffset, pcm16.byteLength)
  const samples = new Float32Array(pcm16.length / 2)
  for (let at = 0; at < samples.length; at += 1) samples[at] = view.getInt16(at * 2, true) / 32_768
  return samples
}

function bad(message: string, pointer: string): EngineError {
  return new EngineError('bad_media', message, { pointer })
}
