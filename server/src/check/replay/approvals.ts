import { toMicroUsd } from '@deputize/protocol'
import {
  approversFor,
  type GivenGrant,
  haveSameApprovers,
  needsApproval,
} from '../../domain/approvals/approval.ts'
import { counts, type Endorsement, isEndorsed, REVIEW_DESK } from '../../domain/approvals/approvers.ts'
import {
  followsHabit,
  habitAfterApproval,
  habitAfterGrantedUse,
  habitAfterUse,
  habitName,
  isGranted,
  isSampled,
  unrevokedHabit,
} from '../../domain/approvals/habit.ts'
import { type ActionRequest, isRevoked } from '../../domain/decision.ts'
import { type Counts, countUse, decisionCounts } from '../../domain/stats.ts'
import { DAY_MS } from '../../domain/times/time.ts'
import type { Leaf } from '../../log/leaf.ts'
import { countLeaf } from './counters.ts'
import {
  type ExpectedApproval,
  type ExpectedToken,
  expectedHuman,
  expectedText,
  type LeafEffects,
  type LeafStep,
  type ReplayState,
} from './expected.ts'
import { endHabitsOf, habitKeyOfApproval } from './habits.ts'
import { LeafError, readInstant, readOptionalText, readSpend, readTextMember } from './leaf-reader.ts'
import { tokenIn } from './revocations.ts'
import { decideUnbound, followUnbound } from './unbound-habits.ts'

/** Applies a request for approval. */
export function applyApprovalRequest(step: LeafStep): void {
  const { leaf, log_index, at_ms, replay, effects } = step
  const token = tokenIn(step)
  const { human_ref, limits } = token.token
  const binding = readTextMember(leaf, 'binding')
  const request = {
    action: readTextMember(leaf, 'action'),
    resource: readTextMember(leaf, 'resource'),
    spend_micro_usd: readSpend(leaf),
  }
  expectedHuman(replay, human_ref).needs_key = true
  const approvers = approversFor(request, token.chain, at_ms)
  const approval: ExpectedApproval = {
    log_index,
    approval_id: readTextMember(leaf, 'approval_id'),
    token,
    ...request,
    binding,
    shape: readOptionalText(leaf, 'shape'),
    approvers: needsApproval(request, token.chain, at_ms) || !hidesLimits(token) ? approvers : [REVIEW_DESK],
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
    endorsements: [],
    granted: undefined,
    grant_id: undefined,
    used_by: undefined,
  }
  if (approval.expires_at_ms > limits.expires_at_ms)
    effects.violations.push('requests an approval that outlives its token')
  if (!isApprovalNeeded(approval, token, at_ms, true))
    effects.violations.push('requests an approval that is not needed')
  if (replay.approvals.has(approval.approval_id))
    effects.violations.push('requests an approval under an ID that is in use')
  effects.approval = approval
  replay.last_request = approval
  replay.approvals.set(approval.approval_id, approval)
  replay.open_by_binding.set(binding, approval)
  sampleHabit(approval, at_ms, replay)
  countApproval(approval, { asked: 1 }, at_ms, replay)
}

function countApproval(
  { token, action, resource }: ExpectedApproval,
  counts: Partial<Counts>,
  at_ms: number,
  { counters }: ReplayState,
): void {
  const use = { agent_id: token.token.agent_id, action, resource }
  countLeaf(counters, at_ms, (activity) => countUse(activity, use, counts))
}

/** Whether the log names inner limits of the chain that couldn't be read because a row is missing or was changed. */
function hidesLimits({ inner_limits, token, above }: ExpectedToken): boolean {
  if (inner_limits !== undefined && token.inner_limits === undefined) return true
  return above !== undefined && hidesLimits(above)
}

/** Whether a request needs an approval. If inner limits can't be read, the leaf is believed. */
export function isApprovalNeeded(
  request: ActionRequest,
  token: ExpectedToken,
  at_ms: number,
  leaf_says_so: boolean,
): boolean {
  return needsApproval(request, token.chain, at_ms) || (leaf_says_so && hidesLimits(token))
}

/** If a request that a habit would cover was sampled for a person, marks the habit as due for a person's decision. */
function sampleHabit(approval: ExpectedApproval, at_ms: number, replay: ReplayState): void {
  const { token, approval_id } = approval
  const found = habitOf(approval, replay)
  if (found === undefined || !isSampled(approval_id)) return
  const { name, kept } = found
  if (isGranted(approval, token.chain, kept?.habit, at_ms)) return
  if (kept !== undefined && followsHabit(approval, token.chain, kept.habit, at_ms))
    replay.habits.set(name, { ...kept, habit: { ...kept.habit, is_due: true } })
}

function habitOf(approval: ExpectedApproval, { habits, tokens }: ReplayState) {
  const key = habitKeyOfApproval(approval)
  if (key === undefined) return undefined
  const name = habitName(key)
  const kept = habits.get(name)
  const habit = kept && unrevokedHabit(kept.habit, (ref) => tokens.get(ref)?.chain.some(isRevoked) ?? true)
  return { key, name, kept: habit && { key, habit } }
}

/** Whether no person was asked. */
function isAutomatic(by: unknown): boolean {
  return by === 'habit' || by === 'grant'
}

/**
 * Finishes the request that the last one replaces, unless a habit or a grant approved the last one. The replaced one
 * must have expired, or others must approve now.
 */
export function finishReplaced(next: Leaf | undefined, replay: ReplayState, effects: LeafEffects): void {
  const { last_request } = replay
  replay.last_request = undefined
  if (last_request?.replaces === undefined) return
  if (
    next?.type === 'approval.decided' &&
    next.approval_id === last_request.approval_id &&
    isAutomatic(next.by)
  )
    return
  if (isStillAsked(last_request.replaces, last_request))
    effects.violations.push('follows a request that repeats an open one')
  last_request.replaces.state = 'expired'
  finishApproval(last_request.replaces, replay, effects)
}

/**
 * Whether the earlier request was still open when the later one repeated it, and waited for the same approvers. If inner
 * limits can't be read, the leaf is believed.
 */
function isStillAsked(earlier: ExpectedApproval, later: ExpectedApproval): boolean {
  if (later.created_at_ms >= earlier.expires_at_ms || hidesLimits(later.token)) return false
  return haveSameApprovers(earlier.approvers, later.approvers)
}

/** Applies a decision by a person, a habit or a grant. */
export function applyDecision(step: LeafStep): void {
  const { leaf, log_index, at_ms, replay, effects } = step
  const approval = decidedApproval(step)
  const decision = decisionIn(leaf)
  const by = readTextMember(leaf, 'by')
  approval.granted = grantIn(leaf)
  approval.grant_id = readOptionalText(leaf, 'grant_id')
  if (isAutomatic(by)) {
    if (decision !== 'approved' || approval.log_index !== log_index - 1)
      effects.violations.push(`approves by a ${by} what was requested earlier`)
    if (by === 'habit') followHabit(step, approval)
    else followGrant(step, approval)
  } else if (approval.approvers.length > 0) {
    decideWithOthers(step, approval, decision)
  } else {
    decideAlone(step, approval, decision)
  }

  approval.state = decision
  approval.decided_at_ms = at_ms
  approval.decided_by = by
  approval.decided_index = log_index
  countApproval(approval, decisionCounts(decision, by, at_ms - approval.created_at_ms), at_ms, replay)
  if (replay.open_by_binding.get(approval.binding) === approval)
    replay.open_by_binding.delete(approval.binding)
  if (isAutomatic(by) && approval.replaces !== undefined)
    replay.open_by_binding.set(approval.binding, approval.replaces) // the earlier request stays open
  if (decision === 'denied') finishApproval(approval, replay, effects)
}

/** Applies an escalation: more people are asked while the request is pending. */
export function applyEscalation(step: LeafStep): void {
  const { leaf, effects } = step
  decidedApproval(step)
  const isNamed =
    Array.isArray(leaf.to) && leaf.to.length > 0 && leaf.to.every((ref) => typeof ref === 'string')
  if (!isNamed) effects.violations.push('asks nobody further')
}

/** Applies the approval of one of several approvers. */
export function applyEndorsement(step: LeafStep): void {
  const { effects } = step
  const approval = decidedApproval(step)
  endorse(step, approval)
  if (isEndorsed(approval.approvers, approval.endorsements))
    effects.violations.push('does not decide an approval that has enough approvers')
}

/** The pending approval that a leaf is about, with the leaf's note. */
function decidedApproval({ leaf, log_index, at_ms, replay, effects }: LeafStep): ExpectedApproval {
  const approval = replay.approvals.get(readTextMember(leaf, 'approval_id'))
  if (approval === undefined || approval.state !== 'pending')
    throw new LeafError('decides an approval that was not requested or is decided already')
  const { human_ref, provenance_ref } = approval.token.token
  if (leaf.provenance_ref !== provenance_ref)
    effects.violations.push('does not name the workflow of its approval')
  if (at_ms >= approval.expires_at_ms) effects.violations.push('decides an expired approval')
  const digest = readOptionalText(leaf, 'note_digest')
  approval.note = expectedText(replay, human_ref, 'note', digest, log_index) ?? approval.note
  return approval
}

function endorse({ leaf, at_ms, effects }: LeafStep, approval: ExpectedApproval): void {
  const by = readTextMember(leaf, 'by')
  const one = { by, at_ms, reviewer: leaf.reviewer === true, owner: leaf.owner === true }
  if (approval.endorsements.some((earlier) => earlier.by === by))
    effects.violations.push('lets one person approve twice')
  if (!mayApprove(approval, one)) effects.violations.push('lets a person approve who is not an approver')
  if (by === approval.token.token.human_ref && !one.owner)
    effects.violations.push('does not say that the agent acts for its approver')
  approval.endorsements = [...approval.endorsements, one]
}

function mayApprove({ approvers }: ExpectedApproval, one: Endorsement): boolean {
  return approvers.some((requirement) => counts(requirement, one))
}

function decideWithOthers(step: LeafStep, approval: ExpectedApproval, decision: 'approved' | 'denied'): void {
  const { replay, effects } = step
  if (approval.granted !== undefined)
    effects.violations.push('gives a grant that several people decide about')
  if (decision === 'denied') {
    endHabitsOf(kindOf(approval), replay)
    return
  }
  endorse(step, approval)
  if (!isEndorsed(approval.approvers, approval.endorsements))
    effects.violations.push('approves what too few approvers have approved')
}

function decideAlone(
  { at_ms, replay, effects }: LeafStep,
  approval: ExpectedApproval,
  decision: 'approved' | 'denied',
): void {
  const { granted } = approval
  if (approval.shape === undefined)
    decideUnbound(approval, decision === 'approved', replay.unbound_habits, at_ms)
  if (granted !== undefined && !isValidGrant(approval, granted, decision, at_ms))
    effects.violations.push('gives a grant that lasts too long, is too small or comes with no approval')
  if (decision === 'denied') {
    endHabitsOf(kindOf(approval), replay)
    return
  }
  const found = habitOf(approval, replay)
  if (found === undefined) return
  const habit = habitAfterApproval(found.kept?.habit, { ...approval, vat_jti: approval.token.ref }, at_ms)
  replay.habits.set(found.name, { key: found.key, habit })
}

function isValidGrant(
  { shape, spend_micro_usd }: ExpectedApproval,
  { expires_at_ms, max_spend_micro_usd }: GivenGrant,
  decision: string,
  at_ms: number,
): boolean {
  return (
    shape !== undefined &&
    decision === 'approved' &&
    expires_at_ms <= at_ms + DAY_MS &&
    max_spend_micro_usd >= spend_micro_usd
  )
}

function kindOf({ token, action, resource }: ExpectedApproval) {
  const { agent_id, human_ref } = token.token
  return { agent_id, human_ref, action, resource }
}

function decisionIn(leaf: Leaf): 'approved' | 'denied' {
  const decision = readTextMember(leaf, 'decision')
  if (decision === 'approved' || decision === 'denied') return decision
  throw new LeafError('has no valid decision')
}

function grantIn({ grant }: Leaf): GivenGrant | undefined {
  if (grant === undefined) return undefined
  const { expires_at, max_spend_usd } = grant as Readonly<Record<string, unknown>> // its members are checked below
  const expires_at_ms = Date.parse(String(expires_at))
  if (Number.isNaN(expires_at_ms) || typeof max_spend_usd !== 'number')
    throw new LeafError('has no valid grant')
  return { expires_at_ms, max_spend_micro_usd: toMicroUsd(max_spend_usd) }
}

function followHabit({ at_ms, replay, effects }: LeafStep, approval: ExpectedApproval): void {
  const { token, approval_id } = approval
  const found = habitOf(approval, replay)
  const kept = found?.kept
  const isFollowed =
    found === undefined
      ? followUnbound(approval, replay.unbound_habits, at_ms)
      : followsHabit(approval, token.chain, kept?.habit, at_ms) && !isSampled(approval_id)
  if (!isFollowed) effects.violations.push('approves by a habit that does not apply')
  if (found !== undefined && kept !== undefined)
    replay.habits.set(found.name, { ...kept, habit: habitAfterUse(kept.habit) })
}

function followGrant({ at_ms, replay, effects }: LeafStep, approval: ExpectedApproval): void {
  const found = habitOf(approval, replay)
  const kept = found?.kept
  const habit = kept?.habit
  if (
    found === undefined ||
    kept === undefined ||
    !isGranted(approval, approval.token.chain, habit, at_ms) ||
    habit.grant.approval_id !== approval.grant_id
  ) {
    effects.violations.push('approves by a grant that does not apply')
    return
  }
  replay.habits.set(found.name, { ...kept, habit: habitAfterGrantedUse(habit, approval.spend_micro_usd) })
}

/** Checks that an allowed action used the right approval, or needed none. */
export function useApproval(
  { leaf, at_ms, replay, effects }: LeafStep,
  token: ExpectedToken,
  request: ActionRequest,
): void {
  const approval_id = readOptionalText(leaf, 'approval_id')
  if (isApprovalNeeded(request, token, at_ms, approval_id !== undefined) !== (approval_id !== undefined))
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
