import { isDeputyError } from '../errors.ts'
import type { Claims, Methods } from '../generated/operations.ts'
import type { KeySource } from './key-set.ts'
import { hasNamedChain, type NotInForce, revocationFeed } from './revocation-feed.ts'
import { readStatement } from './statement.ts'
import { type StatusList, statusList } from './status-list.ts'
import { together } from './together.ts'

export interface FollowedRevocations {
  /** Returns what is known about a token signed with key `kid`. If both members are missing, its status is unknown. */
  status(claims: Claims, kid: string): Promise<TokenStanding>
}

export interface TokenStanding {
  readonly not_in_force?: NotInForce | 'withdrawn_key'
  readonly as_of_ms?: number
}

export interface FollowOptions {
  readonly client: Methods
  readonly keys: KeySource
  readonly issuer: () => Promise<string>
  readonly clock: () => number
  readonly fresh_s: number
  readonly max_stale_s: number
}

/** Clocks may differ by this much before a status list counts as expired. */
const CLOCK_DIFFERENCE_MS = 60_000

type ReadStatement = (jwt: string, typ: string) => Promise<Record<string, unknown>>

interface ListCopy extends StatusList {
  readonly read_at_ms: number
}

/**
 * Follows the revocations of the service. The status list covers every token and its whole chain, but can be a few seconds
 * old. The revocation feed is immediate, but lists only the names of revoked tokens, agents and people. With both, a
 * revocation is missed for at most those few seconds.
 */
export function followRevocations(options: FollowOptions): FollowedRevocations {
  const { client, keys, clock, fresh_s, max_stale_s } = options
  const read: ReadStatement = async (jwt, typ) =>
    readStatement(jwt, { typ, issuer: await options.issuer(), keys })
  const feed = feedFollower(client, clock, read)
  let list: ListCopy | undefined
  let tried_at_ms = -Infinity

  async function readList(): Promise<void> {
    const next = await fetchList(client, clock, read)
    if (list !== undefined && next.as_of_ms < list.as_of_ms) return // a cache in between returned an older list
    list = next
    feed.entries.forget(next.as_of_ms - CLOCK_DIFFERENCE_MS)
  }

  const refreshing = together(async () => {
    tried_at_ms = clock()
    await Promise.all([feed.read(), readList().catch(() => undefined)]) // `knownUntil` checks the age of the copy
  })

  /** Returns the time up to which revocations of this token are known, or undefined if the list is too old. */
  function knownUntil(claims: Claims, { as_of_ms, read_at_ms }: ListCopy): number | undefined {
    if (clock() - read_at_ms > max_stale_s * 1000) return undefined
    const isNamed = hasNamedChain(claims) && feed.entries.covers(claims)
    return isNamed ? Math.max(as_of_ms, feed.completeUntil(as_of_ms)) : as_of_ms
  }

  return {
    async status(claims, kid) {
      const isOld = clock() - tried_at_ms >= fresh_s * 1000
      if (isOld || refreshing.isUnderWay()) await refreshing.ask()
      // A thief can write any date into a token, so every token of a withdrawn key is refused.
      if (feed.entries.isWithdrawn(kid) || list?.isWithdrawn(kid)) return { not_in_force: 'withdrawn_key' }
      const told = feed.entries.status(claims)
      if (told !== undefined) return { not_in_force: told }
      if (claims.status === undefined || list === undefined) return {}
      const listed = list.status(claims.status.status_list.idx)
      if (listed === 'unknown') return {}
      if (listed !== 'in_force') return { not_in_force: listed }
      const as_of_ms = knownUntil(claims, list)
      return as_of_ms === undefined ? {} : { as_of_ms }
    },
  }
}

async function fetchList(client: Methods, clock: () => number, read: ReadStatement): Promise<ListCopy> {
  const read_at_ms = clock()
  const payload = await read(await client.getStatusList(), 'statuslist+jwt')
  if (typeof payload.exp !== 'number' || payload.exp * 1000 + CLOCK_DIFFERENCE_MS < read_at_ms)
    throw new Error('The status list has expired.')
  return { ...(await statusList(payload)), read_at_ms }
}

/** Reads the revocation feed from the current end of the log onwards. Everything before that is in the status list. */
function feedFollower(client: Methods, clock: () => number, read: ReadStatement) {
  const entries = revocationFeed()
  let position: { readonly since: number; readonly from_ms: number; readonly read_at_ms: number } | undefined
  let isReadable = true

  async function readOn(): Promise<void> {
    const began_ms = clock()
    const { since, from_ms } = position ?? { since: await logSize(client), from_ms: began_ms }
    for (let next = since, has_more = true; has_more; ) {
      const { jwt } = await client.listRevocations({ since: next })
      const part = entries.add(await read(jwt, 'revocations+jwt'))
      next = part.until
      has_more = part.has_more
      position = { since: next, from_ms, read_at_ms: began_ms }
    }
  }

  return {
    entries,
    async read(): Promise<void> {
      if (!isReadable) return
      await readOn().catch((error) => {
        // In keyed mode only callers with a credential can read the feed.
        if (isDeputyError(error, 'credential_required') || isDeputyError(error, 'role_not_allowed'))
          isReadable = false
      })
    },
    /** Returns the time up to which the feed continues a list of `as_of_ms` without a gap, or 0 if there is a gap. */
    completeUntil: (as_of_ms: number) =>
      position !== undefined && position.from_ms <= as_of_ms ? position.read_at_ms : 0,
  }
}

async function logSize(client: Methods): Promise<number> {
  const [, size] = (await client.getCheckpoint()).split('\n')
  return Number(size)
}
