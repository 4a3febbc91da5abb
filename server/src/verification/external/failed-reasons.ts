import type { ExternalCheck, ExternalDecision, ExternalReason } from './verdict.ts'

const REASONS_OF_CHECKS: readonly (readonly [ExternalCheck, ExternalReason])[] = [
  ['document', 'document_unverified'],
  ['liveness', 'liveness_failed'],
  ['face_match', 'face_mismatch'],
  ['database', 'data_mismatch'],
]

/** Returns why a session failed, from its checks, if the provider gives no documented code. Never empty. */
export function failedReasons(checks: ExternalDecision['checks']): readonly ExternalReason[] {
  const reasons = REASONS_OF_CHECKS.flatMap(([check, reason]) => (checks[check] === false ? [reason] : []))
  return reasons.length === 0 ? ['other'] : reasons
}
