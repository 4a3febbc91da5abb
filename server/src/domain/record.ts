import {
  type ActionRecord,
  type Evidence,
  type Level,
  type Rating,
  type RecordState,
  shownAgent,
  toUsd,
} from '@deputize/protocol'
import { isoInstant } from './times/time.ts'
import { trustScore } from './tokens/trust.ts'

/** A stored action record: times in milliseconds, money in micro-dollars. */
export interface StoredRecord {
  readonly aar_id: string
  readonly vat_jti: string
  readonly root_jti: string
  readonly provenance_ref: string
  readonly agent_id: string
  readonly human_ref: string
  readonly assurance_level: Level
  readonly delegation_depth: number
  readonly action: string
  readonly resource: string
  readonly parent_aar_id: string | undefined
  readonly trace_id: string | undefined
  readonly created_at_ms: number
  readonly log_index: number
  readonly leaf_hash: Uint8Array
  state: RecordState
  result: string | undefined
  result_hash: string | undefined
  /** Reserved while pending, spent once completed, otherwise zero. */
  spend_micro_usd: number
  /** JSON text. */
  metadata: string | undefined
  expires_at_ms: number | undefined
  completed_at_ms: number | undefined
  completed_after_revocation: boolean
  over_budget: boolean
  /** Whether it cost more than it was authorized for. */
  exceeded: boolean
  completed_log_index: number | undefined
  /** Digest of the completion, to distinguish a repeated one from a different one. */
  completion_digest: string | undefined
  /** Who reported the result; for an open record, who requested the action. */
  evidence: Evidence
  rating: StoredRating | undefined
  /** Whether metadata or a note was erased. */
  readonly erased: boolean
}

export interface StoredRating {
  readonly rating: Rating
  readonly note: string | undefined
  readonly rater_assurance: string
  readonly feedback_at_ms: number
  readonly log_index: number
}

/** Returns the record as the API shows it. */
export function recordView(record: StoredRecord): ActionRecord {
  return {
    aar_id: record.aar_id,
    provenance_ref: record.provenance_ref,
    vat_jti: record.vat_jti,
    root_jti: record.root_jti,
    agent_id: shownAgent(record.agent_id),
    human_ref: record.human_ref,
    assurance_level: record.assurance_level,
    trust_score: trustScore(record.assurance_level, record.delegation_depth),
    delegation_depth: record.delegation_depth,
    action: record.action,
    resource: record.resource,
    state: record.state,
    spend_usd: toUsd(record.spend_micro_usd),
    evidence: record.evidence,
    created_at: isoInstant(record.created_at_ms),
    log_index: record.log_index,
    leaf_hash: `sha256:${Buffer.from(record.leaf_hash).toString('hex')}`,
    ...(record.result !== undefined && { result: record.result }),
    ...(record.result_hash !== undefined && { result_hash: record.result_hash }),
    ...(record.parent_aar_id !== undefined && { parent_aar_id: record.parent_aar_id }),
    ...(record.metadata !== undefined && { metadata: JSON.parse(record.metadata) }),
    ...(record.trace_id !== undefined && { trace_id: record.trace_id }),
    ...(record.state === 'pending' &&
      record.expires_at_ms !== undefined && { expires_at: isoInstant(record.expires_at_ms) }),
    ...(record.completed_at_ms !== undefined && { completed_at: isoInstant(record.completed_at_ms) }),
    ...(record.completed_after_revocation && { completed_after_revocation: true }),
    ...(record.over_budget && { over_budget: true }),
    ...(record.exceeded && { exceeded: true }),
    ...(record.completed_log_index !== undefined && { completed_log_index: record.completed_log_index }),
    ...(record.rating !== undefined && ratingView(record.rating)),
    ...(record.erased && { erased: true }),
  }
}

function ratingView(rating: StoredRating) {
  return {
    rating: rating.rating,
    feedback_at: isoInstant(rating.feedback_at_ms),
    rater_assurance: rating.rater_assurance,
    rated_log_index: rating.log_index,
    ...(rating.note !== undefined && { note: rating.note }),
  }
}
