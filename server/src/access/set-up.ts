import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** The secret with which the first operator key of a deployment is made. It lives in this process only, and works once. */
export interface SetUp {
  /** For the start screen. */
  readonly secret: string
  matches(presented: string): boolean
  /** Uses the secret up. Of many who do so at the same time one gets true. */
  use(): boolean
  /** Nothing came of it: the secret works again. */
  giveBack(): void
}

export function newSetUp(): SetUp {
  const secret = `dsu_${randomBytes(24).toString('base64url')}`
  const digest = digestOf(secret)
  let isUsed = false
  return {
    secret,
    matches: (presented) => timingSafeEqual(digestOf(presented), digest),
    use() {
      if (isUsed) return false
      isUsed = true
      return true
    },
    giveBack() {
      isUsed = false
    },
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
