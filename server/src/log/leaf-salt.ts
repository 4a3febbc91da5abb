import { randomFillSync } from 'node:crypto'

const SALT_BYTES = 16

/** Random bytes are drawn for many leaves at once, because one large draw costs about as much as one small one. */
const pool = Buffer.alloc(256 * SALT_BYTES)
let used = pool.length

/**
 * Returns 128 random bits for one leaf. The hashes of the log are public, but its leaves aren't: without a salt, the
 * few values that most members can have could be guessed and compared with a hash.
 */
export function newLeafSalt(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += SALT_BYTES
  return pool.toString('base64url', used - SALT_BYTES, used)
}

const SALT = /^[A-Za-z0-9_-]{21}[AQgw]$/

export function isLeafSalt(value: unknown): boolean {
  return typeof value === 'string' && SALT.test(value)
}
