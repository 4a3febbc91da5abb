import { AuthorityError, canonicalJson, ID_PREFIXES, loggedAgent, tokenRef, toUsd } from '@deputize/protocol'
import {
  currentState,
  followsHabit,
  habitAfter,
  habitKeyOf,
  type StoredApproval,
} from '../../domain/approval.ts'
import { isoInstant } from '../../domain/time.ts'
import type { Chain } from '../../domain/token.ts'
import type { BatchState } from '../batch-state.ts'
import type { AuthorizationCommand, DecideApprovalCommand, EndHabitCommand } from '../command.ts'

/** Approvals that one token may have open at a time, so that an agent can't wear its human down with requests. */
const MAX_OPEN = 100

/** The result for an action that needs approval: an approval to use, a denial, or a request that is still open. */
export type ApprovalLookup =
  | { readonly approved: StoredApproval }
  | { readonly denied: StoredApproval }
  | { readonly open: StoredApproval | undefined }

/** Finds an approval of exactly this request. Without one, a habit may approve it, or a new approval is requested. */
export function approvalFor(command: AuthorizationCommand, chain: Chain, batch: BatchState): ApprovalLookup {
  const given = unusedApproval(command, chain, batch)
  if (given !== undefined) {
    const state = currentState(given, batch.now_ms)
    if (state === 'approved') return { approved: given }
    if (state === 'denied') return { denied: given }
  }
  const key = habitKeyOf(command, chain[0].token)
  const habit = batch.habit(key)
  if (habit !== undefined && followsHabit(command, chain, habit, batch.now_ms)) {
    batch.setHabit(key, { ...habit, auto_approvals: habit.auto_approvals + 1 })
    const approval = requestApproval(command, chain, batch)
    return { approved: saveDecision(approval, { decision: 'approved', by: 'habit', note: undefined }, batch) }
  }
  return { open: openOrRequest(command, chain, batch) }
}

/** Whether `approvalFor` would find an approval. Changes nothing. */
export function wouldBeApproved(command: AuthorizationCommand, chain: Chain, batch: BatchState): boolean {
  const given = unusedApproval(command, chain, batch)
  if (given !== undefined && currentState(given, batch.now_ms) === 'approved') return true
  return followsHabit(command, chain, batch.habit(habitKeyOf(command, chain[0].token)), batch.now_ms)
}

/** The approval that the command names, if it is bound to exactly this request and no record has used it. */
function unusedApproval(
  command: AuthorizationCommand,
  chain: Chain,
  batch: BatchState,
): StoredApproval | undefined {
  const given = command.approval_id === undefined ? undefined : batch.approval(command.approval_id)
  if (given === undefined || given.used_by !== undefined) return undefined
  return given.binding === bindingOf(command, chain, batch) ? given : undefined
}

/** Marks an approval as used: it covers one action. */
export function consumeApproval(approval: StoredApproval, aar_id: string, batch: BatchState): void {
  approval.used_by = aar_id
  batch.saveApproval(approval)
}

function openOrRequest(
  command: AuthorizationCommand,
  chain: Chain,
  batch: BatchState,
): StoredApproval | undefined {
  const open = batch.openApproval(bindingOf(command, chain, batch))
  if (open !== undefined && currentState(open, batch.now_ms) === 'pending') return open
  if (batch.countOpenApprovals(command.vat_jti) >= MAX_OPEN) return undefined
  if (open !== undefined) {
    open.state = 'expired' // has no leaf of its own: it follows from the leaf of the new request
    batch.saveApproval(open)
  }
  return requestApproval(command, chain, batch)
}

function requestApproval(command: AuthorizationCommand, chain: Chain, batch: BatchState): StoredApproval {
  const [{ token }] = chain
  const { spend_micro_usd, metadata } = command
  const approval_id = ID_PREFIXES.approval + command.suffix
  const binding = bindingOf(command, chain, batch)
  const expires_at_ms = Math.min(batch.now_ms + command.approval_ttl_ms, token.limits.expires_at_ms)
  const { log_index } = batch.appendLeaf('approval.requested', {
    approval_id,
    provenance_ref: token.provenance_ref,
    token: tokenRef(token.jti),
    agent_id: loggedAgent(token.agent_id),
    action: command.action,
    resource: command.resource,
    binding,
    expires_at: isoInstant(expires_at_ms),
    ...(spend_micro_usd > 0 && { spend_usd: toUsd(spend_micro_usd) }),
    ...(metadata !== undefined && { metadata_digest: batch.digest(token.human_ref, 'metadata', metadata) }),
  })
  const approval: StoredApproval = {
    approval_id,
    vat_jti: token.jti,
    provenance_ref: token.provenance_ref,
    agent_id: token.agent_id,
    human_ref: token.human_ref,
    assurance_level: token.assurance_level,
    action: command.action,
    resource: command.resource,
    spend_micro_usd,
    metadata,
    binding,
    created_at_ms: batch.now_ms,
    log_index,
    expires_at_ms,
    state: 'pending',
    decided_at_ms: undefined,
    decided_by: undefined,
    decided_log_index: undefined,
    note: undefined,
    used_by: undefined,
    erased: false,
  }
  batch.saveApproval(approval)
  return approval
}

/** A person decides a pending approval, once. */
export function judgeDecideApproval(command: DecideApprovalCommand, batch: BatchState): StoredApproval {
  const { approval_id, decision } = command
  const approval = batch.approval(approval_id)
  if (approval === undefined) throw new AuthorityError('approval_unknown')
  const state = currentState(approval, batch.now_ms)
  if (approval.state !== 'pending' || state !== 'pending') {
    throw new AuthorityError('approval_decided', `The approval is ${state}.`, {
      approval_id,
      state,
      ...(approval.decided_at_ms !== undefined && { decided_at: isoInstant(approval.decided_at_ms) }),
    })
  }
  const key = habitKeyOf(approval, approval)
  batch.setHabit(key, habitAfter(batch.habit(key), decision === 'approved', batch.now_ms))
  return saveDecision(approval, command, batch)
}

/** Ends a habit: a person decides about the next request again. */
export function judgeEndHabit({ key }: EndHabitCommand, batch: BatchState): { readonly ended: boolean } {
  const ended = batch.habit(key) !== undefined
  if (ended) {
    batch.setHabit(key, undefined)
    batch.appendLeaf('approval.habit_ended', { ...key, agent_id: loggedAgent(key.agent_id) })
  }
  return { ended }
}

function saveDecision(
  approval: StoredApproval,
  { decision, by, note }: Pick<DecideApprovalCommand, 'decision' | 'by' | 'note'>,
  batch: BatchState,
): StoredApproval {
  const { log_index } = batch.appendLeaf('approval.decided', {
    approval_id: approval.approval_id,
    provenance_ref: approval.provenance_ref,
    decision,
    by,
    ...(note !== undefined && { note_digest: batch.digest(approval.human_ref, 'note', note) }),
  })
  approval.state = decision
  approval.decided_at_ms = batch.now_ms
  approval.decided_by = by
  approval.decided_log_index = log_index
  approval.note = note
  batch.saveApproval(approval)
  return approval
}

/** A digest of everything in the request: an approval covers exactly that and nothing else. */
function bindingOf(
  { vat_jti, action, resource, spend_micro_usd, metadata }: AuthorizationCommand,
  [{ token }]: Chain,
  batch: BatchState,
): string {
  const request = canonicalJson([vat_jti, action, resource, spend_micro_usd, metadata ?? null])
  return batch.digest(token.human_ref, 'binding', request)
}
