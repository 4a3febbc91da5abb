import { type ProviderView, VERIFICATION_MODALITIES } from '@deputize/protocol'
import { providersOfTenant } from '../identity-providers.ts'
import type { Handler } from '../operation-context.ts'

export const listProviders: Handler<'listProviders'> = async ({ caller }, context) => {
  const signIn = providersOfTenant(caller.tenant_id, context).map(
    ({ name, issuer }): ProviderView => ({ name, protocol: 'oidc', issuer, assurance_level: 'L2' }),
  )
  return { data: context.engine.state().state === 'off' ? signIn : [...signIn, builtin()] }
}

/** The verification engine, which the first session fetches if it is absent. */
function builtin(): ProviderView {
  const modalities = [...VERIFICATION_MODALITIES]
  return { name: 'builtin', protocol: 'builtin', assurance_level: 'L3', modalities }
}
