import { type ProvenClaims, textClaim } from './id-token.ts'
import type { Provider } from './providers.ts'
import { signOnFailed } from './sign-on-failed.ts'

/** The person who signed in, as the provider describes them. */
export interface Identity {
  readonly provider: string
  readonly issuer: string
  readonly subject: string
  readonly email: string | undefined
  readonly email_verified: boolean
  /** How the person signed in (RFC 8176). */
  readonly amr: readonly string[]
  readonly acr: string | undefined
  /** When the person signed in, in seconds. */
  readonly auth_time: number
  readonly groups: readonly string[]
}

/** Returns the claim that groups are read from, or an empty list if groups have no effect. */
export function groupsClaim({ groups_claim, groups, required_groups, roles }: Provider): string[] {
  return groups === undefined && required_groups.length === 0 && roles.size === 0 ? [] : [groups_claim]
}

export function identityOf(provider: Provider, claims: ProvenClaims): Identity {
  const groups = textsOf(claims[provider.groups_claim])
  if (!provider.required_groups.every((group) => groups.includes(group))) throw signOnFailed('group_missing')
  const { email_verified } = claims
  return {
    provider: provider.name,
    issuer: provider.issuer,
    subject: claims.sub,
    email: textClaim(claims.email),
    email_verified: email_verified === true || email_verified === 'true',
    amr: textsOf(claims.amr).slice(0, 16),
    acr: textClaim(claims.acr),
    auth_time: authTimeOf(claims),
    groups,
  }
}

function textsOf(value: unknown): string[] {
  return [value].flat().filter((one) => typeof one === 'string')
}

/** Returns the time of the sign-in, clamped between 0 and the time the token was issued. */
function authTimeOf({ auth_time, iat }: ProvenClaims): number {
  return Math.floor(typeof auth_time === 'number' ? Math.max(0, Math.min(auth_time, iat)) : iat)
}
