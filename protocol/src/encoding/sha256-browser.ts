import { sha256 as digest } from '@noble/hashes/sha2.js'
import type { RunningSha256 } from './running-sha256.ts'

const encoder = new TextEncoder()

/**
 * `sha256.ts` for browsers, whose own SHA-256 returns a promise for each hash. The `imports` in package.json select it.
 *
 * @public
 */
export function sha256(data: Uint8Array | string): Uint8Array {
  return digest(typeof data === 'string' ? encoder.encode(data) : data)
}

/** @public */
export function runningSha256(): RunningSha256 {
  const running = digest.create()
  return { update: (chunk) => void running.update(chunk), digest: () => running.digest() }
}
