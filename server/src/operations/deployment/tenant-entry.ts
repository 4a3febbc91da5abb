import { AuthorityError, canonicalJson } from '@deputize/protocol'
import { actorOf } from '../../access/caller.ts'
import { documentOf, type TenantDocument } from '../../access/tenants.ts'
import type { RegisterOutcome } from '../../clerk/judges/register.ts'
import type { OperationContext, UntypedCall } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'
import { type TenantView, tenantView } from '../views/tenant-view.ts'

/**
 * Returns a tenant's settings, or throws `tenant_unknown`. The default tenant has no registry entry until its settings
 * change.
 */
export async function loadTenant(
  tenant_id: string,
  { reader }: OperationContext,
): Promise<{ readonly document: TenantDocument; readonly log_index: number | undefined }> {
  const entry = await reader.registry.entry('tenant', tenant_id)
  const document = documentOf(tenant_id, entry?.document)
  if (document === undefined) throw new AuthorityError('tenant_unknown')
  return { document, log_index: entry?.log_index }
}

/** Writes a tenant. Refuses with `registry_conflict` if the registry entry no longer matches `expects`. */
export async function putTenant(
  tenant_id: string,
  document: TenantDocument,
  expects: number | 'absent',
  call: UntypedCall,
  context: OperationContext,
): Promise<TenantView> {
  const { log_index } = await submitCommand<RegisterOutcome>(
    {
      kind: 'register',
      entry_kind: 'tenant',
      id: tenant_id,
      tenant_id,
      owner: undefined,
      document: canonicalJson(document),
      expects,
      by: actorOf(call.caller),
    },
    call,
    context,
  )
  context.accessControl.tenants.forget(tenant_id)
  return tenantView(tenant_id, document, log_index, call.caller)
}
