import { encodeBase64url } from '../../../../protocol/src/encoding/base64url.ts'
import { CredentialError } from '../../../../protocol/src/proof/credential-fault.ts'
import { verifyProof } from '../../../../protocol/src/proof/dpop.ts'
import { memoryGuard } from '../../../../protocol/src/proof/replay-guard.ts'
import type { HolderJwk } from '../../../../protocol/src/token/jwk.ts'
import { remembered } from '../remembered.ts'

export interface PresentedProof {
  readonly text: string
  readonly method: string
  /** The URL that the caller used. */
  readonly url: string
  readonly compact_jwt: string
  readonly jkt: string
}

/** Checks proofs of possession (RFC 9449). Each proof is accepted once. */
export interface ProofJudge {
  /** Throws a `CredentialError` if the proof is rejected. */
  judge(proof: PresentedProof): Promise<void>
  /** For the header `DPoP-Nonce`. */
  nonce(): string
}

const NONCE_MS = 60_000
/** A nonce is valid in the minute in which it was handed out and in the next. */
const KEPT_NONCES = 2
/** How many agent keys, and how many token hashes, are cached. */
const CACHED_HOLDERS = 1_000

export function proofJudge(clock: () => number): ProofJudge {
  // Edge runtimes have no clock before the first request, so there the guard starts with the first proof.
  let guard = clock() === 0 ? undefined : memoryGuard(clock())
  const nonces = freshNonces(clock)
  const holders = remembered<string, HolderJwk>(CACHED_HOLDERS)
  const hashes = remembered<string, string>(CACHED_HOLDERS)

  async function hashOf(compact_jwt: string): Promise<string> {
    const known = hashes.get(compact_jwt)
    if (known !== undefined) return known
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(compact_jwt))
    const hash = encodeBase64url(new Uint8Array(digest))
    hashes.set(compact_jwt, hash)
    return hash
  }

  return {
    nonce: nonces.next,
    async judge({ text, method, url, compact_jwt, jkt }) {
      const ath = await hashOf(compact_jwt)
      const holder = holders.get(jkt)
      const nonce = { isRequired: false, isFresh: nonces.isFresh }
      const proof = await verifyProof(text, { method, url, ath, jkt, holder, now_ms: clock(), nonce })
      holders.set(jkt, proof.holder)
      guard ??= memoryGuard(clock())
      const admission = await guard.admit(proof, clock())
      if (admission === 'fresh') return
      if (admission === 'replayed') throw new CredentialError('proof_replayed')
      if (admission === 'full') throw new CredentialError('too_many_proofs')
      if (admission === 'unprovable') throw new CredentialError('nonce_required', 'made_before_start')
      throw new CredentialError('proof_refused', admission)
    },
  }
}

/** Nonces belong to this process, so a proof that carries one was made after the process started. */
function freshNonces(clock: () => number) {
  const given: { readonly minute: number; readonly text: string }[] = []
  const minuteNow = () => Math.floor(clock() / NONCE_MS)
  return {
    next(): string {
      const minute = minuteNow()
      if (given[0]?.minute !== minute) given.unshift({ minute, text: crypto.randomUUID() })
      given.length = Math.min(given.length, KEPT_NONCES)
      return given[0]?.text ?? ''
    },
    isFresh: (nonce: string) =>
      given.some(({ minute, text }) => text === nonce && minute > minuteNow() - KEPT_NONCES),
  }
}
