import { type ActionRecord, AuthorityError, evidenceMember, loggedAgent, toUsd } from '@deputize/protocol'
import { isOverBudget, release, settle } from '../../domain/budget.ts'
import { isRevoked } from '../../domain/decision.ts'
import { recordView, type StoredRecord } from '../../domain/record.ts'
import { isoInstant } from '../../domain/time.ts'
import type { Chain } from '../../domain/token.ts'
import type { Ledger } from '../batch-state.ts'
import type { CancelCommand, CompleteCommand, SweepCommand } from '../command.ts'
import { charge } from './charge.ts'

/** Closes a pending record with its outcome. Evidence is never lost: this works after revocation and expiry of the token. */
export function complete(command: CompleteCommand, ledger: Ledger): ActionRecord {
  const record = known(command.aar_id, ledger)
  if (record.state === 'completed' && isRepeated(command, record, ledger)) return recordView(record)
  assertPending(record)

  const completion_digest = ledger.digest(record.human_ref, 'completion', command.completion)
  const chain = chainOf(record, ledger)
  const reserved_micro_usd = record.spend_micro_usd
  const spent_micro_usd = command.spend_micro_usd ?? reserved_micro_usd
  charge(chain, ledger, () => settle(chain, reserved_micro_usd, spent_micro_usd))
  record.state = 'completed'
  record.result = command.result
  record.result_hash = command.result_hash
  record.spend_micro_usd = spent_micro_usd
  record.metadata = command.metadata ?? record.metadata
  record.completion_digest = completion_digest
  record.evidence = command.evidence
  record.completed_after_revocation = chain.some(isRevoked)
  record.over_budget = spent_micro_usd > reserved_micro_usd && isOverBudget(chain, spent_micro_usd)
  close(record, chain, ledger, 'action.completed', {
    result: command.result,
    completion_digest,
    ...(command.result_hash !== undefined && { result_hash: command.result_hash }),
    ...(spent_micro_usd > 0 && { spend_usd: toUsd(spent_micro_usd) }),
    ...(command.metadata !== undefined && {
      metadata_digest: ledger.digest(record.human_ref, 'metadata', command.metadata),
    }),
    ...(record.completed_after_revocation && { completed_after_revocation: true }),
    ...(record.over_budget && { over_budget: true }),
    ...evidenceMember(command.evidence),
  })
  return recordView(record)
}

/** Whether a completion says what the first one said. Nobody can tell any more once the person was erased. */
function isRepeated({ completion }: CompleteCommand, record: StoredRecord, ledger: Ledger): boolean {
  if (ledger.person(record.human_ref)?.has_data !== true) return false
  return record.completion_digest === ledger.digest(record.human_ref, 'completion', completion)
}

/** Gives a pending record up. Again: the stored record. */
export function cancel(command: CancelCommand, ledger: Ledger): ActionRecord {
  const record = known(command.aar_id, ledger)
  if (record.state === 'cancelled') return recordView(record)
  assertPending(record)
  record.evidence = command.evidence
  abandon(record, ledger, 'cancelled', evidenceMember(command.evidence))
  return recordView(record)
}

/** Expires what nobody closed in time, and forgets replays that are old enough. */
export function sweep(_command: SweepCommand, ledger: Ledger): { expired: number } {
  for (const aar_id of ledger.overdue) {
    const record = known(aar_id, ledger)
    if (record.state === 'pending') abandon(record, ledger, 'expired', {})
  }
  ledger.forgetReplays()
  return { expired: ledger.overdue.length }
}

function abandon(
  record: StoredRecord,
  ledger: Ledger,
  state: 'cancelled' | 'expired',
  members: Record<string, unknown>,
): void {
  const chain = chainOf(record, ledger)
  release(chain, record.spend_micro_usd)
  record.state = state
  record.spend_micro_usd = 0
  close(record, chain, ledger, `action.${state}`, members)
}

function close(
  record: StoredRecord,
  chain: Chain,
  ledger: Ledger,
  type: 'action.completed' | 'action.cancelled' | 'action.expired',
  members: Record<string, unknown>,
): void {
  const { log_index } = ledger.log(type, {
    aar_id: record.aar_id,
    provenance_ref: record.provenance_ref,
    agent_id: loggedAgent(record.agent_id),
    authorized_index: record.log_index,
    ...members,
  })
  record.completed_log_index = log_index
  record.completed_at_ms = ledger.now_ms
  ledger.touch(chain)
  ledger.closeRecord(record)
}

function known(aar_id: string, ledger: Ledger): StoredRecord {
  const record = ledger.record(aar_id)
  if (record === undefined) throw new AuthorityError('record_unknown')
  return record
}

function assertPending(record: StoredRecord): void {
  if (record.state === 'pending') return
  throw new AuthorityError('record_closed', `The record is ${record.state} and never changes again.`, {
    state: record.state,
    ...(record.result !== undefined && { result: record.result }),
    ...(record.completed_at_ms !== undefined && { completed_at: isoInstant(record.completed_at_ms) }),
  })
}

function chainOf(record: StoredRecord, ledger: Ledger): Chain {
  const chain = ledger.chain(record.vat_jti)
  if (chain === undefined) throw new Error(`record ${record.log_index} has no token`)
  return chain
}
