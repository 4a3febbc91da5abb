import { readEd25519Jwk } from '../../../protocol/src/token/jwk.ts'
import type { VerificationKey } from '../../../protocol/src/token/jws.ts'
import type { JwkSet } from './jwk-set.ts'
import { together } from './together.ts'

/** The keys that sign tokens. */
export interface KeySource {
  /** Fetches the key set again when `kid` is unknown, at most once a minute. */
  find(kid: string): Promise<VerificationKey | undefined>
}

const REFRESH_MS = 60_000
/** Withdrawn keys disappear from the set, so the set is fetched again after this long even if every key is known. */
const KEY_SET_MAX_AGE_MS = 300_000

/** Keys that never change. */
export function fixedKeys(set: JwkSet): KeySource {
  const keys = keysIn(set)
  return { find: async (kid) => keys.get(kid) }
}

/** Keys that `read` fetches. If `read` fails, the keys fetched earlier stay valid. */
export function servedKeys(read: () => Promise<JwkSet>, clock: () => number): KeySource {
  let keys: ReadonlyMap<string, VerificationKey> | undefined
  let read_at_ms = 0
  /** The time of the last fetch but the first: right after that one, a new key may need another fetch. */
  let repeated_at_ms = -Infinity
  const newest = inOrder(read)

  async function refresh(): Promise<void> {
    const now_ms = clock()
    if (keys !== undefined) repeated_at_ms = now_ms
    try {
      const set = await newest()
      if (set === undefined) return
      keys = keysIn(set)
      read_at_ms = now_ms
    } catch (error) {
      if (keys === undefined) throw error
    }
  }

  const refreshing = together(refresh)

  return {
    async find(kid) {
      const isWanted = keys?.has(kid) !== true || clock() - read_at_ms > KEY_SET_MAX_AGE_MS
      const mayFetch = keys === undefined || clock() - repeated_at_ms >= REFRESH_MS
      if (isWanted && (mayFetch || refreshing.isUnderWay())) await refreshing.ask()
      return keys?.get(kid)
    },
  }
}

/** Calls `read`. Resolves to undefined if a later call finished first: an older set may list keys withdrawn since. */
function inOrder<T>(read: () => Promise<T>): () => Promise<T | undefined> {
  let started = 0
  let finished = 0
  return async () => {
    started += 1
    const mine = started
    const value = await read()
    if (mine < finished) return undefined
    finished = mine
    return value
  }
}

/** Ignores keys that are not Ed25519. */
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
