/** Checks of callbacks that adapters share: on raw bytes, in constant time, within a time window. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { CallbackHeaders } from './port.ts'

/** How far the time of a callback may be from this machine's. */
export const CALLBACK_WINDOW_S = 300

export type MacEncoding = 'hex' | 'base64' | 'base64url'

const MAC_TEXT = {
  hex: /^[0-9a-f]{64}$/i,
  base64: /^[A-Za-z0-9+/]{43}=$/,
  base64url: /^[A-Za-z0-9_-]{43}=?$/,
} as const satisfies Record<MacEncoding, RegExp>

/** Returns the value of a header sent exactly once. If it was sent twice, one may be planted, so neither counts. */
export function onlyHeader(headers: CallbackHeaders, name: string): string | undefined {
  const values = headers[name.toLowerCase()] ?? []
  return values.length === 1 ? values[0] : undefined
}

/**
 * Whether one of the given texts is the HMAC-SHA256 of the concatenated parts under one of the secrets. Constant time
 * in the secrets and the bytes. The parts are hashed once for each secret, however many texts a stranger sends.
 */
export function isSigned(
  secrets: readonly (string | Uint8Array)[],
  parts: readonly (string | Uint8Array)[],
  given: readonly string[],
  encoding: MacEncoding,
): boolean {
  const macs = given
    .filter((text) => MAC_TEXT[encoding].test(text))
    .map((text) => Buffer.from(text, encoding))
  if (macs.length === 0) return false
  return secrets.some((secret) => {
    const hmac = createHmac('sha256', secret)
    for (const part of parts) hmac.update(part)
    const right = hmac.digest()
    return macs.some((mac) => timingSafeEqual(mac, right))
  })
}

/** Whether a time in seconds is close enough to now. */
export function isInWindow(time_s: number, now_ms: number, window_s: number = CALLBACK_WINDOW_S): boolean {
  return Number.isSafeInteger(time_s) && Math.abs(now_ms / 1000 - time_s) <= window_s
}

export interface TimedSignature {
  readonly time_s: number
  /** Every signature for that time: a provider that rotates its secret signs with both. */
  readonly signatures: readonly string[]
}

const MAX_SIGNATURES = 16
const MAX_HEADER_CHARS = 4096

/** Reads `t=<seconds>,v1=<hex>,v1=<hex>`. Undefined without exactly one time, or with more than any provider sends. */
export function readTimedSignature(text: string, scheme = 'v1'): TimedSignature | undefined {
  if (text.length > MAX_HEADER_CHARS) return undefined
  const pairs = text.split(',').map((pair) => pair.trim().split('='))
  if (pairs.length > MAX_SIGNATURES || pairs.some((pair) => pair.length !== 2)) return undefined
  const times = pairs.flatMap(([name, value = '']) => (name === 't' ? [value] : []))
  const [time = ''] = times
  if (times.length !== 1 || !/^\d{1,12}$/.test(time)) return undefined
  const signatures = pairs.flatMap(([name, value = '']) => (name === scheme ? [value] : []))
  return { time_s: Number(time), signatures }
}
