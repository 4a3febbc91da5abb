/** What the protocol uses of Node's Buffer. It takes its place when the package is built. */
type Encoding = 'utf8' | 'latin1' | 'hex' | 'base64url'

interface Bytes extends Uint8Array<ArrayBuffer> {
  toString(encoding?: Encoding): string
}

export const Buffer = {
  from(data: string | ArrayLike<number> | ArrayBuffer, how?: Encoding | number, length?: number): Bytes {
    if (typeof data === 'string') return speaking(bytesOf(data, typeof how === 'string' ? how : 'utf8'))
    if (data instanceof ArrayBuffer)
      return speaking(new Uint8Array(data, typeof how === 'number' ? how : 0, length))
    return speaking(new Uint8Array(data))
  },
}

/** Bytes that can say themselves in several spellings. */
function speaking(bytes: Uint8Array<ArrayBuffer>): Bytes {
  return Object.defineProperty(bytes, 'toString', {
    value: (encoding: Encoding = 'utf8') => spelled(bytes, encoding),
  })
}

function bytesOf(text: string, encoding: Encoding): Uint8Array<ArrayBuffer> {
  if (encoding === 'utf8') return new TextEncoder().encode(text)
  if (encoding === 'latin1') return Uint8Array.from(text, (character) => character.charCodeAt(0))
  if (encoding === 'base64url') return fromBase64url(text)
  throw new Error(`no ${encoding} here`)
}

/** Nothing at all for what is no base64url: whoever compares the way back sees that it was not understood. */
function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return new Uint8Array()
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

function spelled(bytes: Uint8Array, encoding: Encoding): string {
  if (encoding === 'hex') return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  if (encoding === 'utf8') return new TextDecoder().decode(bytes)
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  if (encoding === 'latin1') return binary
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
