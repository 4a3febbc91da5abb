import { AuthorityError, invalidField } from '@deputize/protocol'
import {
  allowedProviders,
  BUILTIN_PROVIDER,
  chosenProvider,
  type ProviderChoice,
} from '../../domain/verification/provider-choice.ts'
import type { OpenedExternal } from '../../verification/external/external-providers.ts'
import type { OperationContext } from '../operation-context.ts'

type Choosing = Pick<OperationContext, 'external' | 'accessControl'>

/** Returns the external provider that verifies in this session. Undefined if this service's own engine does. */
export async function providerOfSession(
  tenant_id: string,
  asked: string | undefined,
  context: Choosing,
): Promise<OpenedExternal | undefined> {
  const allowed = await providersAllowed(tenant_id, context)
  const name = chosenProvider(allowed, asked)
  if (name === undefined) throw providerNotAllowed(allowed, asked)
  return name === BUILTIN_PROVIDER ? undefined : context.external.providers.find(name)
}

/** Returns the providers that may verify people of a tenant, the default first. */
export async function providersAllowed(
  tenant_id: string,
  { external, accessControl }: Choosing,
): Promise<readonly string[]> {
  const tenant = await accessControl.tenants.find(tenant_id)
  return allowedProviders(tenant?.verification, configuredFor(tenant_id, external.providers))
}

/** Refuses a setting that names a provider that the operator didn't configure for the tenant. */
export function assertProviderChoice(
  tenant_id: string,
  setting: ProviderChoice | null | undefined,
  { external }: Pick<Choosing, 'external'>,
): void {
  if (setting === undefined || setting === null) return
  const known = [BUILTIN_PROVIDER, ...configuredFor(tenant_id, external.providers)]
  const unknown = setting.providers.findIndex((name) => !known.includes(name))
  if (unknown >= 0)
    throw invalidField(`/verification/providers/${unknown}`, `must be one of ${known.join(', ')}`)
  if (setting.default !== undefined && !setting.providers.includes(setting.default))
    throw invalidField('/verification/default', 'must be one of verification.providers')
}

function configuredFor(
  tenant_id: string,
  { list }: OperationContext['external']['providers'],
): readonly string[] {
  return list.filter((one) => one.tenant_id === tenant_id).map(({ name }) => name)
}

function providerNotAllowed(allowed: readonly string[], asked: string | undefined): AuthorityError {
  const use =
    allowed.length === 0
      ? 'An operator must configure one of its providers (DEPUTY_IDV_FILE).'
      : `Use ${allowed.join(' or ')}.`
  const what =
    asked === undefined
      ? 'The tenant has no provider that verifies people.'
      : `The tenant does not verify people with ${asked}.`
  return new AuthorityError('provider_not_allowed', `${what} ${use}`, { providers: [...allowed] })
}
