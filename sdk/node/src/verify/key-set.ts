import { readEd25519Jwk } from '../../../../protocol/src/token/jwk.ts'
import type { VerificationKey } from '../../../../protocol/src/token/jws.ts'
import type { JwkSet } from './jwk-set.ts'
import { together } from './together.ts'

/** The keys of the service, each with its purpose. */
export interface KeySource {
  /**
   * Fetches the key set again if `kid` is unknown, at most once a second. A caller with a new key may wait that long.
   */
  find(kid: string): Promise<VerificationKey | undefined>
}

/** Anyone can name an unknown key, so all such callers share one fetch a second. None is refused because of another. */
const UNKNOWN_KEY_PAUSE_MS = 1_000
/** Longer than the pause plus a fetch, so that waiting callers don't start another one. */
const SHARED_FETCH_MS = 5_000
const REFRESH_MS = 60_000
/** Withdrawn keys disappear from the set, so the set is fetched again after this long even if every key is known. */
const KEY_SET_MAX_AGE_MS = 300_000

/** Returns a source of keys that never change. */
export function fixedKeys(set: JwkSet): KeySource {
  const keys = keysIn(set)
  return { find: async (kid) => keys.get(kid) }
}

/** Returns a source of keys that `read` fetches. If `read` fails, the keys fetched earlier stay valid. */
export function servedKeys(read: () => Promise<JwkSet>, clock: () => number): KeySource {
  let keys: ReadonlyMap<string, VerificationKey> | undefined
  let read_at_ms = 0
  /** The time of the last fetch, except the first: right after the first, a new key may need another fetch. */
  let repeated_at_ms = -Infinity
  let fetches = 0
  const newest = inOrder(read)

  async function refresh(): Promise<void> {
    const now_ms = clock()
    fetches += 1
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
  const refreshingSoon = together(async () => {
    const wait_ms = repeated_at_ms + UNKNOWN_KEY_PAUSE_MS - clock()
    if (wait_ms > 0) await new Promise((resolve) => setTimeout(resolve, wait_ms))
    await refresh()
  }, SHARED_FETCH_MS)

  /** Waits for a fetch that starts after this call, because an earlier one may have missed the key. */
  async function refreshFor(kid: string): Promise<void> {
    const before = fetches
    await refreshingSoon.ask()
    if (keys?.has(kid) !== true && fetches === before) await refreshingSoon.ask()
  }

  return {
    async find(kid) {
      const isOld = clock() - read_at_ms > KEY_SET_MAX_AGE_MS
      if (keys === undefined) await refreshing.ask()
      else if (!keys.has(kid)) await refreshFor(kid)
      else if (isOld && (clock() - repeated_at_ms >= REFRESH_MS || refreshing.isUnderWay()))
        await refreshing.ask()
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

/** Returns the keys by ID. Ignores keys that are not Ed25519. */
function keysIn({ keys }: JwkSet): Map<string, VerificationKey> {
  const known = new Map<string, VerificationKey>()
  for (const key of keys) {
    const { kid, kty, crv, x, alg, purpose } = key as Record<string, unknown> // any member may be missing
    if (typeof kid !== 'string' || kty !== 'OKP' || crv !== 'Ed25519') continue
    if (alg !== undefined && alg !== 'EdDSA') continue
    known.set(kid, {
      kid,
      alg: 'EdDSA',
      jwk: readEd25519Jwk({ kty, crv, x }),
      ...(typeof purpose === 'string' && { purpose }),
    })
  }
  return known
}
