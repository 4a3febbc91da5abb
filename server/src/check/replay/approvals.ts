import { followsHabit, habitAfter, habitKeyOf, habitName, needsApproval } from '../../domain/approval.ts'
import type { ActionRequest } from '../../domain/decision.ts'
import type { Leaf } from '../../log/leaf.ts'
import {
  type ExpectedApproval,
  type ExpectedToken,
  expectedHuman,
  expectedText,
  type LeafEffects,
  type LeafPosition,
  type ReplayState,
} from './expected.ts'
import {
  LeafError,
  readAgentMember,
  readInstant,
  readOptionalText,
  readSpend,
  readTextMember,
} from './leaf-reader.ts'
import { tokenIn } from './revocations.ts'

/** An approval is requested. */
export function applyApprovalRequest(
  leaf: Leaf,
  { log_index, at_ms }: LeafPosition,
  replay: ReplayState,
  effects: LeafEffects,
): void {
  const token = tokenIn(leaf, replay, effects)
  const { human_ref, limits } = token.token
  const binding = readTextMember(leaf, 'binding')
  expectedHuman(replay, human_ref).needs_key = true
  const approval: ExpectedApproval = {
    log_index,
    approval_id: readTextMember(leaf, 'approval_id'),
    token,
    action: readTextMember(leaf, 'action'),
    resource: readTextMember(leaf, 'resource'),
    spend_micro_usd: readSpend(leaf),
    binding,
    created_at_ms: at_ms,
    expires_at_ms: readInstant(leaf, 'expires_at'),
    metadata: expectedText(
      replay,
      human_ref,
      'metadata',
      readOptionalText(leaf, 'metadata_digest'),
      log_index,
    ),
    replaces: replay.open_by_binding.get(binding),
    state: 'pending',
    decided_at_ms: undefined,
    decided_by: undefined,
    decided_index: undefined,
    note: undefined,
    used_by: undefined,
  }
  if (approval.expires_at_ms > limits.expires_at_ms)
    effects.violations.push('requests an approval that outlives its token')
  if (!needsApproval(approval, token.chain))
    effects.violations.push('requests an approval that is not needed')
  if (replay.approvals.has(approval.approval_id))
    effects.violations.push('requests an approval under an ID that is in use')
  effects.approval = approval
  replay.last_request = approval
  replay.approvals.set(approval.approval_id, approval)
  replay.open_by_binding.set(binding, approval)
}

/** A request that no habit approves at once replaces an expired one with the same binding. */
export function finishReplaced(next: Leaf | undefined, replay: ReplayState, effects: LeafEffects): void {
  const { last_request } = replay
  replay.last_request = undefined
  if (last_request?.replaces === undefined) return
  if (
    next?.type === 'approval.decided' &&
    next.approval_id === last_request.approval_id &&
    next.by === 'habit'
  )
    return
  if (last_request.created_at_ms < last_request.replaces.expires_at_ms)
    effects.violations.push('follows a request that repeats an open one')
  last_request.replaces.state = 'expired'
  finishApproval(last_request.replaces, replay, effects)
}

/** A person or a habit decides. */
export function applyDecision(
  leaf: Leaf,
  { log_index, at_ms }: LeafPosition,
  replay: ReplayState,
  effects: LeafEffects,
): void {
  const approval = replay.approvals.get(readTextMember(leaf, 'approval_id'))
  if (approval === undefined || approval.state !== 'pending')
    throw new LeafError('decides an approval that was not requested or is decided already')
  const decision = decisionIn(leaf)
  const by = readTextMember(leaf, 'by')
  const { human_ref, provenance_ref } = approval.token.token
  if (leaf.provenance_ref !== provenance_ref)
    effects.violations.push('does not name the workflow of its approval')
  if (at_ms >= approval.expires_at_ms) effects.violations.push('decides an expired approval')
  if (by === 'habit') followHabit(approval, decision, log_index, at_ms, replay, effects)
  else setHabit(approval, decision === 'approved', at_ms, replay)

  approval.state = decision
  approval.decided_at_ms = at_ms
  approval.decided_by = by
  approval.decided_index = log_index
  approval.note = expectedText(replay, human_ref, 'note', readOptionalText(leaf, 'note_digest'), log_index)
  if (replay.open_by_binding.get(approval.binding) === approval)
    replay.open_by_binding.delete(approval.binding)
  if (by === 'habit' && approval.replaces !== undefined)
    replay.open_by_binding.set(approval.binding, approval.replaces) // a habit approves separately and leaves the earlier request open
  if (decision === 'denied') finishApproval(approval, replay, effects)
}

function decisionIn(leaf: Leaf): 'approved' | 'denied' {
  const decision = readTextMember(leaf, 'decision')
  if (decision === 'approved' || decision === 'denied') return decision
  throw new LeafError('has no valid decision')
}

function followHabit(
  approval: ExpectedApproval,
  decision: string,
  log_index: number,
  at_ms: number,
  replay: ReplayState,
  effects: LeafEffects,
): void {
  const key = habitKeyOf(approval, approval.token.token)
  const habit = replay.habits.get(habitName(key))?.habit
  if (
    decision !== 'approved' ||
    approval.log_index !== log_index - 1 ||
    habit === undefined ||
    !followsHabit(approval, approval.token.chain, habit, at_ms)
  )
    effects.violations.push('approves by a habit that does not apply')
  if (habit !== undefined) habit.auto_approvals += 1
}

function setHabit(approval: ExpectedApproval, isApproved: boolean, at_ms: number, replay: ReplayState): void {
  const key = habitKeyOf(approval, approval.token.token)
  const name = habitName(key)
  const habit = habitAfter(replay.habits.get(name)?.habit, isApproved, at_ms)
  if (habit === undefined) replay.habits.delete(name)
  else replay.habits.set(name, { key, habit })
}

export function applyHabitEnd(
  leaf: Leaf,
  _place: LeafPosition,
  replay: ReplayState,
  effects: LeafEffects,
): void {
  const name = habitName({
    agent_id: readAgentMember(leaf),
    human_ref: readTextMember(leaf, 'human_ref'),
    action: readTextMember(leaf, 'action'),
    resource: readTextMember(leaf, 'resource'),
  })
  if (!replay.habits.delete(name)) effects.violations.push('ends a habit that does not exist')
}

/** Checks the approval of an allowed action: it used the right one, or needed none. */
export function useApproval(
  leaf: Leaf,
  token: ExpectedToken,
  request: ActionRequest,
  at_ms: number,
  replay: ReplayState,
  effects: LeafEffects,
): void {
  const approval_id = readOptionalText(leaf, 'approval_id')
  if (needsApproval(request, token.chain) !== (approval_id !== undefined))
    effects.violations.push(
      approval_id === undefined
        ? 'allows an action without the approval it needs'
        : 'uses an approval that is not needed',
    )
  if (approval_id === undefined) return
  const approval = replay.approvals.get(approval_id)
  if (approval === undefined) throw new LeafError('uses an approval that was not given or is used already')
  const isGood =
    approval.state === 'approved' &&
    at_ms < approval.expires_at_ms &&
    approval.token === token &&
    approval.action === request.action &&
    approval.resource === request.resource &&
    approval.spend_micro_usd === request.spend_micro_usd &&
    approval.metadata?.digest === leaf.metadata_digest
  if (!isGood) effects.violations.push('uses an approval of a different request')
  approval.used_by = readTextMember(leaf, 'aar_id')
  finishApproval(approval, replay, effects)
}

function finishApproval(approval: ExpectedApproval, replay: ReplayState, effects: LeafEffects): void {
  replay.approvals.delete(approval.approval_id)
  effects.settled.push(approval)
}
