import { AuthorityError, invalidField, loggedAgent, toUsd } from '@deputize/protocol'
import { currentState, type GivenGrant, type StoredApproval } from '../../domain/approvals/approval.ts'
import { approverRef, type Decider, isEndorsed } from '../../domain/approvals/approvers.ts'
import { type HabitKey, type HabitKind, habitAfterApproval } from '../../domain/approvals/habit.ts'
import { isRevoked } from '../../domain/decision.ts'
import { decisionCounts } from '../../domain/stats.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { BatchState } from '../batch-state.ts'
import type { DecideApprovalCommand, EndGrantCommand, EndHabitCommand } from '../command.ts'
import { everyRef } from './person-refs.ts'

/**
 * Decides a pending approval for a person. If the token names approvers, enough of them must approve. A revoked token's
 * request can be denied, which also ends habits, but not approved. A suspended token may be resumed, so its requests
 * can be decided in the meantime.
 */
export function judgeDecideApproval(command: DecideApprovalCommand, batch: BatchState): StoredApproval {
  const approval = pendingApproval(command.approval_id, batch)
  if (command.decision === 'approved') assertNotRevoked(approval, batch)
  // The desk decides only requests that are held for review.
  if (command.decider.is_desk === true && approval.approvers.length === 0) throw notAnApprover(approval)
  return approval.approvers.length === 0
    ? decideAlone(approval, command, batch)
    : decideWithOthers(approval, command, batch)
}

function decideAlone(
  approval: StoredApproval,
  command: DecideApprovalCommand,
  batch: BatchState,
): StoredApproval {
  approval.granted = givenGrant(approval, command, batch)
  const key = habitKeyOf(approval)
  if (command.decision === 'denied') endHabits(approval, batch)
  else if (key !== undefined)
    batch.setHabit(key, habitAfterApproval(batch.habit(key), approval, batch.now_ms))
  return saveDecision(approval, command, batch)
}

/** Ends the habits of a kind, with their grants. */
function endHabits(kind: HabitKind, batch: BatchState): boolean {
  const keys = batch.habitKeys(kind)
  for (const key of keys) batch.setHabit(key, undefined)
  return keys.length > 0
}

/** Each person decides once. An approval that isn't the last one needed is stored as an endorsement. */
function decideWithOthers(
  approval: StoredApproval,
  command: DecideApprovalCommand,
  batch: BatchState,
): StoredApproval {
  const { decision, decider, note, grant } = command
  if (grant !== undefined)
    throw invalidField(
      '/grant',
      'is not possible when the token names approvers. They decide about each request',
    )
  const refs = refsByNow(decider, batch)
  const owner = refs.includes(approval.human_ref)
  const by = approverRef(approval.approvers, decider)
  if (decision === 'denied') {
    if (by === undefined && !owner) throw notAnApprover(approval)
    endHabits(approval, batch)
    return saveDecision(approval, { decision, by: by ?? approval.human_ref, note }, batch)
  }
  if (by === undefined) throw notAnApprover(approval)
  if (approval.endorsements.some(({ by }) => refs.includes(by)))
    throw new AuthorityError(
      'approval_decided',
      'You have approved this already. Others must approve it too.',
      {
        approval_id: approval.approval_id,
        state: 'pending',
      },
    )
  const reviewer = decider.is_reviewer
  approval.endorsements = [...approval.endorsements, { by, at_ms: batch.now_ms, reviewer, owner }]
  const members = { by, ...(reviewer && { reviewer }), ...(owner && { owner }) }
  if (isEndorsed(approval.approvers, approval.endorsements))
    return saveDecision(approval, { decision, note, ...members }, batch)
  batch.appendLeaf('approval.endorsed', { ...decisionMembers(approval, note, batch), ...members })
  approval.note = note ?? approval.note
  batch.saveApproval(approval)
  return approval
}

/**
 * The decider's current refs. A session has the refs from its start, and the person may have proved an address since.
 */
function refsByNow({ refs, is_desk = false }: Decider, batch: BatchState): readonly string[] {
  return is_desk ? refs : refs.flatMap((ref) => everyRef(ref, batch))
}

/** Ends every habit of a kind, with its grant, so that a person decides the next request again. */
export function judgeEndHabit({ of }: EndHabitCommand, batch: BatchState): { readonly ended: boolean } {
  const ended = endHabits(of, batch)
  if (ended)
    batch.appendLeaf('approval.habit_ended', {
      agent_id: loggedAgent(of.agent_id),
      human_ref: of.human_ref,
      action: of.action,
      resource: of.resource,
    })
  return { ended }
}

/** Ends a grant. The habit that it belongs to stays. */
export function judgeEndGrant(
  { approval_id }: EndGrantCommand,
  batch: BatchState,
): { readonly ended: boolean } {
  const approval = batch.approval(approval_id)
  if (approval === undefined) throw new AuthorityError('approval_unknown')
  const key = habitKeyOf(approval)
  const habit = key === undefined ? undefined : batch.habit(key)
  if (key === undefined || habit?.grant?.approval_id !== approval_id) return { ended: false }
  const ended = batch.now_ms < habit.grant.expires_at_ms
  if (ended) {
    batch.setHabit(key, { ...habit, grant: undefined })
    batch.appendLeaf('approval.grant_ended', { approval_id, provenance_ref: approval.provenance_ref })
  }
  return { ended }
}

function pendingApproval(approval_id: string, batch: BatchState): StoredApproval {
  const approval = batch.approval(approval_id)
  if (approval === undefined) throw new AuthorityError('approval_unknown')
  if (approval.state === 'pending' && batch.now_ms < approval.expires_at_ms) return approval
  const state = currentState(approval, batch.now_ms)
  throw new AuthorityError('approval_decided', `The approval is ${state}.`, {
    approval_id,
    state,
    ...(approval.decided_at_ms !== undefined && { decided_at: isoInstant(approval.decided_at_ms) }),
  })
}

function assertNotRevoked({ approval_id, vat_jti }: StoredApproval, batch: BatchState): void {
  if (!batch.requireChain(vat_jti).some(isRevoked)) return
  const reason = 'token_revoked'
  throw new AuthorityError(
    'token_not_live',
    'The token that the agent asked with, or one above it, was revoked, so the agent can no longer act on an approval.',
    { approval_id, reason, reasons: [reason] },
  )
}

function notAnApprover({ approval_id }: StoredApproval): AuthorityError {
  const detail = 'The token names other people or another role to approve this.'
  return new AuthorityError('not_an_approver', detail, { approval_id })
}

function givenGrant(
  approval: StoredApproval,
  { decision, grant }: DecideApprovalCommand,
  batch: BatchState,
): GivenGrant | undefined {
  if (grant === undefined || decision === 'denied') return undefined
  if (approval.shape === undefined)
    throw invalidField(
      '/grant',
      'is not possible for a request of an earlier version. Approve it without a grant',
    )
  const max_spend_micro_usd = grant.max_spend_micro_usd ?? approval.spend_micro_usd
  if (max_spend_micro_usd < approval.spend_micro_usd)
    throw invalidField(
      '/grant/max_spend_usd',
      `must be at least ${toUsd(approval.spend_micro_usd)}, the spend of the approved action`,
    )
  return { expires_at_ms: batch.now_ms + grant.lifetime_ms, max_spend_micro_usd }
}

/** The habit that an approval belongs to. Undefined for a request from an earlier version. */
function habitKeyOf({
  agent_id,
  human_ref,
  action,
  resource,
  root_jti,
  shape,
}: StoredApproval): HabitKey | undefined {
  return shape === undefined ? undefined : { agent_id, human_ref, action, resource, root_jti, shape }
}

interface Decision {
  readonly decision: 'approved' | 'denied'
  readonly by: string
  readonly note?: string | undefined
  readonly reviewer?: boolean
  readonly owner?: boolean
}

/** Records the final decision on an approval. */
export function saveDecision(
  approval: StoredApproval,
  { decision, by, note, reviewer = false, owner = false }: Decision,
  batch: BatchState,
): StoredApproval {
  const { granted, grant_id } = approval
  const { log_index } = batch.appendLeaf('approval.decided', {
    ...decisionMembers(approval, note, batch),
    decision,
    by,
    ...(reviewer && { reviewer }),
    ...(owner && { owner }),
    ...(granted !== undefined && {
      grant: {
        expires_at: isoInstant(granted.expires_at_ms),
        max_spend_usd: toUsd(granted.max_spend_micro_usd),
      },
    }),
    ...(grant_id !== undefined && { grant_id }),
  })
  approval.state = decision
  approval.decided_at_ms = batch.now_ms
  approval.decided_by = by
  approval.decided_log_index = log_index
  approval.note = note ?? approval.note
  batch.saveApproval(approval)
  batch.count(approval, decisionCounts(decision, by, batch.now_ms - approval.created_at_ms))
  return approval
}

function decisionMembers(approval: StoredApproval, note: string | undefined, batch: BatchState) {
  return {
    approval_id: approval.approval_id,
    provenance_ref: approval.provenance_ref,
    ...(note !== undefined && { note_digest: batch.digest(approval.human_ref, 'note', note) }),
  }
}
