import {
  type ApprovalFault,
  canonicalJson,
  ID_PREFIXES,
  loggedAgent,
  type Reason,
  tokenRef,
  toUsd,
} from '@deputize/protocol'
import {
  approversFor,
  branchOf,
  currentState,
  deniedUntil,
  haveSameApprovers,
  MOST_OPEN,
  pausedUntil,
  type StoredApproval,
} from '../../domain/approvals/approval.ts'
import {
  followsHabit,
  type HabitKey,
  habitAfterGrantedUse,
  habitAfterUse,
  isGranted,
  isSampled,
} from '../../domain/approvals/habit.ts'
import { metadataShape } from '../../domain/metadata-shape.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { Chain } from '../../domain/tokens/token.ts'
import type { BatchState } from '../batch-state.ts'
import type { AuthorizationCommand } from '../command.ts'
import { saveDecision } from './decide-approval.ts'

/** The result for an action that needs approval: an approval to use, a denial, or a request that is still open. */
export type ApprovalLookup =
  | { readonly approved: StoredApproval }
  | { readonly denied: Reason }
  | { readonly open: StoredApproval }

/**
 * Finds an approval of exactly this request. If there is none, a grant or a habit may approve it, or a person is asked.
 */
export function approvalFor(command: AuthorizationCommand, chain: Chain, batch: BatchState): ApprovalLookup {
  const found = decidedBefore(command, chain, batch)
  if (found !== undefined) return found
  const binding = bindingOf(command, chain, batch)
  const key = habitKeyFor(command, chain, batch)
  const habit = batch.habit(key)
  if (isGranted(command, chain, habit, batch.now_ms)) {
    batch.setHabit(key, habitAfterGrantedUse(habit, command.spend_micro_usd))
    const approval = requestApproval(command, chain, batch)
    approval.grant_id = habit.grant.approval_id
    return { approved: saveDecision(approval, { decision: 'approved', by: 'grant' }, batch) }
  }
  const open = batch.openApproval(binding)
  // While a person is being asked about exactly this request, their decision counts, not a habit.
  if (open !== undefined && isStillAsked(open, command, chain, batch)) return { open }
  const isHabitual = followsHabit(command, chain, habit, batch.now_ms)
  if (isHabitual && !isSampled(approvalId(command))) {
    batch.setHabit(key, habitAfterUse(habit))
    const approval = requestApproval(command, chain, batch)
    return { approved: saveDecision(approval, { decision: 'approved', by: 'habit' }, batch) }
  }
  const limit = reachedLimit(chain, batch)
  if (limit !== undefined) return { denied: limit }
  if (open !== undefined) {
    open.state = 'expired' // has no leaf of its own: it follows from the leaf of the new request
    batch.saveApproval(open)
  }
  if (isHabitual) batch.setHabit(key, { ...habit, is_due: true })
  return { open: requestApproval(command, chain, batch) }
}

/** Why `approvalFor` would not approve the action. Undefined if it would. Changes nothing. */
export function approvalObstacle(
  command: AuthorizationCommand,
  chain: Chain,
  batch: BatchState,
): Reason | undefined {
  // Without a data key, nothing has been decided for the person, and a dry run must not create a key.
  if (batch.person(chain[0].token.human_ref)?.has_data !== true) return 'approval_required'
  const found = decidedBefore(command, chain, batch)
  if (found !== undefined) return 'denied' in found ? found.denied : undefined
  const habit = batch.habit(habitKeyFor(command, chain, batch))
  if (isGranted(command, chain, habit, batch.now_ms)) return undefined
  const open = batch.openApproval(bindingOf(command, chain, batch))
  if (open !== undefined && isStillAsked(open, command, chain, batch)) return 'approval_required'
  if (followsHabit(command, chain, habit, batch.now_ms)) return undefined
  return reachedLimit(chain, batch) ?? 'approval_required'
}

/**
 * Whether an open request waits for those who must approve it now. A release or an alert may have changed who that is.
 */
function isStillAsked(
  open: StoredApproval,
  command: AuthorizationCommand,
  chain: Chain,
  batch: BatchState,
): boolean {
  return (
    currentState(open, batch.now_ms) === 'pending' &&
    haveSameApprovers(open.approvers, approversFor(command, chain, batch.now_ms))
  )
}

/** The approval that the command names, or an earlier denial of the same request that still holds. */
function decidedBefore(
  command: AuthorizationCommand,
  chain: Chain,
  batch: BatchState,
): { readonly approved: StoredApproval } | { readonly denied: Reason } | undefined {
  const binding = bindingOf(command, chain, batch)
  const given = command.approval_id === undefined ? undefined : batch.approval(command.approval_id)
  if (given !== undefined && given.used_by === undefined && given.binding === binding) {
    const state = currentState(given, batch.now_ms)
    if (state === 'approved') return { approved: given }
    if (state === 'denied') return { denied: 'approval_denied' }
  }
  return batch.now_ms < deniedUntil(batch.denials(binding)) ? { denied: 'approval_denied' } : undefined
}

/**
 * Why the approval that the command names can't be used. Undefined if the command names none. An approval that no token
 * of the chain requested is unknown, whether or not it exists.
 */
export function approvalFault(
  command: AuthorizationCommand,
  chain: Chain,
  batch: BatchState,
): ApprovalFault | undefined {
  if (command.approval_id === undefined) return undefined
  const given = batch.approval(command.approval_id)
  if (given === undefined || !chain.some(({ token }) => token.jti === given.vat_jti)) return 'unknown'
  if (given.used_by !== undefined) return 'used'
  // The person has had a data key since the approval was requested, so this creates none.
  if (given.binding !== bindingOf(command, chain, batch)) return 'other_request'
  return currentState(given, batch.now_ms) === 'expired' ? 'expired' : undefined
}

/** Marks an approval as used: it covers one action. */
export function consumeApproval(approval: StoredApproval, aar_id: string, batch: BatchState): void {
  approval.used_by = aar_id
  batch.saveApproval(approval)
}

/** The limit that keeps another request from a person, if any. Limits keep agents from wearing people down. */
function reachedLimit(chain: Chain, batch: BatchState): Reason | undefined {
  const { root_jti, human_ref } = chain[0].token
  const branch_jti = branchOf(chain)
  if (isPaused(chain, batch)) return 'approval_denied'
  const isBranch = branch_jti !== root_jti
  if (isBranch && batch.countOpenApprovals({ root_jti, branch_jti }) >= MOST_OPEN.branch)
    return 'approval_limit_root'
  if (batch.countOpenApprovals({ root_jti }) >= MOST_OPEN.root) return 'approval_limit_root'
  if (batch.countOpenApprovals({ human_ref }) >= MOST_OPEN.person) return 'approval_limit_person'
  return undefined
}

/** Whether people have denied so many requests of this branch in a row that it may not ask for a while. */
function isPaused(chain: Chain, batch: BatchState): boolean {
  return batch.now_ms < pausedUntil(batch.denialsInARow(chain[0].token.root_jti), branchOf(chain))
}

function approvalId({ suffix }: AuthorizationCommand): string {
  return ID_PREFIXES.approval + suffix
}

function requestApproval(command: AuthorizationCommand, chain: Chain, batch: BatchState): StoredApproval {
  const [{ token }] = chain
  const { spend_micro_usd, metadata } = command
  const approval_id = approvalId(command)
  const binding = bindingOf(command, chain, batch)
  const { shape } = habitKeyFor(command, chain, batch)
  const expires_at_ms = Math.min(batch.now_ms + command.approval_ttl_ms, token.limits.expires_at_ms)
  const { log_index } = batch.appendLeaf('approval.requested', {
    approval_id,
    provenance_ref: token.provenance_ref,
    token: tokenRef(token.jti),
    agent_id: loggedAgent(token.agent_id),
    action: command.action,
    resource: command.resource,
    binding,
    shape,
    expires_at: isoInstant(expires_at_ms),
    ...(spend_micro_usd > 0 && { spend_usd: toUsd(spend_micro_usd) }),
    ...(metadata !== undefined && { metadata_digest: batch.digest(token.human_ref, 'metadata', metadata) }),
  })
  const approval: StoredApproval = {
    approval_id,
    vat_jti: token.jti,
    root_jti: token.root_jti,
    branch_jti: branchOf(chain),
    provenance_ref: token.provenance_ref,
    agent_id: token.agent_id,
    human_ref: token.human_ref,
    assurance_level: token.assurance_level,
    action: command.action,
    resource: command.resource,
    spend_micro_usd,
    metadata,
    binding,
    shape,
    approvers: approversFor(command, chain, batch.now_ms),
    created_at_ms: batch.now_ms,
    log_index,
    expires_at_ms,
    state: 'pending',
    decided_at_ms: undefined,
    decided_by: undefined,
    decided_log_index: undefined,
    note: undefined,
    endorsements: [],
    granted: undefined,
    grant_id: undefined,
    used_by: undefined,
    erased: false,
    token_revoked: false, // requests of revoked tokens are denied earlier
  }
  batch.saveApproval(approval)
  batch.count(approval, { asked: 1 })
  return approval
}

function habitKeyFor(command: AuthorizationCommand, [{ token }]: Chain, batch: BatchState): HabitKey {
  const { agent_id, human_ref, root_jti } = token
  const shape = batch.digest(human_ref, 'shape', metadataShape(command.metadata))
  return { agent_id, human_ref, action: command.action, resource: command.resource, root_jti, shape }
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
