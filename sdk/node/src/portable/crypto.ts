/** What the protocol uses of node:crypto, with Web Crypto. It takes its place when the package is built. */
import { sha256 } from '@noble/hashes/sha2.js'
import { isKnownToFit } from './answer.ts'
import { Buffer } from './buffer.ts'

type Jwk = { readonly kty: 'OKP' | 'EC'; readonly x: string; readonly y?: string }
type KeyObject = { readonly jwk: Jwk }

const encoder = new TextEncoder()

export function hash(
  algorithm: string,
  data: Uint8Array | string,
  encoding: 'hex' | 'base64url' = 'hex',
): string {
  if (algorithm !== 'sha256') throw new Error(`no ${algorithm} here`)
  return Buffer.from(sha256(typeof data === 'string' ? encoder.encode(data) : data)).toString(encoding)
}

export function createPublicKey({ key }: { readonly key: Jwk }): KeyObject {
  return { jwk: key }
}

type Asked = KeyObject | { readonly key: KeyObject }
type Callback = (error: Error | null, fits: boolean) => void

/** With a callback, checks the signature. Without, says what is known of it: see `answer.ts`. */
export function verify(
  digest: 'sha256' | null,
  message: Uint8Array,
  asked: Asked,
  signature: Uint8Array,
  callback?: Callback,
): boolean | undefined {
  const { jwk } = 'key' in asked ? asked.key : asked
  if (callback === undefined) return digest === null && isKnownToFit(jwk.x, message, signature)
  checkSignature(jwk, message, signature).then(
    (fits) => callback(null, fits),
    (error) => callback(error, false),
  )
  return undefined
}

export async function checkSignature(jwk: Jwk, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
  const isEcdsa = jwk.kty === 'EC'
  const algorithm = isEcdsa ? { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } : { name: 'Ed25519' }
  const key = await importedKey(jwk, algorithm)
  return crypto.subtle.verify(algorithm, key, new Uint8Array(signature), new Uint8Array(message))
}

type ImportedKey = ReturnType<typeof crypto.subtle.importKey>

// Callers keep their keys, so that each is imported once and forgotten together with them.
const IMPORTED_KEYS = new WeakMap<Jwk, ImportedKey>()

function importedKey(jwk: Jwk, algorithm: { readonly name: string }): ImportedKey {
  const known = IMPORTED_KEYS.get(jwk)
  if (known !== undefined) return known
  const key = crypto.subtle.importKey('jwk', { ...jwk }, algorithm, false, ['verify'])
  IMPORTED_KEYS.set(jwk, key)
  return key
}
