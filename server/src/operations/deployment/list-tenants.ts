import { DEFAULT_TENANT } from '@deputize/protocol'
import { pageRequest } from '../lists/pages.ts'
import type { Handler } from '../operation-context.ts'
import { pageAnswer } from '../views/page-answer.ts'
import { tenantView } from '../views/tenant-view.ts'

/** Administrators of the deployment see every tenant; other callers see their own. */
export const listTenants: Handler<'listTenants'> = async ({ query, caller }, { reader }) => {
  const seesAll = caller.tenant_id === DEFAULT_TENANT && caller.role !== 'developer'
  const filter = seesAll ? {} : { tenant_id: caller.tenant_id }
  const page = await reader.registry.list('tenant', filter, pageRequest(query))
  return pageAnswer(page, ({ id, document, log_index }) =>
    tenantView(id, JSON.parse(document), log_index, caller),
  )
}
