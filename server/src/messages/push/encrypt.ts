/** RFC 8291: a message to one browser, which the push service cannot read. */
import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'

const CURVE = 'prime256v1'
const RECORD_SIZE = 4096
const TAG_BYTES = 16
/** A record ends with a delimiter and a tag, and the header of 86 bytes goes before it. */
const MOST_BYTES = RECORD_SIZE - 86 - TAG_BYTES - 1

/** The keys that the browser gave with its subscription. */
export interface PushReceiver {
  /** Its public key: 65 bytes, uncompressed. */
  readonly p256dh: Uint8Array
  /** Its secret: 16 bytes. */
  readonly auth: Uint8Array
}

/** Generated anew for every message. */
export interface PushSeed {
  readonly private_key: Uint8Array
  readonly salt: Uint8Array
}

export function newPushSeed(): PushSeed {
  const keys = createECDH(CURVE)
  keys.generateKeys()
  return { private_key: keys.getPrivateKey(), salt: randomBytes(16) }
}

/** Returns the body of a push message in the content coding aes128gcm (RFC 8188), as one record. */
export function encryptPush(
  text: Uint8Array,
  receiver: PushReceiver,
  { private_key, salt }: PushSeed = newPushSeed(),
): Buffer {
  if (text.length > MOST_BYTES) throw new RangeError(`a push message holds at most ${MOST_BYTES} bytes`)
  const sender = createECDH(CURVE)
  sender.setPrivateKey(private_key)
  const sender_key = sender.getPublicKey()
  const shared = sender.computeSecret(receiver.p256dh)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), receiver.p256dh, sender_key])
  const secret = derived(shared, receiver.auth, info, 32)
  const key = derived(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derived(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  // The delimiter 2 marks the last record.
  const sealed = [cipher.update(text), cipher.update(Buffer.of(2)), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat([header(salt, sender_key), ...sealed])
}

function derived(secret: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, length))
}

function header(salt: Uint8Array, sender_key: Uint8Array): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(RECORD_SIZE)
  return Buffer.concat([salt, size, Buffer.of(sender_key.length), sender_key])
}

/** Whether a browser could have given these keys: a point on the curve, and 16 bytes. */
export function isPushReceiver({ p256dh, auth }: PushReceiver): boolean {
  if (p256dh.length !== 65 || p256dh[0] !== 4 || auth.length !== 16) return false
  try {
    const probe = createECDH(CURVE)
    probe.generateKeys()
    probe.computeSecret(p256dh)
    return true
  } catch {
    return false
  }
}
