import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { MINUTE_MS } from '../domain/times/time.ts'

/** A nonce is valid in the minute in which it was issued and in this many minutes after it. */
const MINUTES_AFTER = 2

/**
 * Nonces that show that a proof is recent. They are derived, not stored. With a key that only this process has, they
 * also show that the proof was made after the process started.
 */
export interface ProofNonces {
  /** Returns a nonce for the header `DPoP-Nonce`. */
  next(): string
  isFresh(nonce: string): boolean
}

export function proofNonces(key: Uint8Array, clock: () => number): ProofNonces {
  const signing = createSecretKey(key)
  function ofMinute(minute: number): string {
    return createHmac('sha256', signing).update(`deputy/proof-nonce|${minute}`).digest('base64url')
  }
  const minuteNow = () => Math.floor(clock() / MINUTE_MS)

  return {
    next: () => ofMinute(minuteNow()),
    isFresh(nonce) {
      const given = Buffer.from(nonce)
      const minute = minuteNow()
      return Array.from({ length: MINUTES_AFTER + 1 }, (_, back) =>
        Buffer.from(ofMinute(minute - back)),
      ).some((made) => made.length === given.length && timingSafeEqual(made, given))
    },
  }
}
