/** RFC 8292: identifies the sender of a push message, so that a push service can tell senders apart. */
import { createECDH, createPrivateKey, sign } from 'node:crypto'

const CURVE = 'prime256v1'
/** Push services accept at most 24 hours. */
const LIFETIME_S = 12 * 3600

export interface VapidKey {
  /** 65 bytes, base64url: what a browser subscribes with. */
  readonly public_key: string
  /** Returns the value of the header `Authorization` for a push service. `contact` is a mailto: or https: address. */
  authorization(endpoint: string, contact: string, now_ms: number): string
}

/**
 * Derives the deployment's key from its secret. Every node has the same key, and it changes only with the secret,
 * because browsers are subscribed to it. `derive` returns 32 bytes for a label.
 */
export function vapidKey(derive: (label: string) => Uint8Array): VapidKey {
  const keys = keysFrom(derive)
  const public_key = keys.getPublicKey()
  const privateKey = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: public_key.subarray(1, 33).toString('base64url'),
      y: public_key.subarray(33).toString('base64url'),
      d: padded(keys.getPrivateKey()).toString('base64url'),
    },
  })
  const encoded = public_key.toString('base64url')
  return {
    public_key: encoded,
    authorization(endpoint, contact, now_ms) {
      const exp = Math.floor(now_ms / 1000) + LIFETIME_S
      const head = part({ typ: 'JWT', alg: 'ES256' })
      const signed = `${head}.${part({ aud: new URL(endpoint).origin, exp, sub: contact })}`
      const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' })
      return `vapid t=${signed}.${signature.toString('base64url')}, k=${encoded}`
    },
  }
}

/** Derives the key pair. One in 2^32 candidates isn't below the order of the curve. Then the next one is taken. */
function keysFrom(derive: (label: string) => Uint8Array) {
  for (let attempt = 0; ; attempt += 1) {
    const keys = createECDH(CURVE)
    try {
      keys.setPrivateKey(derive(`vapid ${attempt}`))
      return keys
    } catch (error) {
      if (attempt > 8) throw error
    }
  }
}

/** Restores the leading zeros that `getPrivateKey` drops. */
function padded(scalar: Buffer): Buffer {
  return Buffer.concat([Buffer.alloc(32 - scalar.length), scalar])
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
