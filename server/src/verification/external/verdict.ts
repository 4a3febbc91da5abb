/** Decisions of external providers, in Deputy's terms. Pure: adapters map statuses, and these rules do the rest. */
import { createHash } from 'node:crypto'

/**
 * `pending`: not decided yet. `retry`: the person may try again. `review`: people at the provider look at it. `expired`: the
 * person did not finish in time. `withdrawn`: cancelled or withdrawn at the provider.
 */
export const EXTERNAL_STATUSES = [
  'pending',
  'pass',
  'fail',
  'review',
  'retry',
  'expired',
  'withdrawn',
] as const
export type ExternalStatus = (typeof EXTERNAL_STATUSES)[number]

/** What a provider can check. A check that it does not report is absent. */
export const EXTERNAL_CHECKS = ['document', 'liveness', 'face_match', 'database'] as const
export type ExternalCheck = (typeof EXTERNAL_CHECKS)[number]

/** Why a decision isn't a pass, from a closed list: a provider's own texts are never shown. */
export const EXTERNAL_REASONS = [
  'document_unverified',
  'document_expired',
  'document_type',
  'selfie_unverified',
  'face_mismatch',
  'liveness_failed',
  'data_mismatch',
  'under_age',
  'fraud_suspected',
  'consent_declined',
  'abandoned',
  'unsupported',
  'technical',
  'other',
] as const
export type ExternalReason = (typeof EXTERNAL_REASONS)[number]

export interface ExternalDecision {
  readonly status: ExternalStatus
  readonly checks: Readonly<Partial<Record<ExternalCheck, boolean>>>
  readonly reasons: readonly ExternalReason[]
  /** SHA-256 of the answer that the decision was read from, as `sha256:<hex>`: evidence that names no person. */
  readonly raw_hash: string
}

/** Returns a decision read from an answer. `pass` with a failed check is contradictory and counts as `review`. */
export function externalDecision(
  raw: Uint8Array,
  status: ExternalStatus,
  checks: ExternalDecision['checks'] = {},
  reasons: readonly ExternalReason[] = [],
): ExternalDecision {
  const isContradictory = status === 'pass' && Object.values(checks).includes(false)
  return {
    status: isContradictory ? 'review' : status,
    checks,
    reasons: [...new Set(reasons)],
    raw_hash: `sha256:${createHash('sha256').update(raw).digest('hex')}`,
  }
}

/** Maps a provider's word to a status. An unknown word is never a pass: the check stays pending until a known one arrives. */
export function externalStatus(word: unknown, map: Readonly<Record<string, ExternalStatus>>): ExternalStatus {
  return typeof word === 'string' && Object.hasOwn(map, word) ? (map[word] ?? 'pending') : 'pending'
}

const FINAL: readonly ExternalStatus[] = ['pass', 'fail', 'retry', 'expired', 'withdrawn']

/** Whether the person no longer has to wait. A review may still become a pass. */
export function isFinal(status: ExternalStatus): boolean {
  return FINAL.includes(status)
}

const BAD: readonly ExternalStatus[] = ['fail', 'review', 'retry', 'withdrawn']

/**
 * Whether a decision takes back an earlier pass. `pending` may come from a slower replica of the provider, and `expired` means
 * that the person did not appear, which the pass has disproved, so neither does.
 */
export function isDowngrade(before: ExternalStatus, now: ExternalStatus): boolean {
  return before === 'pass' && BAD.includes(now)
}
