import { hash } from 'node:crypto'

/**
 * SHA-256 of bytes, or of the UTF-8 bytes of a string. In browsers `sha256-browser.ts` takes the place of this file. By way
 * of hex, because Node needs four times as long to hand out a buffer of its own for each hash.
 */
export function sha256(data: Uint8Array | string): Uint8Array {
  return Buffer.from(hash('sha256', data, 'hex'), 'hex')
}
