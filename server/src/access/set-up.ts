import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** The secret with which the first operator key of a deployment is made. It lives in this process only. */
export interface SetUp {
  /** For the start screen. */
  readonly secret: string
  matches(presented: string): boolean
}

export function newSetUp(): SetUp {
  const secret = `dsu_${randomBytes(24).toString('base64url')}`
  const digest = digestOf(secret)
  return { secret, matches: (presented) => timingSafeEqual(digestOf(presented), digest) }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
