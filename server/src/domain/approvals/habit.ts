import type { ActionRequest } from '../decision.ts'
import { DAY_MS } from '../times/time.ts'
import type { Chain } from '../tokens/token.ts'
import { needsApprovers, requiredBy, type StoredApproval } from './approval.ts'

/** One agent doing one action on one resource for one person. */
export interface HabitKind {
  readonly agent_id: string
  readonly human_ref: string
  readonly action: string
  readonly resource: string
}

/** Identifies a habit: its kind, below one root token, with metadata of one shape. */
export interface HabitKey extends HabitKind {
  readonly root_jti: string
  /** Keyed digest of the metadata's shape. */
  readonly shape: string
}

/** Returns a unique map key for each habit. */
export function habitName(key: HabitKey): string {
  const { agent_id, human_ref, action, resource, root_jti, shape } = key
  return JSON.stringify([agent_id, human_ref, action, resource, root_jti, shape])
}

export function isOfKind(key: HabitKind, kind: HabitKind): boolean {
  return (
    key.agent_id === kind.agent_id &&
    key.human_ref === kind.human_ref &&
    key.action === kind.action &&
    key.resource === kind.resource
  )
}

/** How people have decided on requests of one kind since the last denial, and the grant that they gave. */
export interface Habit {
  /** Approvals by a person. */
  readonly approvals: number
  readonly auto_approvals: number
  /** Automatic approvals since a person last approved. */
  readonly unasked: number
  /** Whether a person must decide before the next automatic approval. */
  readonly is_due: boolean
  /** The newest amounts that a person approved, in micro-dollars. */
  readonly amounts: readonly number[]
  readonly last_human_ms: number
  /** The token with which the agent asked when a person last approved. Undefined if it can't be found. */
  readonly vat_jti: string | undefined
  readonly grant: Grant | undefined
}

/** What a person allowed in advance: requests of this kind, up to a time and a sum. */
export interface Grant {
  /** The approval with which the person gave it. */
  readonly approval_id: string
  /** The token with which the agent asked for that approval. Undefined if it can't be found. */
  readonly vat_jti: string | undefined
  readonly expires_at_ms: number
  readonly max_spend_micro_usd: number
  /** The sum of the requested amounts, including the action that was approved by hand. */
  readonly spent_micro_usd: number
  /** How many requests it approved. */
  readonly uses: number
}

export const HABIT_ENDS_MS = 30 * DAY_MS
/** A person decides again after at most this many automatic approvals in a row. */
export const MOST_UNASKED = 19
const AMOUNTS_KEPT = 20

/**
 * Whether a request goes to a person despite a habit, as about one in eleven does. The service draws the ID after the
 * request was made, so an agent can't predict it. The log contains the ID, so `deputy check` can repeat the decision.
 */
export function isSampled(approval_id: string): boolean {
  return '012'.includes(approval_id.at(-2) ?? '')
}

/**
 * Whether the habit satisfies every link that requires an approval, so that no person has to decide this time. A
 * request that needs approval only because of an alert always goes to a person.
 */
export function followsHabit(
  request: ActionRequest,
  chain: Chain,
  habit: Habit | undefined,
  now_ms: number,
): habit is Habit {
  if (habit === undefined || isOver(habit, now_ms)) return false
  if (habit.is_due || habit.unasked >= MOST_UNASKED) return false
  if (request.spend_micro_usd > largestCovered(habit.amounts) || needsApprovers(request, chain)) return false
  const rules = requiredBy(request, chain)
  return (
    rules.length > 0 &&
    rules.every(({ auto_approve_after = Number.POSITIVE_INFINITY }) => habit.approvals >= auto_approve_after)
  )
}

/**
 * Returns what revocations left of a habit: it ends with the token that a person last approved, and a grant also with
 * the token that it was given to. `isRevoked` says whether a token, or one above it, was revoked.
 */
export function unrevokedHabit(
  { vat_jti, grant, ...habit }: Habit,
  isRevoked: (vat_jti: string) => boolean,
): Habit | undefined {
  if (vat_jti === undefined || isRevoked(vat_jti)) return undefined
  const isGrantOver = grant?.vat_jti === undefined || isRevoked(grant.vat_jti)
  return { ...habit, vat_jti, grant: isGrantOver ? undefined : grant }
}

function isOver({ last_human_ms }: Habit, now_ms: number): boolean {
  return now_ms - last_human_ms >= HABIT_ENDS_MS
}

/** Returns the largest amount that a habit covers: the largest one approved by hand, but at most twice their median. */
export function largestCovered(amounts: readonly number[]): number {
  const sorted = [...amounts].sort((a, b) => a - b)
  const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0 // the lower of two middle ones
  return Math.min(sorted.at(-1) ?? 0, 2 * median)
}

/** What a habit learns from a person's approval. */
type ApprovalByHand = Pick<StoredApproval, 'approval_id' | 'vat_jti' | 'spend_micro_usd' | 'granted'>

/** Returns the habit after a person approved a request, possibly with a grant. An expired habit starts over. */
export function habitAfterApproval(
  habit: Habit | undefined,
  approval: ApprovalByHand,
  now_ms: number,
): Habit {
  const before = habit === undefined || isOver(habit, now_ms) ? undefined : habit
  const { spend_micro_usd } = approval
  return {
    approvals: (before?.approvals ?? 0) + 1,
    auto_approvals: before?.auto_approvals ?? 0,
    unasked: 0,
    is_due: false,
    amounts: [...(before?.amounts ?? []), spend_micro_usd].slice(-AMOUNTS_KEPT),
    last_human_ms: now_ms,
    vat_jti: approval.vat_jti,
    grant: newGrant(approval) ?? before?.grant,
  }
}

/** Returns the new grant, if any. The approved action counts towards its sum. */
function newGrant({ approval_id, vat_jti, spend_micro_usd, granted }: ApprovalByHand): Grant | undefined {
  if (granted === undefined) return undefined
  return { approval_id, vat_jti, ...granted, spent_micro_usd: spend_micro_usd, uses: 0 }
}

export function habitAfterUse(habit: Habit): Habit {
  return { ...habit, auto_approvals: habit.auto_approvals + 1, unasked: habit.unasked + 1 }
}

/** Whether a grant covers the request. A grant never stands in for several approvers. */
export function isGranted(
  request: ActionRequest,
  chain: Chain,
  habit: Habit | undefined,
  now_ms: number,
): habit is Habit & { readonly grant: Grant } {
  const grant = habit?.grant
  if (grant === undefined || now_ms >= grant.expires_at_ms || needsApprovers(request, chain)) return false
  return grant.spent_micro_usd + request.spend_micro_usd <= grant.max_spend_micro_usd
}

export function habitAfterGrantedUse(
  habit: Habit & { readonly grant: Grant },
  spend_micro_usd: number,
): Habit {
  const { grant } = habit
  return {
    ...habit,
    grant: { ...grant, spent_micro_usd: grant.spent_micro_usd + spend_micro_usd, uses: grant.uses + 1 },
  }
}
