import type { Handler } from '../operation-context.ts'
import { tenantView } from '../views/tenant-view.ts'
import { loadTenant } from './tenant-entry.ts'

export const getTenant: Handler<'getTenant'> = async ({ params: { tenant_id }, caller }, context) => {
  const { document, log_index } = await loadTenant(tenant_id, context)
  return tenantView(tenant_id, document, log_index, caller)
}
