const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

export function isIdempotencyKey(header: unknown): header is string {
  return typeof header === 'string' && IDEMPOTENCY_KEY.test(header)
}
