import type { Command } from 'commander'
import { type Answer, addCallCommand } from '../client/call-command.ts'
import { callingCommand } from '../client/running.ts'
import { facts } from '../terminal/facts.ts'
import type { Screen } from '../terminal/screen.ts'
import { count, moment } from '../terminal/words.ts'
import { page } from './page.ts'

/** `deputy tenants`: who shares the deployment without seeing each other. */
export function addTenantsCommand(program: Command): void {
  const tenants = callingCommand(program, 'tenants', 'list, create, read and change tenants')
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

function tenantTable(answer: Answer<'listTenants'>, screen: Screen): string {
  return page(answer, 'tenant', screen, [
    { title: 'tenant', cell: ({ tenant_id }) => tenant_id },
    { title: 'name', cell: ({ name }) => name },
    { title: 'since', cell: ({ created_at }) => moment(created_at), whole: true },
  ])
}

function tenantFacts(tenant: Answer<'getTenant'>): string {
  const { rate_limit, step_up, reviewers } = tenant
  return facts([
    ['tenant', tenant.tenant_id],
    ['name', tenant.name],
    ['tokens bound to no key', tenant.allow_bearer ? 'accepted' : 'refused'],
    ['a fresh passkey for', step_up.length === 0 ? 'nothing' : step_up.join(', ')],
    ['reviewers', count(reviewers.length, 'person', 'people')],
    ['requests a minute', rate_limit === undefined ? 'as many as any' : String(rate_limit)],
    ['since', moment(tenant.created_at)],
  ])
}
