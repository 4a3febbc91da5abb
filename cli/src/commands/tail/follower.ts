import { decodeBase64url, type RevocationEntry, tokenRef } from '@deputize/protocol'
import type { Deputy } from '@deputize/sdk'
import type { ResponseOf } from '../../client/call-command.ts'

export type TailEvent =
  | { readonly kind: 'record'; readonly entry: ResponseOf<'getRecord'> }
  | { readonly kind: 'denial'; readonly entry: ResponseOf<'getDenial'> }
  | { readonly kind: 'revocation'; readonly entry: RevocationEntry }

export interface EventFilter {
  readonly agent?: string
  readonly workflow?: string
}

/** An entry that is committed late has the time at which its call began. No call takes longer than this. */
const LATE_MS = 60_000
const PAGE_SIZE = 200

/** Reads the lists of records, denials and revocations, each from where it stopped. Log indexes only grow, so they tell what is new. */
export function follower(client: Deputy, { agent, workflow }: EventFilter) {
  const filter = {
    ...(agent !== undefined && { agent_id: agent }),
    ...(workflow !== undefined && { provenance_ref: workflow }),
  }
  const seen = { record: -1, denial: -1, revocation: 0 }
  /** By the clock of the service. */
  let looked_at_ms = 0

  /** Lists start with the newest entry, so they are read up to the first known one. */
  async function newer<Entry extends { log_index: number }>(
    entries: AsyncIterable<Entry>,
    kind: 'record' | 'denial',
    most: number,
  ): Promise<Entry[]> {
    const found: Entry[] = []
    for await (const entry of entries) {
      if (entry.log_index <= seen[kind] || found.length >= most) break
      found.push(entry)
    }
    seen[kind] = Math.max(seen[kind], found[0]?.log_index ?? -1)
    return found
  }

  async function read(most: number): Promise<TailEvent[]> {
    const from = looked_at_ms === 0 ? {} : { from: new Date(looked_at_ms - LATE_MS).toISOString() }
    const query = { ...filter, ...from, limit: Math.max(1, Math.min(PAGE_SIZE, most)) }
    const records = await newer(client.listRecords.all(query), 'record', most)
    const denials = await newer(client.listDenials.all(query), 'denial', most)
    return [
      ...records.map((entry): TailEvent => ({ kind: 'record', entry })),
      ...denials.map((entry): TailEvent => ({ kind: 'denial', entry })),
    ]
  }

  async function readRevocations(): Promise<TailEvent[]> {
    const found: RevocationEntry[] = []
    for (;;) {
      const { entries, until, has_more, iat } = statementIn(
        await client.listRevocations({ since: seen.revocation }),
      )
      found.push(...entries)
      seen.revocation = until
      looked_at_ms = iat * 1000
      if (!has_more) break
    }
    const isWanted = await wantedAmong(found)
    return found.filter(isWanted).map((entry): TailEvent => ({ kind: 'revocation', entry }))
  }

  /** Revocations name tokens by their hash, so the tokens to match are hashed too. */
  async function wantedAmong(
    found: readonly RevocationEntry[],
  ): Promise<(entry: RevocationEntry) => boolean> {
    if (agent === undefined && workflow === undefined) return () => true
    const refs = new Set<string>()
    if (found.some(({ token }) => token !== undefined))
      for await (const { jti } of client.listTokens.all({ ...filter, limit: PAGE_SIZE }))
        refs.add(tokenRef(jti))
    return ({ token, agent_id }) =>
      token === undefined ? agent !== undefined && agent_id === `agent:${agent}` : refs.has(token)
  }

  return {
    /** The last events, oldest first, with the revocations between them. */
    async begin(lines: number): Promise<TailEvent[]> {
      const past = inOrder(await read(Math.max(1, lines)))
      const events = lines === 0 ? [] : past.slice(-lines)
      seen.revocation = events[0]?.entry.log_index ?? past.at(-1)?.entry.log_index ?? 0
      const revocations = await readRevocations()
      return lines === 0 ? [] : inOrder([...events, ...revocations]).slice(-lines)
    },
    /** The events since the last call. */
    async next(): Promise<TailEvent[]> {
      return inOrder([...(await read(Infinity)), ...(await readRevocations())])
    },
  }
}

function inOrder(events: readonly TailEvent[]): TailEvent[] {
  return events.toSorted((one, other) => one.entry.log_index - other.entry.log_index)
}

interface RevocationList {
  readonly entries: readonly RevocationEntry[]
  readonly until: number
  readonly has_more: boolean
  readonly iat: number
}

/** The signature is not checked: the list comes from the service directly, like every other response. */
function statementIn({ jwt }: ResponseOf<'listRevocations'>): RevocationList {
  return JSON.parse(new TextDecoder().decode(decodeBase64url(jwt.split('.')[1] ?? '')))
}
