import { AuthorityError } from '@deputize/protocol'
import { isoInstant } from '../../../domain/times/time.ts'
import type { Provider } from '../../../verification/providers.ts'
import { providersOfTenant } from '../../identity/identity-providers.ts'
import { requestedConstraints } from '../../minting/requested-constraints.ts'
import type { Handler, OperationContext } from '../../operation-context.ts'
import { beginLogin } from './login-flow.ts'

export const startLogin: Handler<'startLogin'> = async ({ body, caller }, context) => {
  const { provider: name, return_to, constraints, ...authority } = body
  const { tenant_id } = caller
  const provider = chosenProvider(name, tenant_id, context)
  const { login_id, authorization_url, expires_at_ms } = await beginLogin(
    provider,
    {
      ...authority,
      ...(constraints !== undefined && { constraints: requestedConstraints(constraints) }),
      started_by: caller.name,
      tenant_id,
      provider: provider.name,
    },
    return_to === undefined ? {} : { return_to },
    context,
  )
  return { login_id, authorization_url, expires_at: isoInstant(expires_at_ms) }
}

/** Returns the named provider, or the tenant's only one. */
function chosenProvider(name: string | undefined, tenant_id: string, context: OperationContext): Provider {
  const candidates = providersOfTenant(tenant_id, context)
  const [found, ...others] =
    name === undefined ? candidates : candidates.filter((provider) => provider.name === name)
  if (found === undefined || others.length > 0) throw new AuthorityError('provider_unknown')
  return found
}
