import { assertProviderChoice } from '../external/tenant-providers.ts'
import type { Handler } from '../operation-context.ts'
import { loadTenant, putTenant } from './tenant-entry.ts'

export const updateTenant: Handler<'updateTenant'> = async (call, context) => {
  const { tenant_id } = call.params
  assertProviderChoice(tenant_id, call.body.verification, context)
  const { document, log_index } = await loadTenant(tenant_id, context)
  return putTenant(tenant_id, { ...document, ...call.body }, log_index ?? 'absent', call, context)
}
