import {
  type AnswerOf,
  AuthorityError,
  canonicalJson,
  DEFAULT_TENANT,
  type OPERATIONS,
} from '@deputize/protocol'
import { documentOf, FIRST_SETTINGS, type TenantDocument } from '../access/tenants.ts'
import type { RegisterOutcome } from '../clerk/judges/register.ts'
import { isoInstant } from '../domain/time.ts'
import type { RegistryEntry } from '../store/port.ts'
import { carryOut, type Handler, type OperationContext, type Submitted } from './operation-context.ts'
import { pageAnswer, pageRequest } from './pages.ts'

type TenantView = AnswerOf<(typeof OPERATIONS)['getTenant']>

export const createTenant: Handler<'createTenant'> = async (call, context) => {
  const { tenant_id, name = tenant_id, ...settings } = call.body
  if (tenant_id === DEFAULT_TENANT) throw new AuthorityError('tenant_exists')
  const document = { name, created_at: isoInstant(context.clock()), ...FIRST_SETTINGS, ...settings }
  try {
    return await keep(tenant_id, document, 'absent', call, context)
  } catch (error) {
    if (!(error instanceof AuthorityError) || error.code !== 'registry_conflict') throw error
    throw new AuthorityError('tenant_exists')
  }
}

export const updateTenant: Handler<'updateTenant'> = async (call, context) => {
  const { tenant_id } = call.params
  const entry = await context.reader.registry.entry('tenant', tenant_id)
  const known = documentOf(tenant_id, entry?.document)
  if (known === undefined) throw new AuthorityError('tenant_unknown')
  return keep(tenant_id, { ...known, ...call.body }, entry?.log_index ?? 'absent', call, context)
}

export const getTenant: Handler<'getTenant'> = async ({ params: { tenant_id } }, { reader }) => {
  const entry = await reader.registry.entry('tenant', tenant_id)
  const document = documentOf(tenant_id, entry?.document)
  if (document === undefined) throw new AuthorityError('tenant_unknown')
  return view(tenant_id, document, entry?.log_index)
}

/** The whole list is for those who look after the deployment; others see their own. */
export const listTenants: Handler<'listTenants'> = async ({ query, caller }, { reader }) => {
  const seesAll = caller.tenant_id === DEFAULT_TENANT && caller.role !== 'developer'
  const filter = seesAll ? {} : { tenant_id: caller.tenant_id }
  const page = await reader.registry.list('tenant', filter, pageRequest(query))
  return pageAnswer(page, (entry) => entryView(entry))
}

function entryView({ id, document, log_index }: RegistryEntry & { readonly document: string }): TenantView {
  return view(id, JSON.parse(document), log_index)
}

function view(tenant_id: string, document: TenantDocument, log_index: number | undefined): TenantView {
  const { step_up, reviewers, ...settings } = document
  return {
    tenant_id,
    ...settings,
    step_up: [...step_up],
    reviewers: [...reviewers],
    ...(log_index !== undefined && { log_index }),
  }
}

async function keep(
  tenant_id: string,
  document: TenantDocument,
  expects: number | 'absent',
  call: Submitted,
  context: OperationContext,
): Promise<TenantView> {
  const { log_index } = await carryOut<RegisterOutcome>(
    {
      kind: 'register',
      entry_kind: 'tenant',
      id: tenant_id,
      tenant_id,
      owner: undefined,
      document: canonicalJson(document),
      expects,
    },
    call,
    context,
  )
  context.accessControl.tenants.forget(tenant_id)
  return view(tenant_id, document, log_index)
}
