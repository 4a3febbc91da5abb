/** Signatures of webhooks according to the Standard Webhooks specification: `v1` is HMAC-SHA256, `v1a` is Ed25519. */
import {
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'

export const WEBHOOK_SIGNATURES = ['v1', 'v1a'] as const
export type WebhookSignature = (typeof WEBHOOK_SIGNATURES)[number]

/** The key that signs, and the key that the receiver verifies with. With `v1` both are the same secret. */
export interface WebhookKeyPair {
  /** `whsec_…` or `whsk_…`, in base64. */
  readonly signing: string
  /** `whsec_…` or `whpk_…`, in base64. */
  readonly verifying: string
}

export interface WebhookMessage {
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly body: string
}

const SECRET_BYTES = 32
const SEED_BYTES = 32
/** These bytes followed by a raw Ed25519 seed are a PKCS #8 key. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

export function newWebhookKeys(signature: WebhookSignature): WebhookKeyPair {
  if (signature === 'v1') {
    const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
    return { signing: secret, verifying: secret }
  }
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ type: 'pkcs8', format: 'der' }).subarray(PKCS8_PREFIX.length)
  const open = publicKey.export({ type: 'spki', format: 'der' }).subarray(-SEED_BYTES)
  return {
    signing: `whsk_${Buffer.concat([seed, open]).toString('base64')}`,
    verifying: `whpk_${open.toString('base64')}`,
  }
}

/** The headers of a message. Several keys sign it while a new one takes over. */
export function webhookHeaders(
  signing_keys: readonly string[],
  message: WebhookMessage,
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': signing_keys.map((key) => signatureOf(key, message)).join(' '),
  }
}

function signatureOf(signing: string, { id, timestamp, body }: WebhookMessage): string {
  const content = `${id}.${timestamp}.${body}`
  const [prefix, text = ''] = signing.split('_', 2)
  const key = Buffer.from(text, 'base64')
  if (prefix === 'whsec') return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
  if (prefix === 'whsk')
    return `v1a,${sign(null, Buffer.from(content), privateKeyOf(key)).toString('base64')}`
  throw new TypeError('a webhook is signed with a whsec_ or a whsk_ key')
}

function privateKeyOf(key: Buffer): KeyObject {
  const der = Buffer.concat([PKCS8_PREFIX, key.subarray(0, SEED_BYTES)])
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
}
