import { type Denial, type Level, type Reason, shownAgent, toUsd } from '@deputize/protocol'
import { isoInstant } from './times/time.ts'
import { trustScore } from './tokens/trust.ts'

/** An action that the rules denied, kept as evidence. It counts towards neither a workflow nor a reputation. */
export interface StoredDenial {
  readonly denial_id: string
  readonly vat_jti: string
  readonly provenance_ref: string
  readonly agent_id: string
  readonly human_ref: string
  readonly assurance_level: Level
  readonly delegation_depth: number
  readonly action: string
  readonly resource: string
  readonly spend_micro_usd: number
  readonly reasons: readonly [Reason, ...Reason[]]
  readonly trace_id: string | undefined
  readonly created_at_ms: number
  readonly log_index: number
  readonly leaf_hash: Uint8Array
}

/** Returns the denial as the API shows it. */
export function denialView(denial: StoredDenial): Denial {
  return {
    denial_id: denial.denial_id,
    provenance_ref: denial.provenance_ref,
    vat_jti: denial.vat_jti,
    agent_id: shownAgent(denial.agent_id),
    human_ref: denial.human_ref,
    assurance_level: denial.assurance_level,
    trust_score: trustScore(denial.assurance_level, denial.delegation_depth),
    delegation_depth: denial.delegation_depth,
    action: denial.action,
    resource: denial.resource,
    spend_usd: toUsd(denial.spend_micro_usd),
    reason: denial.reasons[0],
    reasons: [...denial.reasons],
    created_at: isoInstant(denial.created_at_ms),
    log_index: denial.log_index,
    leaf_hash: `sha256:${Buffer.from(denial.leaf_hash).toString('hex')}`,
    ...(denial.trace_id !== undefined && { trace_id: denial.trace_id }),
  }
}
