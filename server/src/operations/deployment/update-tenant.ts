import { assertProviderChoice } from '../external/tenant-providers.ts'
import type { Handler } from '../operation-context.ts'
import { assertEscalation } from './escalation-target.ts'
import { loadTenant, putTenant } from './tenant-entry.ts'

export const updateTenant: Handler<'updateTenant'> = async (call, context) => {
  const { tenant_id } = call.params
  assertProviderChoice(tenant_id, call.body.verification, context)
  const { document, log_index } = await loadTenant(tenant_id, context)
  const changed = { ...document, ...call.body }
  assertEscalation(changed, call.body)
  return putTenant(tenant_id, changed, log_index ?? 'absent', call, context)
}
