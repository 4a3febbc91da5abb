import type { AnswerOf, OPERATIONS } from '@deputize/protocol'
import type { TenantDocument } from '../../access/tenants.ts'

export type TenantView = AnswerOf<typeof OPERATIONS.getTenant>

export function tenantView(
  tenant_id: string,
  { step_up, reviewers, passkey_aaguids = [], ...settings }: TenantDocument,
  log_index: number | undefined,
): TenantView {
  return {
    tenant_id,
    ...settings,
    step_up: [...step_up],
    reviewers: [...reviewers],
    ...(passkey_aaguids.length > 0 && { passkey_aaguids: [...passkey_aaguids] }),
    ...(log_index !== undefined && { log_index }),
  }
}
