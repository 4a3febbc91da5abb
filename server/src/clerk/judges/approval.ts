import { AuthorityError, canonicalJson, ID_PREFIXES, loggedAgent, tokenRef, toUsd } from '@deputize/protocol'
import {
  currentState,
  followsHabit,
  type HabitKey,
  habitAfter,
  type StoredApproval,
} from '../../domain/approval.ts'
import type { ActionRequest } from '../../domain/decision.ts'
import { isoInstant } from '../../domain/time.ts'
import type { Chain } from '../../domain/token.ts'
import type { Ledger } from '../batch-state.ts'
import type {
  AuthorizeCommand,
  DecideApprovalCommand,
  EndHabitCommand,
  RecordActionCommand,
} from '../command.ts'

/** Questions that one token may have open at a time, so that nobody is worn down into saying yes. */
const MAX_OPEN = 100

type Ask = AuthorizeCommand | RecordActionCommand

/** What an action that wants a human finds: a yes it may use, a no, or a question that is still open. */
export type Answer =
  | { readonly approved: StoredApproval }
  | { readonly denied: StoredApproval }
  | { readonly open: StoredApproval | undefined }

/** Looks for an approval of exactly what is asked. Without one, a habit may stand in, or the question is put. */
export function approvalFor(command: Ask, chain: Chain, ledger: Ledger): Answer {
  const given = command.approval_id === undefined ? undefined : ledger.approval(command.approval_id)
  if (
    given !== undefined &&
    given.binding === bindingOf(command, chain, ledger) &&
    given.used_by === undefined
  ) {
    const state = currentState(given, ledger.now_ms)
    if (state === 'approved') return { approved: given }
    if (state === 'denied') return { denied: given }
  }
  const key = habitKey(command, chain)
  const habit = ledger.habit(key)
  if (habit !== undefined && followsHabit(command, chain, habit, ledger.now_ms)) {
    ledger.setHabit(key, { ...habit, auto_approvals: habit.auto_approvals + 1 })
    return { approved: byHabit(ask(command, chain, ledger), ledger) }
  }
  return { open: openQuestion(command, chain, ledger) }
}

/** Whether an approval would be used, found or asked for, without doing any of it. */
export function wouldBeApproved(command: Ask, chain: Chain, ledger: Ledger): boolean {
  const given = command.approval_id === undefined ? undefined : ledger.approval(command.approval_id)
  const isGiven = given?.binding === bindingOf(command, chain, ledger) && given.used_by === undefined
  if (isGiven && currentState(given, ledger.now_ms) === 'approved') return true
  return followsHabit(command, chain, ledger.habit(habitKey(command, chain)), ledger.now_ms)
}

/** An approval is good for one action. */
export function useUp(approval: StoredApproval, aar_id: string, ledger: Ledger): void {
  approval.used_by = aar_id
  ledger.keepApproval(approval)
}

function openQuestion(command: Ask, chain: Chain, ledger: Ledger): StoredApproval | undefined {
  const open = ledger.openApproval(bindingOf(command, chain, ledger))
  if (open !== undefined && currentState(open, ledger.now_ms) === 'pending') return open
  if (ledger.countOpenApprovals(command.vat_jti) >= MAX_OPEN) return undefined
  if (open !== undefined) {
    open.state = 'expired' // the leaf of the question that takes its place tells of it
    ledger.keepApproval(open)
  }
  return ask(command, chain, ledger)
}

function ask(command: Ask, chain: Chain, ledger: Ledger): StoredApproval {
  const [{ token }] = chain
  const { spend_micro_usd, metadata } = command
  const approval_id = ID_PREFIXES.approval + command.suffix
  const binding = bindingOf(command, chain, ledger)
  const expires_at_ms = Math.min(ledger.now_ms + command.approval_ttl_ms, token.limits.expires_at_ms)
  const { log_index } = ledger.log('approval.requested', {
    approval_id,
    provenance_ref: token.provenance_ref,
    token: tokenRef(token.jti),
    agent_id: loggedAgent(token.agent_id),
    action: command.action,
    resource: command.resource,
    binding,
    expires_at: isoInstant(expires_at_ms),
    ...(spend_micro_usd > 0 && { spend_usd: toUsd(spend_micro_usd) }),
    ...(metadata !== undefined && { metadata_digest: ledger.digest(token.human_ref, 'metadata', metadata) }),
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
    created_at_ms: ledger.now_ms,
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
  ledger.keepApproval(approval)
  return approval
}

function byHabit(approval: StoredApproval, ledger: Ledger): StoredApproval {
  return decided(approval, 'approved', 'habit', undefined, ledger)
}

/** A person decides, once. */
export function decideApproval(command: DecideApprovalCommand, ledger: Ledger): StoredApproval {
  const { approval_id, decision, by, note } = command
  const approval = ledger.approval(approval_id)
  if (approval === undefined) throw new AuthorityError('approval_unknown')
  const state = currentState(approval, ledger.now_ms)
  if (approval.state !== 'pending' || state !== 'pending') {
    throw new AuthorityError('approval_decided', `The approval is ${state}.`, {
      approval_id,
      state,
      ...(approval.decided_at_ms !== undefined && { decided_at: isoInstant(approval.decided_at_ms) }),
    })
  }
  const { agent_id, human_ref, action, resource } = approval
  const key = { agent_id, human_ref, action, resource }
  ledger.setHabit(key, habitAfter(ledger.habit(key), decision === 'approved', ledger.now_ms))
  return decided(approval, decision, by, note, ledger)
}

/** Ends what has become a habit: the next ask goes to the human again. */
export function endHabit({ key }: EndHabitCommand, ledger: Ledger): { readonly ended: boolean } {
  const ended = ledger.habit(key) !== undefined
  if (ended) {
    ledger.setHabit(key, undefined)
    ledger.log('approval.habit_ended', { ...key, agent_id: loggedAgent(key.agent_id) })
  }
  return { ended }
}

function decided(
  approval: StoredApproval,
  decision: 'approved' | 'denied',
  by: string,
  note: string | undefined,
  ledger: Ledger,
): StoredApproval {
  const { log_index } = ledger.log('approval.decided', {
    approval_id: approval.approval_id,
    provenance_ref: approval.provenance_ref,
    decision,
    by,
    ...(note !== undefined && { note_digest: ledger.digest(approval.human_ref, 'note', note) }),
  })
  approval.state = decision
  approval.decided_at_ms = ledger.now_ms
  approval.decided_by = by
  approval.decided_log_index = log_index
  approval.note = note
  ledger.keepApproval(approval)
  return approval
}

/** Digest of everything that is asked of a human: an approval is good for exactly that and nothing else. */
function bindingOf(
  { vat_jti, action, resource, spend_micro_usd, metadata }: Ask,
  [{ token }]: Chain,
  ledger: Ledger,
): string {
  const question = canonicalJson([vat_jti, action, resource, spend_micro_usd, metadata ?? null])
  return ledger.digest(token.human_ref, 'binding', question)
}

function habitKey({ action, resource }: ActionRequest, [{ token }]: Chain): HabitKey {
  return { agent_id: token.agent_id, human_ref: token.human_ref, action, resource }
}
