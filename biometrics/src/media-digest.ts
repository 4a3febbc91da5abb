import { createHash } from 'node:crypto'
import type { StepMedia } from './contract.ts'

/**
 * Returns the SHA-256, in hex, over the SHA-256 of each frame in order and then of the sound, if any. Clients compute
 * the same from the bytes that they send.
 */
export function mediaDigest({ frames, sound }: StepMedia): string {
  const whole = createHash('sha256')
  for (const { jpeg } of frames) whole.update(sha256(jpeg))
  if (sound !== undefined) whole.update(sha256(sound.pcm16))
  return whole.digest('hex')
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}
