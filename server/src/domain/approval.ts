import {
  type APPROVAL_STATES,
  allowsResource,
  type Level,
  type RequireApproval,
  toMicroUsd,
} from '@deputize/protocol'
import type { ActionRequest } from './decision.ts'
import { isUnconditional } from './narrowing.ts'
import { DAY_MS } from './time.ts'
import type { Chain, Link, Token } from './token.ts'

export type ApprovalState = (typeof APPROVAL_STATES)[number]

/** A request to a human: may this agent do exactly this, once? */
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
  /** Digest of the whole request. */
  readonly binding: string
  readonly created_at_ms: number
  readonly log_index: number
  readonly expires_at_ms: number
  state: ApprovalState
  decided_at_ms: number | undefined
  /** A human_ref; `human` in open mode; `habit` if a habit approved it. */
  decided_by: string | undefined
  decided_log_index: number | undefined
  note: string | undefined
  /** The record that used it. */
  used_by: string | undefined
  /** Whether metadata or a note was erased. */
  readonly erased: boolean
}

/** Identifies a habit: one agent doing one action on one resource for one person. */
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

/** How often the same request was approved since the last denial. */
export interface Habit {
  approvals: number
  auto_approvals: number
  last_human_ms: number
}

const HABIT_ENDS_MS = 30 * DAY_MS
/** Every tenth action goes to a person despite the habit. */
const ASK_EVERY = 10

/** The state at `now_ms`. An approval that was not decided or used in time has expired, even if the stored state differs. */
export function currentState(
  { state, expires_at_ms, used_by }: Pick<StoredApproval, 'state' | 'expires_at_ms' | 'used_by'>,
  now_ms: number,
): ApprovalState {
  const isOpen = (state === 'pending' || state === 'approved') && used_by === undefined
  return isOpen && now_ms >= expires_at_ms ? 'expired' : state
}

/** Whether any link of the chain requires an approval. */
export function needsApproval(request: ActionRequest, chain: Chain): boolean {
  return chain.some((link) => requiresApproval(request, link))
}

function requiresApproval(request: ActionRequest, { token }: Link): boolean {
  const rule = token.limits.require_approval
  return rule !== undefined && appliesTo(rule, request)
}

function appliesTo(rule: RequireApproval, { action, resource, spend_micro_usd }: ActionRequest): boolean {
  if (isUnconditional(rule)) return true
  const { actions = [], resources = [], above_usd } = rule
  return (
    actions.includes(action) ||
    allowsResource({ resources, actions: [] }, resource) ||
    (above_usd !== undefined && spend_micro_usd > toMicroUsd(above_usd))
  )
}

/** Whether the habit satisfies every link that requires an approval, so that no person has to decide this time. */
export function followsHabit(
  request: ActionRequest,
  chain: Chain,
  habit: Habit | undefined,
  now_ms: number,
): boolean {
  if (habit === undefined || now_ms - habit.last_human_ms >= HABIT_ENDS_MS) return false
  if (habit.auto_approvals % ASK_EVERY === ASK_EVERY - 1) return false
  return chain
    .filter((link) => requiresApproval(request, link))
    .every(
      ({ token }) =>
        habit.approvals >= (token.limits.require_approval?.auto_approve_after ?? Number.POSITIVE_INFINITY),
    )
}

/** The habit after a person decided: an approval counts, a denial ends it. */
export function habitAfter(habit: Habit | undefined, isApproved: boolean, now_ms: number): Habit | undefined {
  if (!isApproved) return undefined
  const { approvals, auto_approvals } = habit ?? { approvals: 0, auto_approvals: 0 }
  // A person has just decided the tenth action, so the count moves past it.
  const passed = auto_approvals % ASK_EVERY === ASK_EVERY - 1 ? auto_approvals + 1 : auto_approvals
  return { approvals: approvals + 1, auto_approvals: passed, last_human_ms: now_ms }
}
