import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  randomFillSync,
  timingSafeEqual,
} from 'node:crypto'
import { hmacSha256 } from '@deputize/protocol'
import type { DigestKind } from './port/write-store.ts'

const SEALED = 1
const STAMPED = 2
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_ID_END = 1 + 8
const HEADER_BYTES = KEY_ID_END + NONCE_BYTES
const STAMP_END = KEY_ID_END + 32

/** By the first byte, which says how the rest is written. */
const LEAST_BYTES: Readonly<Record<number, number>> = {
  [SEALED]: HEADER_BYTES + TAG_BYTES,
  [STAMPED]: STAMP_END,
}

/** The length of a wrapped data key. Destroying one overwrites it with as many zeros. */
export const WRAPPED_BYTES = HEADER_BYTES + KEY_BYTES + TAG_BYTES

/** The id by which values name the deployment's own key, which belongs to no person. */
const DEPLOYMENT_KEY = 0

/** What a sealed field is bound to. A field that was moved to another kind or row can't be opened. */
export interface Place {
  readonly kind:
    | 'record.metadata'
    | 'rating.note'
    | 'token.purpose'
    | 'token.reason'
    | 'token.suspend_reason'
    | 'token.inner_limits'
    | 'agent.suspend_reason'
    | 'approval.metadata'
    | 'approval.note'
    | 'replay'
    | 'registry.document'
    | 'vouch.note'
    | 'anchor.reason'
    | 'ephemeral'
    | 'delivery.answer'
    | 'check'
  readonly row: string
}

/** A key that seals fields and keys digests: that of one person, or that of the deployment. */
export interface DataKey {
  readonly key_id: number
  seal(place: Place, text: string): Uint8Array
  /** Like `seal`, but anyone can read the text. For texts that hold nothing personal, because it takes less time. */
  stamp(place: Place, text: string): Uint8Array
  /** Throws if the bytes were not sealed or stamped with this key for this very place. */
  open(place: Place, sealed: Uint8Array): string
  /** A digest that is meaningless without the key, and to everyone once the key is destroyed. */
  digest(kind: DigestKind, text: string): string
}

/** Makes, wraps and unwraps the data keys of people. It keeps nothing: storing keys is up to the store. */
export interface Vault {
  readonly deployment: DataKey
  /** A new data key for a person, and the form in which it may be stored. */
  make(key_id: number, human_ref: string): { readonly key: DataKey; readonly wrapped: Uint8Array }
  /** Undefined for a destroyed key. Throws for a key wrapped by another vault or for another person. */
  unwrap(key_id: number, human_ref: string, wrapped: Uint8Array): DataKey | undefined
}

/** A sealed value was not made for the place where it was found, or was changed. */
export class SealError extends Error {
  override readonly name = 'SealError'

  constructor(cause: unknown) {
    super('a sealed value was found in the wrong place: the data is damaged', { cause })
  }
}

/** Opens the vault of a deployment. `vault_key` is derived from the secret in its key file. */
export function openVault(vault_key: Uint8Array): Vault {
  const wrapping = createSecretKey(derived(vault_key, 'wrap'))
  return {
    deployment: dataKey(DEPLOYMENT_KEY, derived(vault_key, 'deployment')),
    make(key_id, human_ref) {
      const bytes = randomBytes(KEY_BYTES)
      const wrapped = seal(wrapping, key_id, wrappingContext(key_id, human_ref), bytes)
      return { key: dataKey(key_id, bytes), wrapped }
    },
    unwrap(key_id, human_ref, wrapped) {
      if (wrapped.every((byte) => byte === 0)) return undefined
      return dataKey(key_id, open(wrapping, wrappingContext(key_id, human_ref), wrapped))
    },
  }
}

/** Returns the id of the key that a value was sealed or stamped with; undefined for the deployment's key. */
export function keyIdOf(sealed: Uint8Array): number | undefined {
  const least = LEAST_BYTES[sealed[0] ?? 0]
  if (least === undefined || sealed.length < least) throw new SealError(undefined)
  const key_id = Number(Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length).readBigUInt64BE(1))
  return key_id === DEPLOYMENT_KEY ? undefined : key_id
}

function dataKey(key_id: number, bytes: Uint8Array): DataKey {
  const sealing = createSecretKey(bytes)
  let digesting: Hmac | undefined // most keys only open something
  let stamping: Hmac | undefined
  const stampOf = (place: Place, text: string) => {
    stamping ??= hmacSha256(derived(bytes, 'stamp'))
    const about = context(place)
    return stamping(`${about.length}|${about}|${text}`)
  }
  return {
    key_id,
    seal: (place, text) => seal(sealing, key_id, context(place), Buffer.from(text)),
    stamp: (place, text) => stamped(key_id, stampOf(place, text), text),
    open(place, sealed) {
      if (sealed[0] !== STAMPED) return open(sealing, context(place), sealed).toString()
      return openStamped(sealed, (text) => stampOf(place, text))
    },
    digest(kind, text) {
      digesting ??= hmacSha256(derived(bytes, 'digest'))
      return `sha256:${digesting(`${kind}|${text}`)}`
    },
  }
}

type Hmac = ReturnType<typeof hmacSha256>

function derived(key: Uint8Array, purpose: 'wrap' | 'deployment' | 'digest' | 'stamp'): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, '', `deputy/${purpose}`, KEY_BYTES))
}

function context({ kind, row }: Place): string {
  return `${kind}|${row}`
}

function wrappingContext(key_id: number, human_ref: string): string {
  return `data-key|${key_id}|${human_ref}`
}

/** Returns one byte for the format, eight for the key, twelve of nonce, the ciphertext, and the tag of AES-256-GCM. */
function seal(key: KeyObject, key_id: number, about: string, plain: Uint8Array): Uint8Array {
  const sealed = Buffer.allocUnsafe(HEADER_BYTES + plain.length + TAG_BYTES)
  sealed[0] = SEALED
  sealed.writeBigUInt64BE(BigInt(key_id), 1)
  const nonce = freshNonce()
  sealed.set(nonce, KEY_ID_END)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(Buffer.from(about))
  sealed.set(cipher.update(plain), HEADER_BYTES)
  cipher.final()
  sealed.set(cipher.getAuthTag(), HEADER_BYTES + plain.length)
  return sealed
}

function open(key: KeyObject, about: string, sealed: Uint8Array): Buffer {
  keyIdOf(sealed)
  try {
    const nonce = sealed.subarray(KEY_ID_END, HEADER_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(about))
    decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES))
    const plain = decipher.update(sealed.subarray(HEADER_BYTES, sealed.length - TAG_BYTES))
    decipher.final()
    return plain
  } catch (cause) {
    throw new SealError(cause)
  }
}

/** Returns one byte for the format, eight for the key, the stamp, and the text. */
function stamped(key_id: number, stamp: string, text: string): Uint8Array {
  const value = Buffer.allocUnsafe(STAMP_END + Buffer.byteLength(text))
  value[0] = STAMPED
  value.writeBigUInt64BE(BigInt(key_id), 1)
  value.write(stamp, KEY_ID_END, 'hex')
  value.write(text, STAMP_END)
  return value
}

function openStamped(sealed: Uint8Array, stampOf: (text: string) => string): string {
  keyIdOf(sealed)
  const value = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length)
  const text = value.toString('utf8', STAMP_END)
  const expected = Buffer.from(stampOf(text), 'hex')
  // Bytes that aren't UTF-8 would be read as the same text.
  const isWhole = Buffer.byteLength(text) === value.length - STAMP_END
  if (!isWhole || !timingSafeEqual(expected, value.subarray(KEY_ID_END, STAMP_END)))
    throw new SealError(undefined)
  return text
}

/** Random bytes are drawn in larger pieces, because each call costs more than the sealing itself. */
const nonces = Buffer.alloc(NONCE_BYTES * 256)
let spent = nonces.length

function freshNonce(): Uint8Array {
  if (spent >= nonces.length) {
    randomFillSync(nonces)
    spent = 0
  }
  spent += NONCE_BYTES
  return Uint8Array.prototype.slice.call(nonces, spent - NONCE_BYTES, spent)
}
