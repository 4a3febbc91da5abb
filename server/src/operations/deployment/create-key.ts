import { AuthorityError, invalidField } from '@deputize/protocol'
import type { Handler } from '../operation-context.ts'
import { addApiKey } from './api-key-entry.ts'

export const createKey: Handler<'createKey'> = async (call, context) => {
  const { tenant_id = call.caller.tenant_id, role, audience } = call.body
  if ((await context.accessControl.tenants.find(tenant_id)) === undefined)
    throw new AuthorityError('tenant_unknown')
  if (role === 'resource_server' && audience === undefined)
    throw invalidField('/audience', 'is required for a resource server: set it to the aud of its tokens')
  if (role !== 'resource_server' && audience !== undefined)
    throw invalidField('/audience', 'is allowed only for the role resource_server')
  return addApiKey({ ...call.body, tenant_id }, call, context)
}
