import {
  AuthorityError,
  evidenceMember,
  ID_PREFIXES,
  type Level,
  loggedAgent,
  type Reason,
  tokenRef,
  toUsd,
} from '@deputize/protocol'
import { needsApproval } from '../../domain/approval.ts'
import { reserve, spend } from '../../domain/budget.ts'
import { countAction, objections } from '../../domain/decision.ts'
import type { StoredRecord } from '../../domain/record.ts'
import { emptyTally, scores } from '../../domain/reputation.ts'
import { isoInstant } from '../../domain/time.ts'
import type { Chain } from '../../domain/token.ts'
import { trustScore } from '../../domain/trust.ts'
import type { Entry, Ledger } from '../batch-state.ts'
import type { AuthorizeCommand, RecordActionCommand } from '../command.ts'
import { approvalFor, useUp, wouldBeApproved } from './approval.ts'
import { charge } from './charge.ts'

type Ask = AuthorizeCommand | RecordActionCommand

/** What every answer says of the token, whatever the decision. */
interface Standing {
  readonly provenance_ref: string
  readonly human_ref: string
  readonly assurance_level: Level
  readonly trust_score: number
  readonly delegation_depth: number
}

export type AskOutcome = Standing &
  (
    | {
        readonly allowed: true
        readonly aar_id: string | undefined
        readonly expires_at_ms: number | undefined
      }
    | {
        readonly allowed: false
        readonly reasons: readonly Reason[]
        readonly denial_id: string | undefined
        /** The question that a human was asked. */
        readonly approval_id: string | undefined
      }
  )

/** Is this within the token? A yes leaves a pending record that reserves the estimate; a no leaves a denial. */
export function authorize(command: AuthorizeCommand, ledger: Ledger): AskOutcome {
  const { chain, reasons, standing } = decide(command, ledger)
  if (command.dry_run) return dryRun(command, chain, reasons, standing, ledger)
  const permission = permit(command, chain, reasons, standing, ledger)
  if ('refusal' in permission) return permission.refusal
  return openRecord(command, chain, permission, standing, ledger)
}

function openRecord(
  command: AuthorizeCommand,
  chain: Chain,
  permission: Permission,
  standing: Standing,
  ledger: Ledger,
): AskOutcome {
  const expires_at_ms = ledger.now_ms + command.pending_ttl_ms
  const entry = ledger.log('action.authorized', {
    ...leafMembers(command, chain, ledger),
    ...permission,
    ...evidenceMember(command.evidence),
    expires_at: isoInstant(expires_at_ms),
  })
  charge(chain, ledger, () => reserve(chain, command.spend_micro_usd))
  const record = newRecord(command, chain, entry, ledger, { state: 'pending', expires_at_ms })
  keep(record, chain, ledger)
  return { allowed: true, aar_id: record.aar_id, expires_at_ms, ...standing }
}

/** Authorizes, records and completes at once. */
export function recordAction(command: RecordActionCommand, ledger: Ledger): AskOutcome {
  const { chain, reasons, standing } = decide(command, ledger)
  const permission = permit(command, chain, reasons, standing, ledger)
  if ('refusal' in permission) return permission.refusal

  const { result, result_hash } = command
  const entry = ledger.log('action.recorded', {
    ...leafMembers(command, chain, ledger),
    ...permission,
    ...evidenceMember(command.evidence),
    result,
    ...(result_hash !== undefined && { result_hash }),
  })
  charge(chain, ledger, () => spend(chain, command.spend_micro_usd))
  const record = newRecord(command, chain, entry, ledger, { state: 'completed', result, result_hash })
  keep(record, chain, ledger)
  return { allowed: true, aar_id: record.aar_id, expires_at_ms: undefined, ...standing }
}

interface Decision {
  readonly chain: Chain
  readonly reasons: Reason[]
  readonly standing: Standing
}

function decide(command: Ask, ledger: Ledger): Decision {
  const chain = ledger.chain(command.vat_jti)
  if (chain === undefined) throw new AuthorityError('token_unknown')
  const [{ token }] = chain
  assertParent(command, token.provenance_ref, ledger)
  const standing = {
    provenance_ref: token.provenance_ref,
    human_ref: token.human_ref,
    assurance_level: token.assurance_level,
    trust_score: trustScore(token.assurance_level, token.delegation_depth),
    delegation_depth: token.delegation_depth,
  }
  const reputation = () => scores(ledger.tally(token.agent_id) ?? emptyTally()).combined_reputation
  return { chain, reasons: objections(command, chain, { now_ms: ledger.now_ms, reputation }), standing }
}

/** A yes, with the approval that it used up, if it took one. */
interface Permission {
  readonly approval_id?: string
}

/** The no, if it is one. What the rules allow may still want a human, whose yes is then used up. */
function permit(
  command: Ask,
  chain: Chain,
  reasons: Reason[],
  standing: Standing,
  ledger: Ledger,
): Permission | { readonly refusal: AskOutcome } {
  if (isNonEmpty(reasons)) return { refusal: deny(command, chain, reasons, standing, ledger) }
  if (!needsApproval(command, chain)) return {}
  const answer = approvalFor(command, chain, ledger)
  if ('approved' in answer) {
    useUp(answer.approved, ID_PREFIXES.record + command.suffix, ledger)
    return { approval_id: answer.approved.approval_id }
  }
  if ('denied' in answer) return { refusal: deny(command, chain, ['approval_denied'], standing, ledger) }
  return {
    refusal: {
      allowed: false,
      reasons: ['approval_required'],
      denial_id: undefined,
      approval_id: answer.open?.approval_id,
      ...standing,
    },
  }
}

function assertParent({ parent_aar_id }: Ask, provenance_ref: string, ledger: Ledger): void {
  if (parent_aar_id === undefined) return
  if (ledger.record(parent_aar_id)?.provenance_ref !== provenance_ref)
    throw new AuthorityError('parent_record_unknown')
}

function isNonEmpty(reasons: Reason[]): reasons is [Reason, ...Reason[]] {
  return reasons.length > 0
}

function dryRun(
  command: Ask,
  chain: Chain,
  reasons: Reason[],
  standing: Standing,
  ledger: Ledger,
): AskOutcome {
  const isOpen =
    reasons.length === 0 && needsApproval(command, chain) && !wouldBeApproved(command, chain, ledger)
  const all: Reason[] = isOpen ? ['approval_required'] : reasons
  if (all.length > 0)
    return { allowed: false, denial_id: undefined, approval_id: undefined, reasons: all, ...standing }
  return { allowed: true, aar_id: undefined, expires_at_ms: undefined, ...standing }
}

function deny(
  command: Ask,
  chain: Chain,
  reasons: [Reason, ...Reason[]],
  standing: Standing,
  ledger: Ledger,
): AskOutcome {
  const [{ token }] = chain
  const denial_id = ID_PREFIXES.denial + command.suffix
  const { aar_id: _, ...members } = leafMembers(command, chain, ledger)
  const entry = ledger.log('action.denied', { ...members, denial_id, reasons })
  ledger.addDenial({
    denial_id,
    vat_jti: token.jti,
    agent_id: token.agent_id,
    action: command.action,
    resource: command.resource,
    spend_micro_usd: command.spend_micro_usd,
    trace_id: command.trace_id,
    reasons,
    created_at_ms: ledger.now_ms,
    provenance_ref: standing.provenance_ref,
    human_ref: standing.human_ref,
    assurance_level: standing.assurance_level,
    delegation_depth: standing.delegation_depth,
    ...entry,
  })
  return { allowed: false, denial_id, approval_id: undefined, reasons, ...standing }
}

function keep(record: StoredRecord, chain: Chain, ledger: Ledger): void {
  countAction(chain, ledger.now_ms)
  ledger.touch(chain)
  ledger.addRecord(record)
}

function leafMembers(command: Ask, [{ token }]: Chain, ledger: Ledger) {
  const { spend_micro_usd, parent_aar_id, metadata, trace_id } = command
  return {
    aar_id: ID_PREFIXES.record + command.suffix,
    provenance_ref: token.provenance_ref,
    token: tokenRef(token.jti),
    agent_id: loggedAgent(token.agent_id),
    trust_score: trustScore(token.assurance_level, token.delegation_depth),
    action: command.action,
    resource: command.resource,
    ...(spend_micro_usd > 0 && { spend_usd: toUsd(spend_micro_usd) }),
    ...(parent_aar_id !== undefined && { parent_aar_id }),
    ...(trace_id !== undefined && { trace_id }),
    ...(metadata !== undefined && { metadata_digest: ledger.digest(token.human_ref, 'metadata', metadata) }),
  }
}

type Opening =
  | { state: 'pending'; expires_at_ms: number }
  | { state: 'completed'; result: string; result_hash: string | undefined }

function newRecord(
  command: Ask,
  [{ token }]: Chain,
  entry: Entry,
  ledger: Ledger,
  opening: Opening,
): StoredRecord {
  const isDone = opening.state === 'completed'
  return {
    aar_id: ID_PREFIXES.record + command.suffix,
    vat_jti: token.jti,
    root_jti: token.root_jti,
    provenance_ref: token.provenance_ref,
    agent_id: token.agent_id,
    human_ref: token.human_ref,
    assurance_level: token.assurance_level,
    delegation_depth: token.delegation_depth,
    action: command.action,
    resource: command.resource,
    parent_aar_id: command.parent_aar_id,
    trace_id: command.trace_id,
    created_at_ms: ledger.now_ms,
    log_index: entry.log_index,
    leaf_hash: entry.leaf_hash,
    state: opening.state,
    result: isDone ? opening.result : undefined,
    result_hash: isDone ? opening.result_hash : undefined,
    spend_micro_usd: command.spend_micro_usd,
    metadata: command.metadata,
    expires_at_ms: isDone ? undefined : opening.expires_at_ms,
    completed_at_ms: isDone ? ledger.now_ms : undefined,
    completed_after_revocation: false,
    over_budget: false,
    completed_log_index: isDone ? entry.log_index : undefined,
    completion_digest: undefined,
    evidence: command.evidence,
    rating: undefined,
    erased: false,
  }
}
