/** The data for the page where a person sees and stops what acts for them. */
import {
  type AnswerOf,
  type OPERATIONS,
  type Passkey,
  shownAgent,
  type TokenStatus,
} from '@deputize/protocol'
import type { HumanCaller } from '../../access/caller.ts'
import { passkeysUnder } from '../../access/passkey-document.ts'
import type { Session } from '../../access/sessions.ts'
import type { Habit, HabitKey } from '../../domain/approvals/habit.ts'
import type { StoredRecord } from '../../domain/record.ts'
import { MAX_LIFETIME_MS } from '../../domain/times/time.ts'
import type { Chain } from '../../domain/tokens/token.ts'
import { EVERY_RECORD, EVERY_TOKEN } from '../../store/port/filters.ts'
import { USABLE_DURESS_WORDS } from '../../verification/duress-slot.ts'
import { notificationsAnswer } from '../channels/notifications-answer.ts'
import { templateOfPerson } from '../identity/enrolled-person.ts'
import { openSessionsOf } from '../identity/open-sessions.ts'
import { eachEntry } from '../lists/pages.ts'
import type { OperationContext } from '../operation-context.ts'
import { type OpenQuestion, questionFor, questionViewer } from '../questions/open-question.ts'
import { pendingApprovals } from '../questions/pending-approvals.ts'
import { displayName } from '../questions/question-details.ts'
import { enrollmentView } from '../views/enrollment-view.ts'
import { passkeyView } from '../views/passkey-view.ts'
import { type TokenAnswer, tokenStatus, tokenViews } from '../views/token-view.ts'

const MAX_TOKENS_READ = 5_000
const MAX_TOKENS = 200
const MAX_RECORDS = 20
const MAX_QUESTIONS = 30
const MAX_STOPPED = 20

/** Everything that concerns a signed-in person, under every ref that identifies them. */
export interface PersonOverview {
  readonly tokens: readonly TokenAnswer[]
  /** Whether there are more tokens. */
  readonly has_more_tokens: boolean
  /** Tokens that would still act if they hadn't been revoked. */
  readonly stopped: readonly TokenAnswer[]
  /** The names that agents have registered, by agent ID as in answers. */
  readonly names: ReadonlyMap<string, string>
  /** The refs whose tokens act now or can act again. */
  readonly acting_refs: readonly string[]
  /** Whether the person refuses new tokens in their name. */
  readonly refuses_tokens: boolean
  /** Requests of their agents, and requests that they are an approver of, in order of expiry. */
  readonly questions: readonly OpenQuestion[]
  /** How many more requests there are. */
  readonly more_questions: number
  /** Habits with a grant that is in force. */
  readonly granted: readonly (HabitKey & Habit)[]
  readonly records: readonly StoredRecord[]
  readonly passkeys: readonly Passkey[]
  readonly sessions: readonly Session[]
  /** Whether and since when they are enrolled. Says nothing about a sign of coercion. */
  readonly enrollment: ReturnType<typeof enrollmentView>
  /** The words that can be used as a sign of coercion. */
  readonly duress_words: readonly string[]
  /** How messages reach them. */
  readonly notifications: AnswerOf<typeof OPERATIONS.getNotifications>
  /** Whether ratings are confirmed with a passkey. */
  readonly confirms_ratings: boolean
  readonly time_zone: string | undefined
  /** The log size at which the page is accurate. The page's script follows what happens after it. */
  readonly log_size: number
  readonly now_ms: number
}

export async function personOverview(
  person: HumanCaller,
  context: OperationContext,
): Promise<PersonOverview> {
  const { reader, accessControl, clock } = context
  const { feed } = context.events
  const { tenant_id, human_ref, human_refs } = person
  const log_size = await feed.size() // before anything is read, so that no change is missed
  const held = await Promise.all(human_refs.map((one) => recentTokens(one, person, context)))
  const chains = held.flatMap((one) => one.chains)
  const shown = newestFirst(chains, ([{ token }]) => token.log_index).slice(0, MAX_TOKENS)
  const stopped = held.flatMap((one) => one.stopped).slice(0, MAX_STOPPED)
  const records = await newestRecords(person, context)
  const viewer = await questionViewer(person, context)
  const pending = await pendingApprovals(person, context)
  const first = pending.slice(0, MAX_QUESTIONS)
  const granted = await grantedHabits(person, context)
  const agents = [
    ...[...shown, ...stopped].map(([{ token }]) => token.agent_id),
    ...[...records, ...granted].map(({ agent_id }) => agent_id),
  ]
  return {
    tokens: await tokenViews(shown, context),
    has_more_tokens: chains.length > MAX_TOKENS || held.some((one) => one.has_more),
    stopped: await tokenViews(stopped, context),
    names: await namesOf(agents, context),
    acting_refs: [...new Set(chains.map(([{ token }]) => token.human_ref))],
    refuses_tokens: await refusesTokens(person, context),
    questions: await Promise.all(first.map((approval) => questionFor(viewer, approval, context))),
    more_questions: pending.length - first.length,
    granted,
    records,
    passkeys: (await passkeysUnder(reader.registry, tenant_id, human_refs)).map(passkeyView),
    sessions: await openSessionsOf(human_refs, context),
    enrollment: enrollmentView((await templateOfPerson(person, context))?.document, context),
    duress_words: USABLE_DURESS_WORDS,
    notifications: await notificationsAnswer({ tenant_id, owner: human_ref }, context, viewer.settings),
    confirms_ratings: (await accessControl.tenants.find(tenant_id))?.step_up.includes('rate') === true,
    time_zone: viewer.settings.time_zone,
    log_size,
    now_ms: clock(),
  }
}

async function namesOf(
  agents: readonly string[],
  { reader }: OperationContext,
): Promise<Map<string, string>> {
  const found = await Promise.all(
    [...new Set(agents)].map(async (agent_id) => {
      const name = displayName((await reader.agent(agent_id))?.profile)
      return name === undefined ? [] : [[shownAgent(agent_id), name] as const]
    }),
  )
  return new Map(found.flat())
}

const ENDED: readonly TokenStatus[] = ['revoked', 'expired']

interface RecentTokens {
  /** Tokens that act now or can act again. */
  readonly chains: Chain[]
  /** Tokens that were revoked before they expired. */
  readonly stopped: Chain[]
  readonly has_more: boolean
}

async function recentTokens(
  human_ref: string,
  { tenant_id }: HumanCaller,
  { reader, clock }: OperationContext,
): Promise<RecentTokens> {
  const now_ms = clock()
  const filter = { ...EVERY_TOKEN, tenant_id, human_ref }
  const chains: Chain[] = []
  const stopped: Chain[] = []
  let read = 0
  for await (const chain of eachEntry((page) => reader.tokens(filter, page))) {
    if (chain[0].token.issued_at_ms < now_ms - MAX_LIFETIME_MS) return { chains, stopped, has_more: false }
    const status = tokenStatus(chain, now_ms)
    if (!ENDED.includes(status)) chains.push(chain)
    if (status === 'revoked' && chain[0].token.limits.expires_at_ms > now_ms) stopped.push(chain)
    read += 1
    if (read === MAX_TOKENS_READ) return { chains, stopped, has_more: true }
  }
  return { chains, stopped, has_more: false }
}

/** Whether the person refuses new tokens. A refusal covers every ref, so any of them shows it. */
async function refusesTokens(
  { human_refs }: HumanCaller,
  { reader, clock }: OperationContext,
): Promise<boolean> {
  const known = await Promise.all(human_refs.map((human_ref) => reader.human(human_ref, clock())))
  return known.some((human) => human?.refused_at_ms !== undefined)
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
