import { webhookHeaders } from '@deputize/protocol'
import type { Outbound } from '../../outbound/outbound.ts'
import { outcomeOfFailedCall } from '../delivery/failed-call.ts'
import type { DeliveryOutcome } from '../delivery/port.ts'
import { retryAfterMs } from '../delivery/schedule.ts'

/** How much of a response is stored. */
export const ANSWER_BYTES = 1024

export interface WebhookRequest {
  readonly url: string
  /** The same for every attempt, so that a receiver can drop duplicates. */
  readonly message_id: string
  readonly content_type: string
  readonly body: string
  /** `whsec_…` or `whsk_…`; each signs. */
  readonly signing_keys: readonly string[]
}

/**
 * Posts one message according to the Standard Webhooks specification. Any 2xx is success. A failed call is an outcome,
 * not an error.
 */
export async function sendWebhook(
  { url, message_id, content_type, body, signing_keys }: WebhookRequest,
  call: Outbound,
  now_ms: number,
  signal?: AbortSignal,
): Promise<DeliveryOutcome> {
  const signed = webhookHeaders(signing_keys, {
    id: message_id,
    timestamp: Math.floor(now_ms / 1000),
    body,
  })
  const headers = { 'content-type': content_type, 'user-agent': 'Deputy-Webhooks/1', ...signed }
  try {
    const response = await call(url, { method: 'POST', headers, body, signal })
    return outcomeOf(response, await response.text(), now_ms)
  } catch (error) {
    return outcomeOfFailedCall(error)
  }
}

function outcomeOf({ status, ok, headers }: Response, text: string, now_ms: number): DeliveryOutcome {
  const notes = { status, ...(text !== '' && { answer: printable(text) }) }
  if (ok) return { outcome: 'delivered', ...notes }
  if (status === 410) return { outcome: 'gone', ...notes }
  const after_ms = retryAfterMs(headers.get('retry-after'), now_ms)
  return { outcome: 'retry', error: `the receiver answered ${status}`, after_ms, ...notes }
}

/** Replaces NUL, the only character that PostgreSQL can't store. The text may be cut within a character. */
function printable(text: string): string {
  return text.replaceAll('\0', '\ufffd')
}
