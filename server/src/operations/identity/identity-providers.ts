import { AuthorityError } from '@deputize/protocol'
import type { Provider } from '../../verification/providers.ts'
import type { OperationContext } from '../operation-context.ts'

export function providersOfTenant(
  tenant_id: string,
  { verification: { signIn } }: OperationContext,
): Provider[] {
  return signIn.providers.filter((provider) => provider.tenant_id === tenant_id)
}

/** Returns the provider with this name, of any tenant, or throws `provider_unknown`. */
export function providerByName(name: string, { verification: { signIn } }: OperationContext): Provider {
  const provider = signIn.providers.find((one) => one.name === name)
  if (provider === undefined) throw new AuthorityError('provider_unknown')
  return provider
}
