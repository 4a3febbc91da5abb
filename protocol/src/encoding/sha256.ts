import { createHash, hash } from 'node:crypto'
import type { RunningSha256 } from './running-sha256.ts'

/**
 * SHA-256 of bytes, or of the UTF-8 bytes of a string. In browsers `sha256-browser.ts` replaces this file. It goes
 * through hex, because Node needs four times as long to allocate a buffer for each hash.
 */
export function sha256(data: Uint8Array | string): Uint8Array {
  return Buffer.from(hash('sha256', data, 'hex'), 'hex')
}

/** SHA-256 of bytes that arrive one chunk after another. */
export function runningSha256(): RunningSha256 {
  const running = createHash('sha256')
  return { update: (chunk) => void running.update(chunk), digest: () => running.digest() }
}
