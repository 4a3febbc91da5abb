/** The part of Node's Buffer that the protocol uses. It replaces Buffer when the package is built. */
type Encoding = 'utf8' | 'latin1' | 'hex' | 'base64url'

interface BufferBytes extends Uint8Array<ArrayBuffer> {
  toString(encoding?: Encoding): string
}

export const Buffer = {
  byteLength: (text: string) => new TextEncoder().encode(text).length,
  from(
    data: string | ArrayLike<number> | ArrayBuffer,
    how?: Encoding | number,
    length?: number,
  ): BufferBytes {
    if (typeof data === 'string')
      return withEncodings(bytesFrom(data, typeof how === 'string' ? how : 'utf8'))
    if (data instanceof ArrayBuffer)
      return withEncodings(new Uint8Array(data, typeof how === 'number' ? how : 0, length))
    return withEncodings(new Uint8Array(data))
  },
}

/** Bytes with a `toString` that takes an encoding, as in Node. */
function withEncodings(bytes: Uint8Array<ArrayBuffer>): BufferBytes {
  return Object.defineProperty(bytes, 'toString', {
    value: (encoding: Encoding = 'utf8') => encoded(bytes, encoding),
  })
}

function bytesFrom(text: string, encoding: Encoding): Uint8Array<ArrayBuffer> {
  if (encoding === 'utf8') return new TextEncoder().encode(text)
  if (encoding === 'latin1') return latin1Bytes(text)
  if (encoding === 'base64url') return fromBase64url(text)
  throw new Error(`The encoding ${encoding} is not supported.`)
}

function latin1Bytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at)
  return bytes
}

const ALPHABET = latin1Bytes('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
const NO_DIGIT = 64
const DIGITS = digitsOf(ALPHABET)

/** Returns the value of each character code; `NO_DIGIT` for characters outside the alphabet. */
function digitsOf(alphabet: Uint8Array): Uint8Array {
  const digits = new Uint8Array(256).fill(NO_DIGIT)
  for (const [value, code] of alphabet.entries()) digits[code] = value
  return digits
}

/** Returns no bytes for invalid base64url. Callers notice, because encoding the result doesn't give the input. */
function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  const { length } = text
  if (length % 4 === 1) return new Uint8Array()
  const bytes = new Uint8Array((length * 3) >> 2)
  let held = 0
  for (let at = 0, to = 0; at < length; at += 1) {
    const digit = DIGITS[text.charCodeAt(at)] ?? NO_DIGIT
    if (digit === NO_DIGIT) return new Uint8Array()
    held = ((held << 6) | digit) & 0xffffff
    // Each character adds six bits: the second, third and fourth of four complete a byte.
    if (at % 4 !== 0) bytes[to++] = held >> (6 - 2 * (at % 4))
  }
  return bytes
}

function toBase64url(bytes: Uint8Array): string {
  const { length } = bytes
  const codes = new Uint8Array(Math.ceil((length * 4) / 3))
  for (let at = 0, to = 0; at < length; at += 3) {
    const three = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    // Writes beyond the end of the array are ignored.
    for (let shift = 18; shift >= 0; shift -= 6) codes[to++] = ALPHABET[(three >> shift) & 63] ?? 0
  }
  return new TextDecoder().decode(codes)
}

function encoded(bytes: Uint8Array, encoding: Encoding): string {
  if (encoding === 'hex') return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  if (encoding === 'utf8') return new TextDecoder().decode(bytes)
  if (encoding === 'base64url') return toBase64url(bytes)
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
}
