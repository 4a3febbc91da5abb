import { type ProviderView, VERIFICATION_MODALITIES } from '@deputize/protocol'
import { BUILTIN_PROVIDER } from '../../../domain/verification/provider-choice.ts'
import { providersAllowed } from '../../external/tenant-providers.ts'
import { providersOfTenant } from '../../identity/identity-providers.ts'
import type { Handler } from '../../operation-context.ts'

export const listProviders: Handler<'listProviders'> = async ({ caller }, context) => {
  const signIn = providersOfTenant(caller.tenant_id, context).map(
    ({ name, issuer }): ProviderView => ({ name, protocol: 'oidc', issuer, assurance_level: 'L2' }),
  )
  const allowed = await providersAllowed(caller.tenant_id, context)
  const isJudging = context.verification.engine.state().state !== 'off' && allowed.includes(BUILTIN_PROVIDER)
  const external = context.external.providers.list
    .filter(({ name }) => allowed.includes(name))
    .map(
      ({ name, kind, level }): ProviderView => ({ name, protocol: 'external', kind, assurance_level: level }),
    )
  return { data: [...signIn, ...(isJudging ? [builtin()] : []), ...external] }
}

/** Returns the verification engine as a provider. The first session fetches it if it isn't installed. */
function builtin(): ProviderView {
  const modalities = [...VERIFICATION_MODALITIES]
  return { name: BUILTIN_PROVIDER, protocol: 'builtin', assurance_level: 'L3', modalities }
}
