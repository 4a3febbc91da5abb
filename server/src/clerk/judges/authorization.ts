import {
  type ArgumentLimits,
  AuthorityError,
  type DenialDetail,
  evidenceMember,
  ID_PREFIXES,
  type Level,
  loggedAgent,
  type Reason,
  tokenRef,
  toUsd,
} from '@deputize/protocol'
import { needsApproval } from '../../domain/approvals/approval.ts'
import { assertChargeable, reserve, spend } from '../../domain/budget.ts'
import { asksVouchScore, countAction, livenessReasons, objections } from '../../domain/decision.ts'
import { denialDetails } from '../../domain/denial-details.ts'
import type { StoredRecord } from '../../domain/record.ts'
import { emptyTally, gateScore } from '../../domain/reputation.ts'
import { isoInstant } from '../../domain/times/time.ts'
import { argumentFaults, onceMatched } from '../../domain/tokens/arguments.ts'
import type { Chain } from '../../domain/tokens/token.ts'
import { trustScore } from '../../domain/tokens/trust.ts'
import type { AppendedLeaf, BatchState } from '../batch-state.ts'
import type { AuthorizationCommand, AuthorizeCommand, RecordActionCommand } from '../command.ts'
import { approvalFault, approvalFor, approvalObstacle, consumeApproval } from './approval.ts'
import { charge } from './charge.ts'

/** The token's part of every answer, whatever the decision. */
interface TokenSummary {
  readonly provenance_ref: string
  readonly human_ref: string
  readonly assurance_level: Level
  readonly trust_score: number
  readonly delegation_depth: number
}

export type AuthorizationOutcome = TokenSummary &
  (
    | {
        readonly allowed: true
        readonly aar_id: string | undefined
        readonly expires_at_ms: number | undefined
      }
    | {
        readonly allowed: false
        readonly reasons: readonly Reason[]
        readonly details: readonly DenialDetail[]
        readonly denial_id: string | undefined
        /** The approval that was requested from a human. */
        readonly approval_id: string | undefined
        /** The record that the first answer to a repeated request opened. */
        readonly aar_id?: string | undefined
      }
  )

/** Decides whether the token allows an action. A yes opens a pending record that reserves the estimate; a no saves a denial. */
export function judgeAuthorize(command: AuthorizeCommand, batch: BatchState): AuthorizationOutcome {
  const judgement = judgeAction(command, batch)
  if (command.dry_run) return dryRun(command, judgement, batch)
  const permission = findPermission(command, judgement, batch)
  if ('refusal' in permission) return permission.refusal
  return openRecord(command, judgement, permission, batch)
}

/**
 * The answer to a repeated request. A stored yes holds only while the token is in force: an agent that repeats its
 * request after a revocation must not act on it. The record of the first answer stays, to be completed or cancelled. A
 * cancelled or expired record has given the permission back. A completed one stays a yes: the action was allowed.
 */
export function repeatedAuthorization(
  { vat_jti }: AuthorizeCommand,
  first: AuthorizationOutcome,
  batch: BatchState,
): AuthorizationOutcome {
  if (!first.allowed) return first
  const chain = batch.chain(vat_jti)
  const reasons = chain === undefined ? [] : livenessReasons(chain, batch.now_ms)
  if (isGivenBack(first.aar_id, batch)) reasons.push('record_closed')
  if (reasons.length === 0) return first
  return { ...first, allowed: false, reasons, details: [], denial_id: undefined, approval_id: undefined }
}

/** Whether the record of a permission no longer holds it. A dry run has no record. */
function isGivenBack(aar_id: string | undefined, batch: BatchState): boolean {
  const record = aar_id === undefined ? undefined : batch.record(aar_id)
  if (record === undefined || record.state === 'completed') return false
  return record.state !== 'pending' || batch.now_ms >= (record.expires_at_ms ?? 0)
}

function openRecord(
  command: AuthorizeCommand,
  { chain, summary }: Judgement,
  permission: Permission,
  batch: BatchState,
): AuthorizationOutcome {
  const expires_at_ms = batch.now_ms + command.pending_ttl_ms
  const entry = batch.appendLeaf('action.authorized', {
    ...leafMembers(command, chain, batch),
    ...permission,
    ...evidenceMember(command.evidence),
    expires_at: isoInstant(expires_at_ms),
  })
  charge(chain, batch, () => reserve(chain, command.spend_micro_usd, batch.now_ms))
  const record = newRecord(command, chain, entry, batch, { state: 'pending', expires_at_ms })
  saveRecord(record, chain, batch)
  return { allowed: true, aar_id: record.aar_id, expires_at_ms, ...summary }
}

/** Authorizes, records and completes an action in one step. */
export function judgeRecordAction(command: RecordActionCommand, batch: BatchState): AuthorizationOutcome {
  const judgement = judgeAction(command, batch)
  const permission = findPermission(command, judgement, batch)
  if ('refusal' in permission) return permission.refusal

  const { chain, summary } = judgement
  const { result, result_hash } = command
  const entry = batch.appendLeaf('action.recorded', {
    ...leafMembers(command, chain, batch),
    ...permission,
    ...evidenceMember(command.evidence),
    result,
    ...(result_hash !== undefined && { result_hash }),
  })
  charge(chain, batch, () => spend(chain, command.spend_micro_usd, batch.now_ms))
  const record = newRecord(command, chain, entry, batch, { state: 'completed', result, result_hash })
  saveRecord(record, chain, batch)
  return { allowed: true, aar_id: record.aar_id, expires_at_ms: undefined, ...summary }
}

/** What the rules say about an action, before approvals. It is denied if there are reasons. */
interface Judgement {
  readonly chain: Chain
  readonly reasons: Reason[]
  readonly summary: TokenSummary
}

function judgeAction(command: AuthorizationCommand, batch: BatchState): Judgement {
  const chain = batch.requireChain(command.vat_jti)
  const [{ token }] = chain
  assertParent(command, token.provenance_ref, batch)
  const summary = {
    provenance_ref: token.provenance_ref,
    human_ref: token.human_ref,
    assurance_level: token.assurance_level,
    trust_score: trustScore(token.assurance_level, token.delegation_depth),
    delegation_depth: token.delegation_depth,
  }
  const fits = onceMatched()
  const breaksLimits = (limits: ArgumentLimits) =>
    argumentFaults(limits, command.action, command.metadata, fits).length > 0
  const reputation = () => gateScore(batch.tally(token.agent_id) ?? emptyTally())
  const vouchScore = () => batch.trust.keptScore(token.agent_id)?.score ?? 0
  const circumstances = { now_ms: batch.now_ms, reputation, vouchScore, breaksLimits }
  const reasons = objections(command, chain, circumstances)
  if (reasons.length === 0) assertChargeable(chain, command.spend_micro_usd)
  return { chain, reasons, summary }
}

/** A yes, with the approval that it used, if any. */
interface Permission {
  readonly approval_id?: string
}

/**
 * Returns the permission, or the refusal to answer with. An action that the rules allow may still need an approval,
 * which is then used up.
 */
function findPermission(
  command: AuthorizationCommand,
  judgement: Judgement,
  batch: BatchState,
): Permission | { readonly refusal: AuthorizationOutcome } {
  const { chain, reasons, summary } = judgement
  if (isNonEmpty(reasons)) return { refusal: recordDenial(command, judgement, reasons, batch) }
  if (!needsApproval(command, chain, batch.now_ms)) return {}
  const found = approvalFor(command, chain, batch)
  if ('approved' in found) {
    consumeApproval(found.approved, ID_PREFIXES.record + command.suffix, batch)
    return { approval_id: found.approved.approval_id }
  }
  if ('denied' in found) return { refusal: recordDenial(command, judgement, [found.denied], batch) }
  return {
    refusal: {
      allowed: false,
      reasons: ['approval_required'],
      details: approvalDetails(command, chain, batch),
      denial_id: undefined,
      approval_id: found.open.approval_id,
      ...summary,
    },
  }
}

function assertParent(
  { parent_aar_id }: AuthorizationCommand,
  provenance_ref: string,
  batch: BatchState,
): void {
  if (parent_aar_id === undefined) return
  if (batch.record(parent_aar_id)?.provenance_ref !== provenance_ref)
    throw new AuthorityError('parent_record_unknown')
}

function isNonEmpty(reasons: Reason[]): reasons is [Reason, ...Reason[]] {
  return reasons.length > 0
}

function dryRun(
  command: AuthorizationCommand,
  { chain, reasons, summary }: Judgement,
  batch: BatchState,
): AuthorizationOutcome {
  const obstacle =
    reasons.length === 0 && needsApproval(command, chain, batch.now_ms)
      ? approvalObstacle(command, chain, batch)
      : undefined
  const all: Reason[] = obstacle === undefined ? reasons : [obstacle]
  const ofApproval = obstacle === 'approval_required' ? approvalDetails(command, chain, batch) : []
  if (all.length > 0)
    return {
      allowed: false,
      denial_id: undefined,
      approval_id: undefined,
      reasons: all,
      details: [...detailsOf(command, chain, all, batch), ...ofApproval],
      ...summary,
    }
  return { allowed: true, aar_id: undefined, expires_at_ms: undefined, ...summary }
}

function recordDenial(
  command: AuthorizationCommand,
  { chain, summary }: Judgement,
  reasons: [Reason, ...Reason[]],
  batch: BatchState,
): AuthorizationOutcome {
  const [{ token }] = chain
  const denial_id = ID_PREFIXES.denial + command.suffix
  const { aar_id: _, ...members } = leafMembers(command, chain, batch)
  const entry = batch.appendLeaf('action.denied', { ...members, denial_id, reasons })
  batch.addDenial({
    denial_id,
    vat_jti: token.jti,
    agent_id: token.agent_id,
    action: command.action,
    resource: command.resource,
    spend_micro_usd: command.spend_micro_usd,
    trace_id: command.trace_id,
    reasons,
    created_at_ms: batch.now_ms,
    provenance_ref: summary.provenance_ref,
    human_ref: summary.human_ref,
    assurance_level: summary.assurance_level,
    delegation_depth: summary.delegation_depth,
    ...entry,
  })
  const details = detailsOf(command, chain, reasons, batch)
  return { allowed: false, denial_id, approval_id: undefined, reasons, details, ...summary }
}

function detailsOf(
  command: AuthorizationCommand,
  chain: Chain,
  reasons: readonly Reason[],
  batch: BatchState,
): DenialDetail[] {
  const kept = reasons.includes('vouch_score_too_low')
    ? batch.trust.keptScore(chain[0].token.agent_id)
    : undefined
  return denialDetails(command, chain, reasons, { now_ms: batch.now_ms, kept })
}

function approvalDetails(command: AuthorizationCommand, chain: Chain, batch: BatchState): DenialDetail[] {
  const approval = approvalFault(command, chain, batch)
  return approval === undefined ? [] : [{ reason: 'approval_required', approval }]
}

function saveRecord(record: StoredRecord, chain: Chain, batch: BatchState): void {
  countAction(chain, batch.now_ms)
  batch.saveStates(chain)
  batch.addRecord(record)
}

function leafMembers(command: AuthorizationCommand, chain: Chain, batch: BatchState) {
  const [{ token }] = chain
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
    ...(metadata !== undefined && { metadata_digest: batch.digest(token.human_ref, 'metadata', metadata) }),
    ...(asksVouchScore(chain) && scoreMembers(token.agent_id, batch)),
  }
}

/** The score that the decision is based on, so that anyone can recompute it from the log of that size. */
function scoreMembers(agent_id: string, batch: BatchState) {
  const kept = batch.trust.keptScore(agent_id)
  return kept === undefined ? { vouch_score: 0 } : { vouch_score: kept.score, vouch_log_size: kept.log_size }
}

type Opening =
  | { state: 'pending'; expires_at_ms: number }
  | { state: 'completed'; result: string; result_hash: string | undefined }

function newRecord(
  command: AuthorizationCommand,
  [{ token }]: Chain,
  entry: AppendedLeaf,
  batch: BatchState,
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
    created_at_ms: batch.now_ms,
    log_index: entry.log_index,
    leaf_hash: entry.leaf_hash,
    state: opening.state,
    result: isDone ? opening.result : undefined,
    result_hash: isDone ? opening.result_hash : undefined,
    spend_micro_usd: command.spend_micro_usd,
    metadata: command.metadata,
    expires_at_ms: isDone ? undefined : opening.expires_at_ms,
    completed_at_ms: isDone ? batch.now_ms : undefined,
    completed_after_revocation: false,
    over_budget: false,
    exceeded: false,
    completed_log_index: isDone ? entry.log_index : undefined,
    completion_digest: undefined,
    evidence: command.evidence,
    rating: undefined,
    erased: false,
  }
}
