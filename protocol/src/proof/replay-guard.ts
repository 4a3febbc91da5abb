import { hash } from 'node:crypto'
import type { Proof } from './dpop.ts'

/**
 * Whether a proof is used for the first time. `full`: it may be, but could not be remembered. `unprovable`: it may have
 * been used before this process began; a proof with a fresh nonce would show that it was not. `too_old`: it may have
 * been used and forgotten, because the clock has been set back since.
 */
export type Admission = 'fresh' | 'replayed' | 'full' | 'unprovable' | 'too_old'

/** Guarantees that of all uses of the same proof while it is valid, exactly one is reported as fresh. */
export interface ReplayGuard {
  admit(proof: Proof, now_ms: number): Admission | Promise<Admission>
}

/** The most proofs in memory: about 3,000 a second with a window of 65 seconds. */
export const REMEMBERED_PROOFS = 200_000
/** While the memory is at least half full, one key has at most this share of it. The other half is for other keys. */
const SHARE_OF_A_KEY = 1 / 100

/** For one node. Its memory is lost when the process ends, so it refuses proofs that may be older than the process. */
export function memoryGuard(started_at_ms: number, limit = REMEMBERED_PROOFS): ReplayGuard {
  const seen = new Set<string>()
  /** The same proofs by the second in which they expire, with their keys. */
  const ending = new Map<number, { readonly name: string; readonly jkt: string }[]>()
  /** Number of remembered proofs by key. */
  const shares = new Map<string, number>()
  const share = Math.max(1, Math.floor(limit * SHARE_OF_A_KEY))
  let swept_s = 0

  function sweep(now_ms: number): void {
    const now_s = Math.floor(now_ms / 1000)
    if (now_s <= swept_s) return
    swept_s = now_s
    for (const [second, proofs] of ending) {
      if (second >= now_s) continue
      for (const proof of proofs) forget(proof)
      ending.delete(second)
    }
  }

  function forget({ name, jkt }: { readonly name: string; readonly jkt: string }): void {
    seen.delete(name)
    const left = (shares.get(jkt) ?? 1) - 1
    if (left === 0) shares.delete(jkt)
    else shares.set(jkt, left)
  }

  function remember(name: string, { jkt, ends_at_ms }: Proof): void {
    const second = Math.floor(ends_at_ms / 1000)
    const others = ending.get(second)
    if (others === undefined) ending.set(second, [{ name, jkt }])
    else others.push({ name, jkt })
    seen.add(name)
    shares.set(jkt, (shares.get(jkt) ?? 0) + 1)
  }

  /** Whether the memory is full for a key. One agent must not fill it, because all others' proofs would be refused. */
  function isFullFor(jkt: string): boolean {
    if (seen.size >= limit) return true
    return seen.size * 2 >= limit && (shares.get(jkt) ?? 0) >= share
  }

  return {
    admit(proof, now_ms) {
      sweep(now_ms)
      const name = replayKey(proof)
      if (seen.has(name)) return 'replayed'
      if (Math.floor(proof.ends_at_ms / 1000) < swept_s) return 'too_old'
      if (proof.earliest_ms <= started_at_ms && !proof.has_nonce) return 'unprovable'
      if (isFullFor(proof.jkt)) return 'full'
      remember(name, proof)
      return 'fresh'
    },
  }
}

/** Identifies a proof in all its forms, by the key and the `jti`. Not by the signature, because ES256 allows two. */
export function replayKey({ jkt, jti }: Proof): string {
  return hash('sha256', `${jkt}.${jti}`, 'base64url')
}
