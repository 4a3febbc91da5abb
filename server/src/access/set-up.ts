import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** The secret that creates the first operator key of a deployment. It exists in this process only and works once. */
export interface SetUp {
  /** For the start screen. */
  readonly secret: string
  matches(presented: string): boolean
  /** Uses the secret up. Of several concurrent calls exactly one returns true. */
  use(): boolean
  /** Makes the secret usable again, after the key could not be created. */
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
