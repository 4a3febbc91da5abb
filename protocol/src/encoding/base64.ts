/**
 * Base64 of RFC 4648 section 4, with padding, as in logs and notes. Uses only functions that browsers and Node share.
 */
export function encodeBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}

/** The decoded bytes, or undefined if `text` is not canonical base64. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
    // atob accepts blanks, missing padding and stray bits, so only encoding again shows whether the text is canonical.
    return encodeBase64(bytes) === text ? bytes : undefined
  } catch {
    return undefined
  }
}
