/** The data behind the page where a person sees and stops what acts for them. */
import type { Passkey, TokenStatus } from '@deputize/protocol'
import type { HumanCaller } from '../../access/caller.ts'
import { passkeysOf } from '../../access/passkey-document.ts'
import type { Session } from '../../access/sessions.ts'
import type { StoredApproval } from '../../domain/approval.ts'
import type { Decider } from '../../domain/approvers.ts'
import type { FaceApprovalRule } from '../../domain/face-approval.ts'
import type { Habit, HabitKey } from '../../domain/habit.ts'
import type { StoredRecord } from '../../domain/record.ts'
import { DAY_MS } from '../../domain/time.ts'
import type { Chain } from '../../domain/token.ts'
import { EVERY_RECORD, EVERY_TOKEN } from '../../store/port.ts'
import { USABLE_DURESS_WORDS } from '../../verification/duress-slot.ts'
import { approverNames, deciderOf } from '../approver-roles.ts'
import { templateOf } from '../biometric-entries.ts'
import type { OperationContext } from '../operation-context.ts'
import { eachEntry } from '../pages.ts'
import { enrolmentView } from '../views/enrolment-view.ts'
import { passkeyView } from '../views/passkey-view.ts'
import { type TokenAnswer, tokenStatus, tokenViews } from '../views/token-view.ts'

/** A token lives at most 30 days, so an older one cannot act for anyone. */
const MAX_LIFETIME_MS = 30 * DAY_MS
const MAX_TOKENS_READ = 5_000
const MAX_TOKENS = 200
const MAX_APPROVALS = 100
const MAX_RECORDS = 20

/** Everything that concerns a signed-in person, under every ref that identifies them. */
export interface PersonOverview {
  readonly tokens: readonly TokenAnswer[]
  /** There are further tokens. */
  readonly has_more_tokens: boolean
  /** The refs that have tokens which act now or can act again. */
  readonly acting_refs: readonly string[]
  /** Requests of their agents, and requests that they are an approver of. */
  /** Whether the person refuses new tokens in their name. */
  readonly refuses_tokens: boolean
  readonly approvals: readonly StoredApproval[]
  /** The person as one who decides about them. */
  readonly decider: Decider
  /** Habits with a grant that is in force. */
  readonly granted: readonly (HabitKey & Habit)[]
  readonly records: readonly StoredRecord[]
  readonly passkeys: readonly Passkey[]
  readonly sessions: readonly Session[]
  /** Whether and since when they are enrolled. Says nothing about a sign of coercion. */
  readonly enrolment: ReturnType<typeof enrolmentView>
  /** The words that a sign of coercion can be. */
  readonly duress_words: readonly string[]
  /** Which approvals they confirm with a face. */
  readonly face_approvals: FaceApprovalRule | undefined
}

export async function personOverview(
  person: HumanCaller,
  context: OperationContext,
): Promise<PersonOverview> {
  const { reader, accessControl } = context
  const { human_refs } = person
  const held = await Promise.all(human_refs.map((human_ref) => unendedTokens(human_ref, person, context)))
  const chains = held.flatMap((one) => one.chains)
  const shown = newestFirst(chains, ([{ token }]) => token.log_index).slice(0, MAX_TOKENS)
  return {
    tokens: await tokenViews(shown, context),
    has_more_tokens: chains.length > MAX_TOKENS || held.some((one) => one.has_more),
    acting_refs: [...new Set(chains.map(([{ token }]) => token.human_ref))],
    refuses_tokens: await refusesTokens(person, context),
    approvals: await pendingApprovals(person, context),
    decider: await deciderOf(person, context),
    granted: await grantedHabits(person, context),
    records: await newestRecords(person, context),
    passkeys: (await passkeysOf(reader.registry, person)).map(passkeyView),
    sessions: await accessControl.sessions.list(person.human_ref),
    enrolment: enrolmentView((await templateOf(person, context))?.document, context),
    duress_words: USABLE_DURESS_WORDS,
    face_approvals: (await accessControl.tenants.find(person.tenant_id))?.face_approvals ?? undefined,
  }
}

const ENDED: readonly TokenStatus[] = ['revoked', 'expired']

/** The tokens of one ref that act now or can act again. */
async function unendedTokens(
  human_ref: string,
  { tenant_id }: HumanCaller,
  { reader, clock }: OperationContext,
): Promise<{ readonly chains: Chain[]; readonly has_more: boolean }> {
  const now_ms = clock()
  const filter = { ...EVERY_TOKEN, tenant_id, human_ref }
  const chains: Chain[] = []
  let read = 0
  for await (const chain of eachEntry((page) => reader.tokens(filter, page))) {
    if (chain[0].token.issued_at_ms < now_ms - MAX_LIFETIME_MS) return { chains, has_more: false }
    if (!ENDED.includes(tokenStatus(chain, now_ms))) chains.push(chain)
    read += 1
    if (read === MAX_TOKENS_READ) return { chains, has_more: true }
  }
  return { chains, has_more: false }
}

/** A refusal covers every ref, so any of them shows it. */
async function refusesTokens(
  { human_refs }: HumanCaller,
  { reader, clock }: OperationContext,
): Promise<boolean> {
  const known = await Promise.all(human_refs.map((human_ref) => reader.human(human_ref, clock())))
  return known.some((human) => human?.refused_at_ms !== undefined)
}

async function pendingApprovals(person: HumanCaller, context: OperationContext): Promise<StoredApproval[]> {
  const { reader, clock } = context
  const { tenant_id, human_refs } = person
  const pending = { ...EVERY_RECORD, tenant_id, state: 'pending' } as const
  const filters = [
    ...human_refs.map((human_ref) => ({ ...pending, human_ref })),
    { ...pending, approvers: await approverNames(person, context) },
  ]
  const page = { limit: MAX_APPROVALS, before: undefined }
  const pages = await Promise.all(filters.map((filter) => reader.approvals(filter, page, clock())))
  const found = new Map(pages.flatMap(({ entries }) => entries.map((one) => [one.approval_id, one])))
  return newestFirst([...found.values()], ({ log_index }) => log_index)
}

async function grantedHabits(
  { tenant_id, human_refs }: HumanCaller,
  { reader, clock }: OperationContext,
): Promise<(HabitKey & Habit)[]> {
  const ofPerson = { tenant_id, agent_id: undefined, granted_after_ms: clock() }
  const lists = await Promise.all(human_refs.map((human_ref) => reader.habits({ ...ofPerson, human_ref })))
  return lists.flat()
}

async function newestRecords(
  { tenant_id, human_refs }: HumanCaller,
  { reader }: OperationContext,
): Promise<StoredRecord[]> {
  const pages = await Promise.all(
    human_refs.map((human_ref) =>
      reader.records({ ...EVERY_RECORD, tenant_id, human_ref }, { limit: MAX_RECORDS, before: undefined }),
    ),
  )
  return newestFirst(
    pages.flatMap(({ entries }) => entries),
    ({ log_index }) => log_index,
  ).slice(0, MAX_RECORDS)
}

function newestFirst<T>(entries: readonly T[], positionOf: (entry: T) => number): T[] {
  return [...entries].sort((a, b) => positionOf(b) - positionOf(a))
}
