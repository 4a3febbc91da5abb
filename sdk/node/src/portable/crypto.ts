/** The part of node:crypto that the protocol uses, on Web Crypto. It replaces node:crypto when the package is built. */
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
  if (algorithm !== 'sha256') throw new Error(`The hash ${algorithm} is not supported.`)
  return Buffer.from(sha256(typeof data === 'string' ? encoder.encode(data) : data)).toString(encoding)
}

export function createPublicKey({ key }: { readonly key: Jwk }): KeyObject {
  return { jwk: key }
}

type VerifyKey = KeyObject | { readonly key: KeyObject }
type Callback = (error: Error | null, fits: boolean) => void

/** With a callback, checks the signature. Without one, returns the result of the earlier check: see `answer.ts`. */
export function verify(
  digest: 'sha256' | null,
  message: Uint8Array,
  given: VerifyKey,
  signature: Uint8Array,
  callback?: Callback,
): boolean | undefined {
  const { jwk } = 'key' in given ? given.key : given
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

// Callers keep their JWK objects, so each is imported once and collected together with its JWK.
const IMPORTED_KEYS = new WeakMap<Jwk, ImportedKey>()

function importedKey(jwk: Jwk, algorithm: { readonly name: string }): ImportedKey {
  const known = IMPORTED_KEYS.get(jwk)
  if (known !== undefined) return known
  const key = crypto.subtle.importKey('jwk', { ...jwk }, algorithm, false, ['verify'])
  IMPORTED_KEYS.set(jwk, key)
  return key
}
