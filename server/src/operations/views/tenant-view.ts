import type { AnswerOf, OPERATIONS } from '@deputize/protocol'
import type { TenantDocument } from '../../access/tenants.ts'

export type TenantView = AnswerOf<typeof OPERATIONS.getTenant>

export function tenantView(
  tenant_id: string,
  { step_up, reviewers, ...settings }: TenantDocument,
  log_index: number | undefined,
): TenantView {
  return {
    tenant_id,
    ...settings,
    step_up: [...step_up],
    reviewers: [...reviewers],
    ...(log_index !== undefined && { log_index }),
  }
}
