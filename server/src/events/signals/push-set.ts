import type { Outbound } from '../../outbound/outbound.ts'
import { outcomeOfFailedCall } from '../delivery/failed-call.ts'
import type { DeliveryOutcome } from '../delivery/port.ts'
import { retryAfterMs } from '../delivery/schedule.ts'
import type { PushTarget } from './stream-document.ts'

/**
 * Error codes of RFC 8935 that stay the same however often a SET is sent. The others can be fixed on either side, such
 * as a key that the receiver hasn't fetched yet or a credential that has expired.
 */
const FINAL_ERRORS: readonly unknown[] = ['invalid_request', 'invalid_issuer', 'invalid_audience']

/**
 * Pushes one SET (RFC 8935). Any 2xx is success, because some receivers don't answer 202. A failed call is an outcome,
 * not an error.
 */
export async function pushSet(
  { endpoint_url, authorization_header }: PushTarget,
  set: string,
  call: Outbound,
  { now_ms, signal }: { readonly now_ms: number; readonly signal?: AbortSignal | undefined },
): Promise<DeliveryOutcome> {
  const headers = {
    'content-type': 'application/secevent+jwt',
    accept: 'application/json',
    'user-agent': 'Deputy-Signals/1',
    ...(authorization_header !== undefined && { authorization: authorization_header }),
  }
  try {
    const response = await call(endpoint_url, { method: 'POST', headers, body: set, signal })
    return outcomeOf(response, await response.text(), now_ms)
  } catch (error) {
    return outcomeOfFailedCall(error)
  }
}

/** The outcome of a response. The body isn't stored, because a receiver may repeat the credential in it. */
function outcomeOf({ status, ok, headers }: Response, text: string, now_ms: number): DeliveryOutcome {
  if (ok) return { outcome: 'delivered', status }
  if (status === 410) return { outcome: 'gone', status }
  const err = status === 400 ? errIn(text) : undefined
  if (err !== undefined && FINAL_ERRORS.includes(err))
    return { outcome: 'refused', status, error: `the receiver refused the SET: ${err}` }
  const after_ms = retryAfterMs(headers.get('retry-after'), now_ms)
  return { outcome: 'retry', status, error: `the receiver answered ${status}`, after_ms }
}

function errIn(text: string): unknown {
  try {
    return JSON.parse(text)?.err
  } catch {
    return undefined
  }
}
