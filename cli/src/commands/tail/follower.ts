import { decodeBase64url, type RevocationEntry, tokenRef } from '@deputize/protocol'
import type { Deputy } from '@deputize/sdk'
import type { Answer } from '../../client/call-command.ts'

export type Event =
  | { readonly kind: 'record'; readonly entry: Answer<'getRecord'> }
  | { readonly kind: 'denial'; readonly entry: Answer<'getDenial'> }
  | { readonly kind: 'revocation'; readonly entry: RevocationEntry }

export interface Wanted {
  readonly agent?: string
  readonly workflow?: string
}

/** What is committed late still has the time at which it began; nothing takes longer than that. */
const LATE_MS = 60_000
const PAGE = 200

/** Reads the lists, each from where it was read to. Places in the log tell what is new: they only grow. */
export function follower(client: Deputy, { agent, workflow }: Wanted) {
  const filter = {
    ...(agent !== undefined && { agent_id: agent }),
    ...(workflow !== undefined && { provenance_ref: workflow }),
  }
  const seen = { record: -1, denial: -1, revocation: 0 }
  /** By the clock of the service. */
  let looked_at_ms = 0

  /** Lists tell the newest first, and so they are read until something is known. */
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

  async function read(most: number): Promise<Event[]> {
    const from = looked_at_ms === 0 ? {} : { from: new Date(looked_at_ms - LATE_MS).toISOString() }
    const query = { ...filter, ...from, limit: Math.max(1, Math.min(PAGE, most)) }
    const records = await newer(client.listRecords.all(query), 'record', most)
    const denials = await newer(client.listDenials.all(query), 'denial', most)
    return [
      ...records.map((entry): Event => ({ kind: 'record', entry })),
      ...denials.map((entry): Event => ({ kind: 'denial', entry })),
    ]
  }

  async function readRevocations(): Promise<Event[]> {
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
    return found.filter(isWanted).map((entry): Event => ({ kind: 'revocation', entry }))
  }

  /** Revocations name tokens by their hash, so the tokens in question are hashed too. */
  async function wantedAmong(
    found: readonly RevocationEntry[],
  ): Promise<(entry: RevocationEntry) => boolean> {
    if (agent === undefined && workflow === undefined) return () => true
    const refs = new Set<string>()
    if (found.some(({ token }) => token !== undefined))
      for await (const { jti } of client.listTokens.all({ ...filter, limit: PAGE })) refs.add(tokenRef(jti))
    return ({ token, agent_id }) =>
      token === undefined ? agent !== undefined && agent_id === `agent:${agent}` : refs.has(token)
  }

  return {
    /** The newest of the past, oldest first, with the revocations that lie between. */
    async begin(lines: number): Promise<Event[]> {
      const past = inOrder(await read(Math.max(1, lines)))
      const events = lines === 0 ? [] : past.slice(-lines)
      seen.revocation = events[0]?.entry.log_index ?? past.at(-1)?.entry.log_index ?? 0
      const revocations = await readRevocations()
      return lines === 0 ? [] : inOrder([...events, ...revocations]).slice(-lines)
    },
    /** What is new since the last look. */
    async next(): Promise<Event[]> {
      return inOrder([...(await read(Infinity)), ...(await readRevocations())])
    },
  }
}

function inOrder(events: readonly Event[]): Event[] {
  return events.toSorted((one, other) => one.entry.log_index - other.entry.log_index)
}

interface Statement {
  readonly entries: readonly RevocationEntry[]
  readonly until: number
  readonly has_more: boolean
  readonly iat: number
}

/** Its signature is for those who pass it on. Here it comes from the service itself, like every other answer. */
function statementIn({ jwt }: Answer<'listRevocations'>): Statement {
  return JSON.parse(new TextDecoder().decode(decodeBase64url(jwt.split('.')[1] ?? '')))
}
