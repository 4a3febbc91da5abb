/** The separate channel that notifies people chosen in advance about coercion: a webhook that the operator sets. */
import { createHmac } from 'node:crypto'
import type { Outbound } from '../outbound/outbound.ts'

export interface SafetyAlert {
  /** The verification, or the change of a sign. */
  readonly alert_id: string
  readonly about: 'verification' | 'sign_changed'
  readonly tenant_id: string
  readonly human_ref: string
  readonly at: string
  readonly contacts: readonly string[]
}

/** Resolves to true if the receiver accepted the alert. Never rejects. */
export type SafetyChannel = (alert: SafetyAlert, now_ms: number) => Promise<boolean>

const SECRET = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/

/** Returns the key in a secret file, or undefined if the text isn't `whsec_` and 24 to 64 bytes in base64. */
export function readWebhookSecret(text: string): Uint8Array | undefined {
  return SECRET.test(text.trim()) ? Buffer.from(text.trim().slice('whsec_'.length), 'base64') : undefined
}

/**
 * Posts alerts as Standard Webhooks. Every attempt for an alert has the same `webhook-id`, so that a receiver can drop
 * duplicates.
 */
export function safetyChannel(url: string, secret: Uint8Array, call: Outbound): SafetyChannel {
  return async ({ at, about, alert_id, ...person }, now_ms) => {
    const id = `msg_${alert_id}`
    const timestamp = String(Math.floor(now_ms / 1000))
    const [type, data] =
      about === 'verification'
        ? ['verification.duress', { verification_id: alert_id, ...person }]
        : ['duress.sign_changed', { alert_id, ...person }]
    const body = JSON.stringify({ type, timestamp: at, data })
    const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    }
    try {
      return (await call(url, { method: 'POST', headers, body })).ok
    } catch {
      return false // not logged, because a log line would reveal the alert to its readers
    }
  }
}
