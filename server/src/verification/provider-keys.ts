import { AuthorityError } from '@deputize/protocol'
import type { Outbound } from '../outbound/outbound.ts'
import type { PublishedKey } from './id-token.ts'
import { readProviderAnswer } from './read-provider-answer.ts'

const MIN_FETCH_INTERVAL_MS = 60_000
/** The longest time that a key is used after its provider has withdrawn it. */
const MAX_KEY_AGE_MS = 600_000
const MAX_KEYS = 100

export interface ProviderKeys {
  /** Returns the keys with that id, or all keys if it is undefined. */
  find(kid: string | undefined): Promise<readonly PublishedKey[]>
}

/**
 * Returns the keys that a provider publishes. They are fetched again when they are old or when an unknown key is
 * requested, but at most once a minute.
 */
export function providerKeys(uri: string, call: Outbound, clock: () => number): ProviderKeys {
  let keys: readonly PublishedKey[] = []
  let fresh_ms = Number.NEGATIVE_INFINITY
  let fetched_ms = Number.NEGATIVE_INFINITY
  let fetching: Promise<void> | undefined

  async function fetchKeys(): Promise<void> {
    const { keys: list } = await readProviderAnswer(
      await call(uri, { headers: { accept: 'application/json' } }),
    )
    keys = (Array.isArray(list) ? list : []).filter(isPublishedKey).slice(0, MAX_KEYS)
    fresh_ms = clock()
  }

  /** Fetches the keys. Concurrent callers share one fetch. */
  async function refresh(): Promise<void> {
    if (fetching === undefined) {
      if (clock() - fetched_ms < MIN_FETCH_INTERVAL_MS) return
      fetched_ms = clock()
      fetching = fetchKeys().finally(() => {
        fetching = undefined
      })
    }
    await fetching
  }

  const isOld = () => clock() - fresh_ms >= MAX_KEY_AGE_MS
  const known = (kid: string | undefined) =>
    kid === undefined ? keys : keys.filter((key) => key.kid === kid)

  return {
    async find(kid) {
      if (isOld() || known(kid).length === 0) await refresh()
      if (isOld()) throw new AuthorityError('provider_unavailable')
      return known(kid)
    },
  }
}

function isPublishedKey(value: unknown): value is PublishedKey {
  return typeof value === 'object' && value !== null && 'kty' in value
}
