import { allowsResource, type Level, type RequireApproval, toMicroUsd } from '@deputize/protocol'
import type { ActionRequest } from './decision.ts'
import { isUnconditional } from './narrowing.ts'
import { DAY_MS } from './time.ts'
import type { Chain, Link, Token } from './token.ts'

export const APPROVAL_STATES = ['pending', 'approved', 'denied', 'expired'] as const
export type ApprovalState = (typeof APPROVAL_STATES)[number]

/** A question to a human: may this agent do exactly this, once? */
export interface StoredApproval {
  readonly approval_id: string
  readonly vat_jti: string
  readonly provenance_ref: string
  readonly agent_id: string
  readonly human_ref: string
  readonly assurance_level: Level
  readonly action: string
  readonly resource: string
  readonly spend_micro_usd: number
  readonly metadata: string | undefined
  /** Digest of everything that was asked. */
  readonly binding: string
  readonly created_at_ms: number
  readonly log_index: number
  readonly expires_at_ms: number
  state: ApprovalState
  decided_at_ms: number | undefined
  /** A human_ref; `human` in open mode; `habit` where nobody was asked. */
  decided_by: string | undefined
  decided_log_index: number | undefined
  note: string | undefined
  /** The record that used it up. */
  used_by: string | undefined
  /** There was metadata or a note that was erased since. */
  readonly erased: boolean
}

/** What a habit is about: the same agent doing the same for the same person. */
export interface HabitKey {
  readonly agent_id: string
  readonly human_ref: string
  readonly action: string
  readonly resource: string
}

/** The habit that a request of this token belongs to. */
export function habitKeyOf(
  { action, resource }: Pick<ActionRequest, 'action' | 'resource'>,
  { agent_id, human_ref }: Pick<Token, 'agent_id' | 'human_ref'>,
): HabitKey {
  return { agent_id, human_ref, action, resource }
}

/** A unique text for each habit, usable as a map key. */
export function habitName({ agent_id, human_ref, action, resource }: HabitKey): string {
  return JSON.stringify([agent_id, human_ref, action, resource])
}

/** How often people approved something since the last denial. */
export interface Habit {
  approvals: number
  auto_approvals: number
  last_human_ms: number
}

const HABIT_ENDS_MS = 30 * DAY_MS
const ASKED_ANYWAY = 10

/** The state at `now_ms`: an approval that was not decided or used in time has expired, even if the store still says otherwise. */
export function currentState(
  { state, expires_at_ms, used_by }: Pick<StoredApproval, 'state' | 'expires_at_ms' | 'used_by'>,
  now_ms: number,
): ApprovalState {
  const isOpen = (state === 'pending' || state === 'approved') && used_by === undefined
  return isOpen && now_ms >= expires_at_ms ? 'expired' : state
}

/** Whether some link of the chain wants a human to decide. */
export function needsApproval(request: ActionRequest, chain: Chain): boolean {
  return chain.some((link) => asksHuman(request, link))
}

function asksHuman(request: ActionRequest, { token }: Link): boolean {
  const rule = token.limits.require_approval
  return rule !== undefined && matches(rule, request)
}

function matches(rule: RequireApproval, { action, resource, spend_micro_usd }: ActionRequest): boolean {
  if (isUnconditional(rule)) return true
  const { actions = [], resources = [], above_usd } = rule
  return (
    actions.includes(action) ||
    allowsResource({ resources, actions: [] }, resource) ||
    (above_usd !== undefined && spend_micro_usd > toMicroUsd(above_usd))
  )
}

/** Whether every link that wants a human has seen enough approvals of the same to do without, this time. */
export function followsHabit(
  request: ActionRequest,
  chain: Chain,
  habit: Habit | undefined,
  now_ms: number,
): boolean {
  if (habit === undefined || now_ms - habit.last_human_ms >= HABIT_ENDS_MS) return false
  if (habit.auto_approvals % ASKED_ANYWAY === ASKED_ANYWAY - 1) return false
  return chain
    .filter((link) => asksHuman(request, link))
    .every(
      ({ token }) =>
        habit.approvals >= (token.limits.require_approval?.auto_approve_after ?? Number.POSITIVE_INFINITY),
    )
}

/** The habit after a person decided: an approval strengthens it, a denial ends it. */
export function habitAfter(habit: Habit | undefined, isApproved: boolean, now_ms: number): Habit | undefined {
  if (!isApproved) return undefined
  const { approvals, auto_approvals } = habit ?? { approvals: 0, auto_approvals: 0 }
  // The ask that goes to a human now and then has been answered: the count goes on past it.
  const passed = auto_approvals % ASKED_ANYWAY === ASKED_ANYWAY - 1 ? auto_approvals + 1 : auto_approvals
  return { approvals: approvals + 1, auto_approvals: passed, last_human_ms: now_ms }
}
