import { type KeyObject, verify } from 'node:crypto'
import {
  type HolderJwk,
  KeyError,
  keyBytes,
  keyObject,
  type P256Jwk,
  publicMembers,
  readEd25519Jwk,
} from './jwk.ts'

/** Algorithms for proof of possession, and the key type of each. */
export const HOLDER_ALGORITHMS = { EdDSA: 'OKP', ES256: 'EC' } as const satisfies Record<
  string,
  HolderJwk['kty']
>

/**
 * A frozen copy of `value`, if it is a public key that a token can be bound to: Ed25519, or P-256, which is all that many
 * device key stores offer.
 */
export function readHolderJwk(value: unknown): HolderJwk {
  const { kty } = publicMembers(value)
  if (kty === 'EC') return readP256Jwk(value)
  if (kty === 'OKP') return readEd25519Jwk(value)
  throw new KeyError('wrong_type', 'The key type (kty) must be OKP (Ed25519) or EC (P-256).')
}

export function readP256Jwk(value: unknown): P256Jwk {
  const { kty, crv, x, y, ...rest } = publicMembers(value)
  if (Object.keys(rest).length > 0)
    throw new KeyError('unknown_member', 'A P-256 key has the members kty, crv, x and y only.')
  if (kty !== 'EC') throw new KeyError('wrong_type', 'The key type (kty) must be EC.')
  if (crv !== 'P-256') throw new KeyError('wrong_curve', 'The curve (crv) must be P-256.')
  if (typeof x !== 'string' || typeof y !== 'string')
    throw new KeyError('bad_encoding', 'The coordinates (x, y) must be strings.')
  checkOnCurve(coordinate(x), coordinate(y))
  return Object.freeze({ kty, crv, x, y })
}

/**
 * Whether `signature` over `message` was made by the holder of `jwk`. Checked on the thread pool. For every ES256
 * signature anyone can compute a second valid one, so a signature must not be used as an identifier.
 */
export function verifyHolder(jwk: HolderJwk, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
  if (signature.length !== 64) return Promise.resolve(false)
  const key = keyObject(jwk)
  return jwk.kty === 'EC'
    ? verified('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, signature)
    : verified(null, message, key, signature)
}

function verified(
  digest: 'sha256' | null,
  message: Uint8Array,
  key: KeyObject | { key: KeyObject; dsaEncoding: 'ieee-p1363' },
  signature: Uint8Array,
): Promise<boolean> {
  return new Promise((resolve, reject) =>
    verify(digest, message, key, signature, (error, fits) =>
      error === null ? resolve(fits) : reject(error),
    ),
  )
}

// The curve of FIPS 186-4, D.1.2.3: y^2 = x^3 - 3x + B modulo P. It has prime order, so every point on it is safe.
const P = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn

function checkOnCurve(x: bigint, y: bigint): void {
  if (x >= P || y >= P) throw new KeyError('not_canonical', 'The key is not in canonical form.')
  if ((x ** 3n - 3n * x + B - y ** 2n) % P !== 0n)
    throw new KeyError('not_on_curve', 'The key is not a point of the curve.')
}

function coordinate(text: string): bigint {
  return BigInt(`0x${Buffer.from(keyBytes(text)).toString('hex')}`)
}
