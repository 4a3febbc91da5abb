/**
 * Returns a new Idempotency-Key: a UUID of version 7 (RFC 9562), which begins with the time. The embedded store keeps
 * answers in key order, so ordered keys cost it less than random ones.
 */
export function newIdempotencyKey(now_ms: number = Date.now()): string {
  const time = now_ms.toString(16).padStart(12, '0')
  const random = crypto.randomUUID().slice(15) // what follows the version
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random}`
}

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/** Throws a TypeError if the service would refuse the key. */
export function checkIdempotencyKey(key: unknown): void {
  if (typeof key === 'string' && IDEMPOTENCY_KEY.test(key)) return
  const said = 'idempotency_key must be 1 to 255 printable ASCII characters without spaces'
  throw new TypeError(`${said}. It is ${JSON.stringify(key)}.`)
}
