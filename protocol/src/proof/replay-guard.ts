import { hash } from 'node:crypto'
import type { Proof } from './dpop.ts'

/**
 * Whether a proof is used for the first time. `full`: it may be, but could not be remembered. `unprovable`: it may have
 * been used before this process began; a proof with a fresh nonce would show that it was not. `too_old`: it may have been
 * used and forgotten, because the clock was set back since.
 */
export type Admission = 'fresh' | 'replayed' | 'full' | 'unprovable' | 'too_old'

/** Guarantees that of all uses of the same proof while it is valid, exactly one is reported as fresh. */
export interface ReplayGuard {
  admit(proof: Proof, now_ms: number): Admission | Promise<Admission>
}

/** At most so many proofs are told apart in memory: some 3,000 a second with a window of 65 seconds. */
export const REMEMBERED_PROOFS = 200_000

/** For one node. Its memory is lost when the process ends, so it refuses proofs that may be older than the process. */
export function memoryGuard(started_at_ms: number, limit = REMEMBERED_PROOFS): ReplayGuard {
  const seen = new Set<string>()
  /** The same by the second in which they end. */
  const ending = new Map<number, string[]>()
  let swept_s = 0

  function sweep(now_ms: number): void {
    const now_s = Math.floor(now_ms / 1000)
    if (now_s <= swept_s) return
    swept_s = now_s
    for (const [second, keys] of ending) {
      if (second >= now_s) continue
      for (const key of keys) seen.delete(key)
      ending.delete(second)
    }
  }

  function remember(key: string, ends_at_ms: number): void {
    const second = Math.floor(ends_at_ms / 1000)
    const others = ending.get(second)
    if (others === undefined) ending.set(second, [key])
    else others.push(key)
    seen.add(key)
  }

  return {
    admit(proof, now_ms) {
      sweep(now_ms)
      const key = replayKey(proof)
      if (seen.has(key)) return 'replayed'
      if (Math.floor(proof.ends_at_ms / 1000) < swept_s) return 'too_old'
      if (proof.earliest_ms <= started_at_ms && !proof.has_nonce) return 'unprovable'
      if (seen.size >= limit) return 'full'
      remember(key, proof.ends_at_ms)
      return 'fresh'
    },
  }
}

/**
 * The same for every form of a proof: it uses the key and the `jti`, not the signature, because ES256 allows two.
 */
export function replayKey({ jkt, jti }: Proof): string {
  return hash('sha256', `${jkt}.${jti}`, 'base64url')
}
