import { readEd25519Jwk } from '../../../protocol/src/jwk.ts'
import type { VerificationKey } from '../../../protocol/src/jws.ts'

/** A JWK Set (RFC 7517), as `/.well-known/jwks.json` serves it. */
export interface JwkSet {
  readonly keys: readonly object[]
}

/** The keys that sign tokens. */
export interface KeySource {
  /** Asks the service about a key that is not known, at most once a minute. */
  find(kid: string): Promise<VerificationKey | undefined>
}

const REFRESH_MS = 60_000
/** Keys that were withdrawn are gone from the set, so it is read again after this long in any case. */
const MAX_AGE_MS = 300_000

export function fixedKeys(set: JwkSet): KeySource {
  const keys = keysIn(set)
  return { find: async (kid) => keys.get(kid) }
}

/** Keys that `read` fetches. While it fails, the known ones go on being good. */
export function servedKeys(read: () => Promise<JwkSet>, clock: () => number): KeySource {
  let keys: ReadonlyMap<string, VerificationKey> | undefined
  let read_at_ms = 0
  let tried_at_ms = -Infinity
  let reading: Promise<void> | undefined

  async function refresh(): Promise<void> {
    tried_at_ms = clock()
    try {
      keys = keysIn(await read())
      read_at_ms = tried_at_ms
    } catch (error) {
      if (keys === undefined) throw error
    }
  }

  /** Those who ask at the same time wait for the same answer. */
  function refreshTogether(): Promise<void> {
    reading ??= refresh().finally(() => {
      reading = undefined
    })
    return reading
  }

  return {
    async find(kid) {
      const now_ms = clock()
      const isWanted = keys === undefined || !keys.has(kid) || now_ms - read_at_ms > MAX_AGE_MS
      if (isWanted && (keys === undefined || now_ms - tried_at_ms >= REFRESH_MS)) await refreshTogether()
      return keys?.get(kid)
    },
  }
}

/** Keys of other kinds are none of ours. */
function keysIn({ keys }: JwkSet): Map<string, VerificationKey> {
  const known = new Map<string, VerificationKey>()
  for (const key of keys) {
    const { kid, kty, crv, x, alg } = key as Record<string, unknown> // any member may be missing
    if (typeof kid !== 'string' || kty !== 'OKP' || crv !== 'Ed25519') continue
    if (alg !== undefined && alg !== 'EdDSA') continue
    known.set(kid, { kid, alg: 'EdDSA', jwk: readEd25519Jwk({ kty, crv, x }) })
  }
  return known
}
