import type { Command } from 'commander'
import { addCallCommand, type ResponseOf } from '../client/call-command.ts'
import { callingCommand } from '../client/running.ts'
import { facts } from '../terminal/facts.ts'
import type { Screen } from '../terminal/screen.ts'
import { count, moment } from '../terminal/words.ts'
import { pageTable } from './page.ts'

/** `deputy tenants`: lists, shows, creates and updates tenants. */
export function addTenantsCommand(program: Command): void {
  const tenants = callingCommand(program, 'tenants', 'list, show, create and update tenants')
  addCallCommand(tenants, { name: 'list', operation: 'listTenants', say: tenantTable, isDefault: true })
  addCallCommand(tenants, { name: 'show', operation: 'getTenant', args: ['tenant_id'], say: tenantFacts })
  addCallCommand(tenants, {
    name: 'create',
    operation: 'createTenant',
    args: ['tenant_id'],
    say: tenantFacts,
  })
  addCallCommand(tenants, {
    name: 'update',
    operation: 'updateTenant',
    args: ['tenant_id'],
    say: tenantFacts,
  })
}

function tenantTable(answer: ResponseOf<'listTenants'>, screen: Screen): string {
  return pageTable(answer, 'tenants', screen, [
    { title: 'tenant', cell: ({ tenant_id }) => tenant_id },
    { title: 'name', cell: ({ name }) => name },
    { title: 'created', cell: ({ created_at }) => moment(created_at), whole: true },
  ])
}

function tenantFacts(tenant: ResponseOf<'getTenant'>): string {
  const { rate_limit, step_up, reviewers } = tenant
  return facts([
    ['tenant', tenant.tenant_id],
    ['name', tenant.name],
    ['unbound tokens', tenant.allow_bearer ? 'accepted' : 'refused'],
    ['passkey required for', step_up.length === 0 ? 'nothing' : step_up.join(', ')],
    ['reviewers', count(reviewers.length, 'person', 'people')],
    ['requests per minute', rate_limit === undefined ? 'the default limit' : String(rate_limit)],
    ['created', moment(tenant.created_at)],
  ])
}
