import type { FaceReason } from '@deputize/protocol'
import { toMicroUsd } from '@deputize/protocol'

/** Which approvals of a tenant need a biometric verification. Without a filter, all do. */
export interface FaceApprovalRule {
  readonly above_usd?: number
  readonly actions?: readonly string[]
  /** How old the verification may be when the approval is given. */
  readonly max_age_s: number
}

interface ApprovedAction {
  readonly approval_id: string
  readonly action: string
  readonly spend_micro_usd: number
}

/** What a verification says about its person. */
interface PassedVerification {
  readonly decision: string
  readonly human_ref: string
  readonly approval_id?: string | undefined
  readonly verified_at: string
}

export function needsFace(
  { above_usd, actions }: FaceApprovalRule,
  { action, spend_micro_usd }: Pick<ApprovedAction, 'action' | 'spend_micro_usd'>,
): boolean {
  if (above_usd === undefined && actions === undefined) return true
  const isDear = above_usd !== undefined && spend_micro_usd > toMicroUsd(above_usd)
  return isDear || actions?.includes(action) === true
}

/** Returns why a verification doesn't confirm this approval by one of these refs, or undefined if it does. */
export function faceObjection(
  verification: PassedVerification | undefined,
  { approval_id }: Pick<ApprovedAction, 'approval_id'>,
  refs: readonly string[],
  { max_age_s }: FaceApprovalRule,
  now_ms: number,
): FaceReason | undefined {
  if (verification === undefined || !refs.includes(verification.human_ref)) return 'no_verification'
  if (verification.decision !== 'pass') return 'not_passed'
  if (verification.approval_id !== approval_id) return 'other_approval'
  return now_ms - Date.parse(verification.verified_at) > max_age_s * 1000 ? 'too_old' : undefined
}
