import { sha256 as digest } from '@noble/hashes/sha2.js'

const encoder = new TextEncoder()

/**
 * `sha256.ts` for browsers, whose own SHA-256 returns a promise for each hash. The imports of package.json choose it.
 *
 * @public
 */
export function sha256(data: Uint8Array | string): Uint8Array {
  return digest(typeof data === 'string' ? encoder.encode(data) : data)
}
