import type { IncomingHttpHeaders } from 'node:http'
import { isIdempotencyKey } from '../idempotency-key.ts'

/** Headers with few distinct values per client, none of them secret. */
export const STEADY_HEADERS = [
  'host',
  'connection',
  'user-agent',
  'accept',
  'accept-encoding',
  'accept-language',
  'sec-fetch-mode',
  'content-type',
  'content-length',
] as const

/** The headers of programs that call the API. A request with any other header isn't plain. */
const PLAIN_HEADERS: ReadonlySet<string> = new Set([
  ...STEADY_HEADERS,
  'idempotency-key',
  'x-request-id',
  'traceparent',
  'tracestate',
  'authorization',
  'dpop',
  'deputy-token',
])

const JSON_TYPES: readonly unknown[] = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
]

/** A longer body is not plain. */
export const MOST_PLAIN_BYTES = 16 * 1024
const LENGTH = /^[1-9]\d{0,4}$/

/** Whether a request has nothing that needs a closer look: no proxy, no browser page or session, no large body. */
export function isPlainRequest(
  { headers }: { readonly headers: IncomingHttpHeaders },
  has_body: boolean,
): boolean {
  for (const name in headers) if (!PLAIN_HEADERS.has(name)) return false
  const key = headers['idempotency-key']
  if (key !== undefined && !isIdempotencyKey(key)) return false
  const { 'content-type': type, 'content-length': length, accept } = headers
  if (!has_body) return type === undefined && length === undefined && accept?.includes('text/html') !== true
  return JSON_TYPES.includes(type) && LENGTH.test(String(length)) && Number(length) <= MOST_PLAIN_BYTES
}
