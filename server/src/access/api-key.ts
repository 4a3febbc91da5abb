import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * `dk_<id>_<secret>_<checksum>` in letters and digits only, so that the parts are unambiguous and a double click selects
 * the whole key. The id is not secret. 43 characters out of 62 hold 256 bits.
 */
export interface ApiKeyParts {
  readonly key_id: string
  readonly secret: string
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ID_LENGTH = 8
const SECRET_LENGTH = 43
const CHECKSUM_LENGTH = 6

export const API_KEY_PREFIX = 'dk_'
const API_KEY = /^dk_([0-9A-Za-z]{8})_([0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/

/** Returns a new key, with the text that its holder sees once. */
export function newApiKey(): ApiKeyParts & { readonly text: string } {
  const key = { key_id: randomText(ID_LENGTH), secret: randomText(SECRET_LENGTH) }
  return { ...key, text: apiKeyText(key) }
}

export function apiKeyText({ key_id, secret }: ApiKeyParts): string {
  const body = `${API_KEY_PREFIX}${key_id}_${secret}`
  return `${body}_${checksum(body)}`
}

/** Returns the parts of a presented key, or undefined if the text is mistyped or not an API key. */
export function readApiKey(text: string): ApiKeyParts | undefined {
  const [, key_id, secret, sum] = API_KEY.exec(text) ?? []
  if (key_id === undefined || secret === undefined) return undefined
  if (sum !== checksum(text.slice(0, -1 - CHECKSUM_LENGTH))) return undefined
  return { key_id, secret }
}

/** Returns the hash that is stored for a secret. Without the deployment's pepper it can't be attacked offline. */
export function secretHash(pepper: KeyObject, secret: string): string {
  return hmac(pepper, secret).toString('base64url')
}

/** Takes constant time. */
export function secretMatches(pepper: KeyObject, secret: string, secret_hash: string): boolean {
  const presented = hmac(pepper, secret)
  const stored = Buffer.alloc(presented.length)
  const length = stored.write(secret_hash, 'base64url')
  return timingSafeEqual(presented, stored) && length === presented.length
}

function hmac(pepper: KeyObject, secret: string): Buffer {
  return createHmac('sha256', pepper).update(secret).digest()
}

/** Returns a checksum that detects typing errors without a lookup and lets secret scanners recognize real keys. */
function checksum(body: string): string {
  let rest = crc32(body)
  let text = ''
  while (text.length < CHECKSUM_LENGTH) {
    text = `${ALPHABET[rest % ALPHABET.length]}${text}`
    rest = Math.floor(rest / ALPHABET.length)
  }
  return text
}

/** Derives an id from bytes, such as a digest, that are at least as long as the id. */
export function keyIdFrom(bytes: Uint8Array): string {
  return [...bytes.subarray(0, ID_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')
}

/** Bytes from here on are discarded: they would make the first characters of the alphabet more likely. */
const FAIR_BYTES = 256 - (256 % ALPHABET.length)

function randomText(length: number): string {
  let text = ''
  while (text.length < length)
    for (const byte of randomBytes(length + 8))
      if (byte < FAIR_BYTES) text += ALPHABET[byte % ALPHABET.length]
  return text.slice(0, length)
}
