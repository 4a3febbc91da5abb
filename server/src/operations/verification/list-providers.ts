import { providersOfTenant } from '../identity-providers.ts'
import type { Handler } from '../operation-context.ts'

export const listProviders: Handler<'listProviders'> = async ({ caller }, context) => ({
  data: providersOfTenant(caller.tenant_id, context).map(({ name, issuer }) => ({
    name,
    protocol: 'oidc',
    issuer,
    assurance_level: 'L2',
  })),
})
