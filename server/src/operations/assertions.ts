import { AuthorityError, type Claims } from '@deputize/protocol'
import { assertionOf, type PolicySubject, unmetRules } from '../domain/policy.ts'
import type { OperationContext } from './operation-context.ts'

/** Signs the named policies into the claims, or refuses with every rule that is not met. */
export function asserted(claims: Claims, names: readonly string[], { policies }: OperationContext): Claims {
  if (names.length === 0) return claims
  const chosen = policies.filter(({ name }) => names.includes(name))
  if (chosen.length < new Set(names).size)
    throw new Error('a policy that a token asserts is not there any more')
  const unmet = unmetRules(chosen, subjectOf(claims))
  if (unmet.length > 0) {
    const rules = unmet.map(({ framework, rule }) => `${framework}: ${rule}`).join(' ')
    throw new AuthorityError('policy_unmet', `Not met: ${rules}`, { unmet })
  }
  return { ...claims, svc_policy_assertions: chosen.map((policy) => assertionOf(policy, subjectOf(claims))) }
}

export function subjectOf(claims: Claims): PolicySubject {
  return {
    scope: claims.svc_scope,
    assurance_level: claims.svc_assurance_level,
    human_ref: claims.svc_human_ref,
    lifetime_s: claims.exp - claims.iat,
    is_key_bound: claims.cnf !== undefined,
  }
}

/** The policies that a token asserts, by name. */
export function assertedNames({ svc_policy_assertions }: Claims): string[] {
  return svc_policy_assertions?.map(({ framework }) => framework) ?? []
}
