import { AuthorityError, type Claims, DEFAULT_TENANT, type Scope } from '@deputize/protocol'
import type { Caller, HumanCaller } from '../../access/caller.ts'
import { beyondCeilings } from '../../domain/tokens/group-ceilings.ts'
import { providerByName, providersOfTenant } from '../identity/identity-providers.ts'
import type { OperationContext } from '../operation-context.ts'
import { wideningError } from './widening-error.ts'

/** Checks the rules for every new token, whichever call issues it. */
export async function assertObtainable(
  claims: Claims,
  caller: Caller,
  context: OperationContext,
): Promise<void> {
  const { svc_scope, svc_tenant = DEFAULT_TENANT, cnf } = claims
  assertVerifiedBy(claims)
  if (caller.role === 'human') await assertWithinSession(svc_scope, caller, context)
  if (cnf === undefined && context.access === 'keyed') await assertBearer(svc_tenant, context)
}

/** Refuses a token that requires certain providers but has no verification by one. Also checked for child tokens. */
function assertVerifiedBy({ svc_constraints, svc_verification }: Claims): void {
  const providers = svc_constraints?.verification_providers
  if (providers === undefined) return
  const { provider } = svc_verification ?? {}
  if (provider !== undefined && providers.includes(provider)) return
  throw new AuthorityError(
    'provider_not_allowed',
    `The token demands a person who was verified by ${providers.join(' or ')}${provider === undefined ? '' : `, not by ${provider}`}. Verify the person with one of them and request the token there.`,
    { providers: [...providers] },
  )
}

/** Limits a session to what the groups that it signed in with allow, both directly and below another token. */
async function assertWithinSession(
  scope: Scope,
  { tenant_id, session_key }: HumanCaller,
  context: OperationContext,
): Promise<void> {
  const limiting = providersOfTenant(tenant_id, context).filter(({ groups }) => groups !== undefined)
  if (limiting.length === 0) return
  const session = await context.accessControl.sessions.readByKey(session_key)
  if (session?.sign_on === undefined)
    throw new AuthorityError(
      'not_yours',
      `Groups limit the tokens of this tenant, and this session names none. Sign in with ${limiting.map(({ name }) => name).join(' or ')}.`,
    )
  const { provider, groups } = session.sign_on
  assertWithinGroups(provider, groups, scope, context)
}

/** Requires the person's groups to allow everything that the token contains, if the provider has group ceilings. */
export function assertWithinGroups(
  provider: string,
  groups: readonly string[],
  { resources, actions }: Scope,
  context: OperationContext,
): void {
  const ceilings = providerByName(provider, context).groups
  if (ceilings === undefined) return
  const held = groups.map((group) => ceilings.get(group)).filter((ceiling) => ceiling !== undefined)
  const beyond = beyondCeilings(held, { resources, actions })
  if (beyond.length > 0) throw wideningError(beyond, "The person's groups do not allow")
}

/** Refuses a token without a key in a tenant that accepts only key-bound tokens. */
async function assertBearer(tenant_id: string, { accessControl }: OperationContext): Promise<void> {
  const tenant = await accessControl.tenants.find(tenant_id)
  if (tenant?.allow_bearer === true) return
  throw new AuthorityError(
    'key_required',
    'The tenant accepts only tokens that are bound to a key. Send the public key of the agent as agent_jwk, or let an operator set allow_bearer (PATCH /v1/vat/tenants/{tenant_id}).',
  )
}
