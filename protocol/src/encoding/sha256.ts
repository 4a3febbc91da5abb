import { hash } from 'node:crypto'

/**
 * SHA-256 of bytes, or of the UTF-8 bytes of a string. In browsers `sha256-browser.ts` replaces this file. It goes
 * through hex, because Node needs four times as long to allocate a buffer for each hash.
 */
export function sha256(data: Uint8Array | string): Uint8Array {
  return Buffer.from(hash('sha256', data, 'hex'), 'hex')
}
