import { AuthorityError } from '@deputize/protocol'
import type { Outbound } from '../outbound/outbound.ts'
import type { PublishedKey } from './id-token.ts'
import { readAnswer } from './read-answer.ts'

const LOOK_AGAIN_MS = 60_000
/** A key that a provider has withdrawn is not believed for longer than this. */
const MAX_AGE_MS = 600_000
const MAX_KEYS = 100

export interface KeySet {
  /** The keys of that id, or all when none is named. */
  find(kid: string | undefined): Promise<readonly PublishedKey[]>
}

/**
 * The keys that a provider publishes. It looks again for a key that it does not know, and when what it knows is old;
 * however many unknown keys are asked for, the provider is asked at most once a minute.
 */
export function keySet(uri: string, call: Outbound, clock: () => number): KeySet {
  let keys: readonly PublishedKey[] = []
  let read_ms = Number.NEGATIVE_INFINITY
  let looked_ms = Number.NEGATIVE_INFINITY
  let look: Promise<void> | undefined

  async function read(): Promise<void> {
    const { keys: list } = await readAnswer(await call(uri, { headers: { accept: 'application/json' } }))
    keys = (Array.isArray(list) ? list : []).filter(isKey).slice(0, MAX_KEYS)
    read_ms = clock()
  }

  /** Callers at the same time wait for the same look. */
  async function refresh(): Promise<void> {
    if (look === undefined) {
      if (clock() - looked_ms < LOOK_AGAIN_MS) return
      looked_ms = clock()
      look = read().finally(() => {
        look = undefined
      })
    }
    await look
  }

  const isOld = () => clock() - read_ms >= MAX_AGE_MS
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

function isKey(value: unknown): value is PublishedKey {
  return typeof value === 'object' && value !== null && 'kty' in value
}
