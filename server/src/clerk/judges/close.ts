import { type ActionRecord, AuthorityError, evidenceMember, loggedAgent, toUsd } from '@deputize/protocol'
import { overrunChain } from '../../domain/approvals/approval.ts'
import { assertChargeable, exceedsAuthorization, release, settle } from '../../domain/budget.ts'
import { isRevoked } from '../../domain/decision.ts'
import { recordView, type StoredRecord } from '../../domain/record.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { Chain } from '../../domain/tokens/token.ts'
import type { BatchState } from '../batch-state.ts'
import type { CancelCommand, CompleteCommand, SweepCommand } from '../command.ts'
import { charge } from './charge.ts'
import { freezeToken } from './suspend.ts'

/** Closes a pending record with its result. Works after the token was revoked or has expired, so no evidence is lost. */
export function judgeComplete(command: CompleteCommand, batch: BatchState): ActionRecord {
  const record = batch.requireRecord(command.aar_id)
  if (record.state === 'completed' && isRepeated(command, record, batch)) return recordView(record)
  assertPending(record)

  const chain = chainOfRecord(record, batch)
  const reserved_micro_usd = record.spend_micro_usd
  const spent_micro_usd = command.spend_micro_usd ?? reserved_micro_usd
  assertChargeable(chain, spent_micro_usd - reserved_micro_usd)
  const completion_digest = batch.digest(record.human_ref, 'completion', command.completion)
  const reservation = { reserved_micro_usd, allowed_at_ms: record.created_at_ms }
  charge(chain, batch, () => {
    record.over_budget = settle(chain, reservation, spent_micro_usd, batch.now_ms)
  })
  record.state = 'completed'
  record.result = command.result
  record.result_hash = command.result_hash
  record.spend_micro_usd = spent_micro_usd
  record.metadata = command.metadata ?? record.metadata
  record.completion_digest = completion_digest
  record.evidence = command.evidence
  record.completed_after_revocation = chain.some(isRevoked)
  record.exceeded = exceedsAuthorization(chain, reservation, spent_micro_usd)
  close(record, chain, batch, 'action.completed', {
    result: command.result,
    completion_digest,
    ...(command.result_hash !== undefined && { result_hash: command.result_hash }),
    ...(spent_micro_usd > 0 && { spend_usd: toUsd(spent_micro_usd) }),
    ...(command.metadata !== undefined && {
      metadata_digest: batch.digest(record.human_ref, 'metadata', command.metadata),
    }),
    ...(record.completed_after_revocation && { completed_after_revocation: true }),
    ...(record.over_budget && { over_budget: true }),
    ...(record.exceeded && { exceeded: true }),
    ...evidenceMember(command.evidence),
  })
  if (record.exceeded) suspendExceeded(record, chain, batch)
  return recordView(record)
}

/**
 * Suspends a token that spent more than authorized, until a person or an operator has looked at it: the party that a
 * limit binds is also the one that reports the spend.
 */
function suspendExceeded(record: StoredRecord, chain: Chain, batch: BatchState): void {
  freezeToken(overrunChain(record, chain), { rank: 'person', code: 'exceeded_authorization' }, batch)
}

/** Whether a completion repeats the first one. After an erasure the digest can't be recomputed, so the answer is no. */
function isRepeated({ completion }: CompleteCommand, record: StoredRecord, batch: BatchState): boolean {
  if (batch.person(record.human_ref)?.has_data !== true) return false
  return record.completion_digest === batch.digest(record.human_ref, 'completion', completion)
}

/** Cancels a pending record. A repeated cancel returns the stored record. */
export function judgeCancel(command: CancelCommand, batch: BatchState): ActionRecord {
  const record = batch.requireRecord(command.aar_id)
  if (record.state === 'cancelled') return recordView(record)
  assertPending(record)
  record.evidence = command.evidence
  abandon(record, batch, 'cancelled', evidenceMember(command.evidence))
  return recordView(record)
}

export interface SweepOutcome {
  readonly expired: number
}

/** Expires overdue pending records, and forgets expired replays and old minute counters. */
export function judgeSweep(_command: SweepCommand, batch: BatchState): SweepOutcome {
  for (const aar_id of batch.overdue) {
    const record = batch.requireRecord(aar_id)
    if (record.state === 'pending') abandon(record, batch, 'expired', {})
  }
  batch.forgetReplays()
  batch.forgetMinutes()
  return { expired: batch.overdue.length }
}

function abandon(
  record: StoredRecord,
  batch: BatchState,
  state: 'cancelled' | 'expired',
  members: Record<string, unknown>,
): void {
  const chain = chainOfRecord(record, batch)
  const reservation = { reserved_micro_usd: record.spend_micro_usd, allowed_at_ms: record.created_at_ms }
  release(chain, reservation, batch.now_ms)
  record.state = state
  record.spend_micro_usd = 0
  close(record, chain, batch, `action.${state}`, members)
}

function close(
  record: StoredRecord,
  chain: Chain,
  batch: BatchState,
  type: 'action.completed' | 'action.cancelled' | 'action.expired',
  members: Record<string, unknown>,
): void {
  const { log_index } = batch.appendLeaf(type, {
    aar_id: record.aar_id,
    provenance_ref: record.provenance_ref,
    agent_id: loggedAgent(record.agent_id),
    authorized_index: record.log_index,
    ...members,
  })
  record.completed_log_index = log_index
  record.completed_at_ms = batch.now_ms
  batch.saveStates(chain)
  batch.closeRecord(record)
}

function assertPending(record: StoredRecord): void {
  if (record.state === 'pending') return
  throw new AuthorityError('record_closed', `The record is ${record.state} and can no longer change.`, {
    state: record.state,
    ...(record.result !== undefined && { result: record.result }),
    ...(record.completed_at_ms !== undefined && { completed_at: isoInstant(record.completed_at_ms) }),
  })
}

function chainOfRecord(record: StoredRecord, batch: BatchState): Chain {
  const chain = batch.chain(record.vat_jti)
  if (chain === undefined) throw new Error(`record ${record.log_index} has no token`)
  return chain
}
