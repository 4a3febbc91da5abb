import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto'
import { decodeBase64url } from '../encoding/base64url.ts'

/** A public Ed25519 key (RFC 8037), with these three members and no others. */
export type Ed25519Jwk = { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string }

/** A public P-256 key (RFC 7518 section 6.2.1), with these four members and no others. */
export type P256Jwk = { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string }

/** A key that a token may be bound to. */
export type HolderJwk = Ed25519Jwk | P256Jwk

export const KEY_REASONS = [
  'not_an_object',
  'private_part',
  'unknown_member',
  'wrong_type',
  'wrong_curve',
  'bad_encoding',
  'wrong_length',
  'not_canonical',
  'low_order',
  'not_on_curve',
] as const

export type KeyReason = (typeof KEY_REASONS)[number]

/** The key is refused. The message never repeats key material. */
export class KeyError extends Error {
  readonly reason: KeyReason

  constructor(reason: KeyReason, detail: string) {
    super(detail)
    this.name = 'KeyError'
    this.reason = reason
  }
}

/** A frozen copy of `value`, if it is a public Ed25519 key that identifies one holder. */
export function readEd25519Jwk(value: unknown): Ed25519Jwk {
  const { kty, crv, x, ...rest } = publicMembers(value)
  if (Object.keys(rest).length > 0)
    throw new KeyError('unknown_member', 'A key has the members kty, crv and x only.')
  if (kty !== 'OKP') throw new KeyError('wrong_type', 'The key type (kty) must be OKP.')
  if (crv !== 'Ed25519') throw new KeyError('wrong_curve', 'The curve (crv) must be Ed25519.')
  if (typeof x !== 'string') throw new KeyError('bad_encoding', 'The key (x) must be a string.')
  checkPoint(keyBytes(x))
  return Object.freeze({ kty, crv, x })
}

/** The members of a key object. Throws if one of them is private. */
export function publicMembers(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new KeyError('not_an_object', 'A key is a JSON object.')
  if (PRIVATE_MEMBERS.some((name) => Object.hasOwn(value, name)))
    throw new KeyError('private_part', 'A private key was sent. Create a new one, send its public part.')
  return value as Record<string, unknown> // safe: an object, members still unknown
}

/** Private members of every kind of key (RFC 7518 section 6). */
const PRIVATE_MEMBERS = ['d', 'k', 'p', 'q', 'dp', 'dq', 'qi', 'oth']

/** The thumbprint of a key (RFC 7638): SHA-256 over its members in fixed order. */
export function thumbprint(jwk: HolderJwk): string {
  const y = jwk.kty === 'EC' ? `,"y":"${jwk.y}"` : ''
  return hash('sha256', `{"crv":"${jwk.crv}","kty":"${jwk.kty}","x":"${jwk.x}"${y}}`, 'base64url')
}

/** Whether `signature` over `message` was made by the holder of `jwk`. Never throws for a bad signature. */
export function verifyEd25519(jwk: Ed25519Jwk, message: Uint8Array, signature: Uint8Array): boolean {
  return signature.length === 64 && verify(null, message, keyObject(jwk), signature)
}

/** Whether the private key of `jwk` is published, so that its signatures prove nothing. */
export function isPublishedTestKey(jwk: Ed25519Jwk): boolean {
  return PUBLISHED_TEST_KEYS.has(jwk.x)
}

/** The `x` of keys whose private key is in an RFC or in the test vectors of this repository. */
export const PUBLISHED_TEST_KEYS: ReadonlySet<string> = new Set([
  '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', // RFC 8037 A.1, RFC 8032 test 1
  'PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw', // RFC 8032 test 2
  '_FHNjmIYoaONpH7QAjDwWAgW7RO6MwOsXeuRFUiQgCU', // RFC 8032 test 3
  '7Bcrk61eVjv0kyxw4SRQNMNUZ-8u_U1k6_gZaDRn4r8', // RFC 8032 test SHA(abc)
  'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs', // RFC 9421 test-key-ed25519
  'fVnFYj3UCnSqTVoyrGRdOz-V2urkwiviVHbdakhvc4I', // jwt-attacks, the withdrawn key
  '5zTqbCtiV95yNV5HKqBaTEh-a0Y8Ap7TBt8vAbVja1g', // jwt-attacks, the attacker's key
  '0EqyMnQrtKs6E2i9RhXk5tAiSrcaAWuvhSCjMsl3hzc', // signed-note, the log
  'oJql9HpnWYAv-VX43C0qFKXJnSO-l_hkEn_5ODRVpPA', // signed-note, the first witness
  'F8t5-ytBIPKx7GXkGY1uCLKOgT_rAeSkAIObheGAgM4', // signed-note, the second witness
])

// Callers keep their key objects, so each key is parsed once and collected together with them.
const KEY_OBJECTS = new WeakMap<HolderJwk, KeyObject>()

/** The parsed form of a key, remembered by its identity. */
export function keyObject(jwk: HolderJwk): KeyObject {
  const known = KEY_OBJECTS.get(jwk)
  if (known !== undefined) return known
  const key = createPublicKey({ key: { ...jwk }, format: 'jwk' })
  KEY_OBJECTS.set(jwk, key)
  return key
}

/** The 32 bytes of a coordinate. */
export function keyBytes(x: string): Uint8Array {
  const bytes = decoded(x)
  if (bytes.length !== 32) throw new KeyError('wrong_length', `A key has 32 bytes, this one ${bytes.length}.`)
  return bytes
}

function decoded(x: string): Uint8Array {
  try {
    return decodeBase64url(x)
  } catch {
    throw new KeyError('bad_encoding', 'The key is not canonical base64url.')
  }
}

const P = 2n ** 255n - 19n

/** The y of the eight points whose order divides 8. With such a key one signature is valid for many messages. */
const LOW_ORDER_Y: ReadonlySet<bigint> = new Set([
  0n,
  1n,
  P - 1n,
  0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n,
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
])

function checkPoint(bytes: Uint8Array): void {
  const y = yOf(bytes)
  if (y >= P) throw new KeyError('not_canonical', 'The key is not in canonical form.')
  if (LOW_ORDER_Y.has(y)) throw new KeyError('low_order', 'The key is a point of low order.')
}

/** RFC 8032 section 5.1.2: little-endian, and the top bit is the sign of x. */
function yOf(bytes: Uint8Array): bigint {
  const big_endian = Buffer.from(bytes).reverse().toString('hex')
  return BigInt.asUintN(255, BigInt(`0x${big_endian}`))
}
