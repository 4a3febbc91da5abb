import type { Passkey, TokenStatus } from '@deputize/protocol'
import type { HumanCaller } from '../access/caller.ts'
import { passkeysOf } from '../access/passkey-document.ts'
import type { Session } from '../access/sessions.ts'
import type { StoredApproval } from '../domain/approval.ts'
import type { StoredRecord } from '../domain/record.ts'
import type { Chain } from '../domain/token.ts'
import { EVERY_RECORD, EVERY_TOKEN } from '../store/port.ts'
import { statusOf, tokenView, wordsOf } from './get-token.ts'
import type { OperationContext } from './operation-context.ts'
import { everyEntry } from './pages.ts'
import { passkeyView } from './passkeys.ts'

/** No token lives longer than 30 days, so nothing older than that acts for anybody. */
const LONGEST_LIFE_MS = 30 * 86_400_000
const MOST_LOOKED_AT = 5_000
const MOST_TOKENS = 200
const MOST_QUESTIONS = 100
const MOST_RECORDS = 20

/** All that concerns a person who has signed in, by every ref that stands for them. */
export interface Affairs {
  readonly tokens: readonly HeldToken[]
  /** There are tokens that are not among them. */
  readonly has_more_tokens: boolean
  /** Refs in whose name somebody may act now. */
  readonly acting_refs: readonly string[]
  readonly approvals: readonly StoredApproval[]
  readonly records: readonly StoredRecord[]
  readonly passkeys: readonly Passkey[]
  readonly sessions: readonly Session[]
}

export type HeldToken = ReturnType<typeof tokenView>

export async function affairsOf(person: HumanCaller, context: OperationContext): Promise<Affairs> {
  const { reader, clock, accessControl } = context
  const { tenant_id, human_refs } = person
  const held = await Promise.all(human_refs.map((human_ref) => heldBy(human_ref, person, context)))
  const chains = held.flatMap((one) => one.chains)
  const shown = newestFirst(chains, ([{ token }]) => token.log_index).slice(0, MOST_TOKENS)
  const words = await wordsOf(shown, context)
  const approvals = await Promise.all(
    human_refs.map((human_ref) =>
      reader.approvals(
        { ...EVERY_RECORD, tenant_id, human_ref, state: 'pending' },
        { limit: MOST_QUESTIONS, before: undefined },
        clock(),
      ),
    ),
  )
  const records = await Promise.all(
    human_refs.map((human_ref) =>
      reader.records({ ...EVERY_RECORD, tenant_id, human_ref }, { limit: MOST_RECORDS, before: undefined }),
    ),
  )
  return {
    tokens: shown.map((chain) => tokenView(chain, words(chain), clock())),
    has_more_tokens: chains.length > MOST_TOKENS || held.some((one) => one.has_more),
    acting_refs: [...new Set(chains.map(([{ token }]) => token.human_ref))],
    approvals: newestFirst(
      approvals.flatMap(({ entries }) => entries),
      ({ log_index }) => log_index,
    ),
    records: newestFirst(
      records.flatMap(({ entries }) => entries),
      ({ log_index }) => log_index,
    ).slice(0, MOST_RECORDS),
    passkeys: (await passkeysOf(reader.registry, person)).map(passkeyView),
    sessions: await accessControl.sessions.list(person.human_ref),
  }
}

/** What acts for a ref, or could again. */
async function heldBy(
  human_ref: string,
  { tenant_id }: HumanCaller,
  { reader, clock }: OperationContext,
): Promise<{ readonly chains: Chain[]; readonly has_more: boolean }> {
  const now_ms = clock()
  const chains: Chain[] = []
  let looked_at = 0
  for await (const chain of everyEntry((page) =>
    reader.tokens({ ...EVERY_TOKEN, tenant_id, human_ref }, page),
  )) {
    if (chain[0].token.issued_at_ms < now_ms - LONGEST_LIFE_MS) return { chains, has_more: false }
    if (!ENDED.includes(statusOf(chain, now_ms))) chains.push(chain)
    looked_at += 1
    if (looked_at === MOST_LOOKED_AT) return { chains, has_more: true }
  }
  return { chains, has_more: false }
}

const ENDED: readonly TokenStatus[] = ['revoked', 'expired']

function newestFirst<T>(entries: readonly T[], positionOf: (entry: T) => number): T[] {
  return [...entries].sort((a, b) => positionOf(b) - positionOf(a))
}
