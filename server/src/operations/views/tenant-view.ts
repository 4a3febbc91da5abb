import type { AnswerOf, OPERATIONS } from '@deputize/protocol'
import type { Caller } from '../../access/caller.ts'
import type { MessageRules, TenantDocument } from '../../access/tenants.ts'
import type { FaceApprovalRule } from '../../domain/verification/face-approval.ts'

export type TenantView = AnswerOf<typeof OPERATIONS.getTenant>

/**
 * Returns a tenant as the API shows it. Review settings are hidden from people and developers, because they are the
 * ones under review.
 */
export function tenantView(
  tenant_id: string,
  {
    step_up,
    reviewers,
    rate_limit,
    review,
    face_approvals,
    verification,
    messages,
    passkey_aaguids = [],
    ...settings
  }: TenantDocument,
  log_index: number | undefined,
  { role }: Pick<Caller, 'role'>,
): TenantView {
  return {
    tenant_id,
    ...settings,
    step_up: [...step_up],
    reviewers: [...reviewers],
    ...(rate_limit !== undefined && rate_limit !== null && { rate_limit }),
    ...(review !== undefined && role !== 'human' && role !== 'developer' && { review }),
    ...(face_approvals !== undefined &&
      face_approvals !== null && { face_approvals: faceView(face_approvals) }),
    ...(verification !== undefined &&
      verification !== null && {
        verification: { ...verification, providers: [...verification.providers] },
      }),
    ...(messages !== undefined && messages !== null && { messages: messagesView(messages) }),
    ...(passkey_aaguids.length > 0 && { passkey_aaguids: [...passkey_aaguids] }),
    ...(log_index !== undefined && { log_index }),
  }
}

function messagesView({ slack_signing_secret, channels, escalate_to, ...rules }: MessageRules) {
  return {
    ...rules,
    ...(channels !== undefined && { channels: [...channels] }),
    ...(escalate_to !== undefined && { escalate_to: [...escalate_to] }),
    slack_interactions: slack_signing_secret !== undefined,
  }
}

function faceView({ actions, ...settings }: FaceApprovalRule) {
  return { ...settings, ...(actions !== undefined && { actions: [...actions] }) }
}
