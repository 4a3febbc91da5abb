import { AuthorityError, DEFAULT_TENANT } from '@deputize/protocol'
import { FIRST_SETTINGS } from '../../access/tenants.ts'
import { isoInstant } from '../../domain/times/time.ts'
import { assertProviderChoice } from '../external/tenant-providers.ts'
import type { Handler } from '../operation-context.ts'
import { assertEscalation } from './escalation-target.ts'
import { loadTenant, putTenant } from './tenant-entry.ts'

export const createTenant: Handler<'createTenant'> = async (call, context) => {
  const { tenant_id, name = tenant_id, ...settings } = call.body
  assertProviderChoice(tenant_id, settings.verification, context)
  if (tenant_id === DEFAULT_TENANT) throw new AuthorityError('tenant_exists')
  const document = { name, created_at: isoInstant(context.clock()), ...FIRST_SETTINGS, ...settings }
  assertEscalation(document, settings)
  let isReplay = false
  const onReplay = () => {
    isReplay = true
    call.onReplay()
  }
  try {
    const created = await putTenant(tenant_id, document, 'absent', { ...call, onReplay }, context)
    if (!isReplay) return created
    const { created_at } = (await loadTenant(tenant_id, context)).document // never changes
    return { ...created, created_at }
  } catch (error) {
    if (!(error instanceof AuthorityError) || error.code !== 'registry_conflict') throw error
    throw new AuthorityError('tenant_exists')
  }
}
