import { isDeputyError } from './errors.ts'
import type { Claims, Methods } from './generated/operations.ts'
import type { KeySource } from './key-set.ts'
import { isNamedWhole, type NotInForce, revocationFeed, type StatusList, statusList } from './standing.ts'
import { readStatement } from './statement.ts'
import { together } from './together.ts'

export interface FollowedStanding {
  /** What is known of a token. Without `as_of_ms`, too little. */
  standing(claims: Claims): Promise<{ readonly word?: NotInForce; readonly as_of_ms?: number }>
}

export interface FollowOptions {
  readonly client: Methods
  readonly keys: KeySource
  readonly issuer: () => Promise<string>
  readonly clock: () => number
  readonly fresh_s: number
  readonly max_stale_s: number
}

/** Clocks may disagree by this much before a list counts as one from the past. */
const CLOCKS_APART_MS = 60_000

/**
 * Follows what the service says about revocations. The status list tells of every token and its whole chain, but may be a
 * few seconds old. The feed tells at once, but only of tokens by their own names. Both together miss nothing that the list
 * missed for longer than those seconds.
 */
export function followStanding(options: FollowOptions): FollowedStanding {
  const { client, keys, clock, fresh_s, max_stale_s } = options
  const feed = revocationFeed()
  let list: (StatusList & { readonly read_at_ms: number }) | undefined
  let followed: { readonly since: number; readonly from_ms: number; readonly read_at_ms: number } | undefined
  let isFeedForUs = true
  let tried_at_ms = -Infinity

  const statement = async (jwt: string, typ: string) =>
    readStatement(jwt, { typ, issuer: await options.issuer(), keys })

  async function readList(): Promise<void> {
    const read_at_ms = clock()
    const payload = await statement(await client.getStatusList(), 'statuslist+jwt')
    if (typeof payload.exp !== 'number' || payload.exp * 1000 + CLOCKS_APART_MS < read_at_ms)
      throw new Error('The status list is one from the past.')
    const next = await statusList(payload)
    if (list !== undefined && next.as_of_ms < list.as_of_ms) return // somebody on the way keeps old ones
    list = { ...next, read_at_ms }
    feed.forget(next.as_of_ms - CLOCKS_APART_MS)
  }

  async function readFeed(): Promise<void> {
    if (!isFeedForUs) return
    const began_ms = clock()
    const { since, from_ms } = followed ?? { since: await logSize(), from_ms: began_ms }
    for (let next = since, has_more = true; has_more; ) {
      const { jwt } = await client.listRevocations({ since: next })
      const part = feed.take(await statement(jwt, 'revocations+jwt'))
      next = part.until
      has_more = part.has_more
      followed = { since: next, from_ms, read_at_ms: began_ms }
    }
  }

  /** What came before is in the list. */
  async function logSize(): Promise<number> {
    const [, size] = (await client.getCheckpoint()).split('\n')
    return Number(size)
  }

  async function refresh(): Promise<void> {
    tried_at_ms = clock()
    const feedRead = readFeed().catch((error) => {
      // In keyed mode it is for callers with a credential only.
      if (isDeputyError(error, 'credential_required') || isDeputyError(error, 'role_not_allowed'))
        isFeedForUs = false
    })
    await Promise.all([feedRead, readList().catch(() => undefined)]) // how old the old one is will be looked at
  }

  const refreshing = together(refresh)

  function listed({ status }: Claims): NotInForce | 'in_force' | 'unknown' {
    if (status === undefined || list === undefined) return 'unknown'
    return list.standing(status.status_list.idx)
  }

  /** What is known is complete up to here. */
  function knownUntil(claims: Claims, { as_of_ms, read_at_ms }: Reading): number | undefined {
    if (clock() - read_at_ms > max_stale_s * 1000) return undefined
    const isToldByFeed = followed !== undefined && followed.from_ms <= as_of_ms && isNamedWhole(claims)
    return isToldByFeed ? Math.max(as_of_ms, followed?.read_at_ms ?? 0) : as_of_ms
  }

  return {
    async standing(claims) {
      const isOld = clock() - tried_at_ms >= fresh_s * 1000
      if (isOld || refreshing.isUnderWay()) await refreshing.ask()
      const word = feed.standing(claims)
      if (word !== undefined) return { word }
      const entry = listed(claims)
      if (entry === 'unknown' || list === undefined) return {}
      if (entry !== 'in_force') return { word: entry }
      const as_of_ms = knownUntil(claims, list)
      return as_of_ms === undefined ? {} : { as_of_ms }
    },
  }
}

interface Reading {
  readonly as_of_ms: number
  readonly read_at_ms: number
}
