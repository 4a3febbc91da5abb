/** The text is not canonical base64url. */
export class Base64urlError extends Error {
  constructor(detail: string) {
    super(detail)
    this.name = 'Base64urlError'
  }
}

/** The canonical base64url form of `bytes` (RFC 4648 section 5), without padding. */
export function encodeBase64url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url')
}

/**
 * The decoded bytes. Every byte string has exactly one accepted form: another alphabet, padding, blanks, an impossible
 * length and stray bits at the end are refused. Otherwise a signed text could be altered without breaking its signature.
 */
export function decodeBase64url(text: string): Uint8Array {
  const bytes = new Uint8Array(Buffer.from(text, 'base64url'))
  // Buffer skips unknown characters, so only encoding again shows whether it read everything.
  if (encodeBase64url(bytes) !== text) throw new Base64urlError('The text is not canonical base64url.')
  return bytes
}
