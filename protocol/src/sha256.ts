import { hash } from 'node:crypto'

/** SHA-256 of bytes, or of the UTF-8 bytes of a string. In browsers `sha256-browser.ts` takes the place of this file. */
export function sha256(data: Uint8Array | string): Uint8Array {
  return hash('sha256', data, 'buffer')
}
