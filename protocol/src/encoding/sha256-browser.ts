import { sha256 as digest } from '@noble/hashes/sha2.js'

const encoder = new TextEncoder()

/** What `sha256.ts` does, where there is no node:crypto: the browser's own SHA-256 only comes with a promise for each hash. */
export function sha256(data: Uint8Array | string): Uint8Array {
  return digest(typeof data === 'string' ? encoder.encode(data) : data)
}
