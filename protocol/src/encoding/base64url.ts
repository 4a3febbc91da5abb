/** The text has no bytes, or is not the one spelling of them. */
export class Base64urlError extends Error {
  constructor(detail: string) {
    super(detail)
    this.name = 'Base64urlError'
  }
}

/** The one base64url spelling of `bytes` (RFC 4648 section 5), without padding. */
export function encodeBase64url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url')
}

/**
 * The bytes that `text` spells. Every byte string has exactly one accepted spelling: another alphabet,
 * padding, blanks, an impossible length and stray bits at the end are all refused, or a signed text could be
 * altered without its signature noticing.
 */
export function decodeBase64url(text: string): Uint8Array {
  const bytes = new Uint8Array(Buffer.from(text, 'base64url'))
  // Buffer skips what it does not know, so that only the way back tells whether it understood everything.
  if (encodeBase64url(bytes) !== text) throw new Base64urlError('The text is not canonical base64url.')
  return bytes
}
