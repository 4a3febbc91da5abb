import { readEd25519Jwk } from '../../../protocol/src/token/jwk.ts'
import type { VerificationKey } from '../../../protocol/src/token/jws.ts'
import { together } from './together.ts'
import type { JwkSet } from './verify-token.ts'

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
  let begun = 0
  /** Which reading the keys are of. An older one may end later, and still hold keys that were withdrawn meanwhile. */
  let taken = 0
  /** When the set was last read again. The first time counts for nothing: a key may be made a moment later. */
  let repeated_at_ms = -Infinity

  async function refresh(): Promise<void> {
    const now_ms = clock()
    begun += 1
    const mine = begun
    if (keys !== undefined) repeated_at_ms = now_ms
    try {
      const set = await read()
      if (mine < taken) return
      keys = keysIn(set)
      taken = mine
      read_at_ms = now_ms
    } catch (error) {
      if (keys === undefined) throw error
    }
  }

  const refreshing = together(refresh)

  return {
    async find(kid) {
      const isWanted = keys?.has(kid) !== true || clock() - read_at_ms > MAX_AGE_MS
      const mayAsk = keys === undefined || clock() - repeated_at_ms >= REFRESH_MS
      if (isWanted && (mayAsk || refreshing.isUnderWay())) await refreshing.ask()
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
