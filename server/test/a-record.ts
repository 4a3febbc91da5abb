import type { StoredRecord } from '../src/domain/record.ts'

/** A record that was opened at 10 with an estimate of two dollars, completed at 20 with three, and rated at 30. */
export function aRecord(changes: Partial<StoredRecord> = {}): StoredRecord {
  return {
    aar_id: 'aar_1',
    vat_jti: 'vat_root_1',
    root_jti: 'vat_root_1',
    provenance_ref: 'prov_1',
    agent_id: 'bot',
    human_ref: 'sha256:someone',
    assurance_level: 'L1',
    delegation_depth: 0,
    action: 'read',
    resource: 'mail:inbox',
    parent_aar_id: undefined,
    trace_id: undefined,
    created_at_ms: 1,
    log_index: 10,
    leaf_hash: new Uint8Array(32),
    state: 'completed',
    result: 'success',
    result_hash: 'sha256:x',
    spend_micro_usd: 3_000_000,
    metadata: '{"a":1}',
    expires_at_ms: 100,
    completed_at_ms: 2,
    completed_after_revocation: true,
    over_budget: true,
    exceeded: true,
    completed_log_index: 20,
    completion_digest: 'd',
    evidence: 'observed',
    erased: false,
    rating: {
      rating: 'approved',
      note: 'good',
      rater_assurance: 'none',
      feedback_at_ms: 3,
      log_index: 30,
    },
    ...changes,
  }
}

/** The members that differ while the record is pending. */
export const PENDING = {
  state: 'pending',
  result: undefined,
  result_hash: undefined,
  spend_micro_usd: 2_000_000,
  completed_at_ms: undefined,
  completed_after_revocation: false,
  over_budget: false,
  exceeded: false,
  completed_log_index: undefined,
  completion_digest: undefined,
  evidence: 'self_reported',
  rating: undefined,
} as const
