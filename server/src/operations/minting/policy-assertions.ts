import { AuthorityError, type Claims } from '@deputize/protocol'
import { assertionOf, unmetRules } from '../../domain/tokens/policy.ts'
import type { OperationContext } from '../operation-context.ts'
import { policySubject } from './policy-subject.ts'

/** Adds the assertions of the named policies to the claims, or refuses with every unmet rule. */
export function withPolicyAssertions(
  claims: Claims,
  names: readonly string[],
  { policies }: OperationContext,
): Claims {
  if (names.length === 0) return claims
  const chosen = policies.filter(({ name }) => names.includes(name))
  if (chosen.length < new Set(names).size) throw new Error('a token asserts a policy that is not loaded')
  const subject = policySubject(claims)
  const unmet = unmetRules(chosen, subject)
  if (unmet.length > 0) {
    const rules = unmet.map(({ framework, rule }) => `${framework}: ${rule}`).join(' ')
    throw new AuthorityError('policy_unmet', `Not met: ${rules}`, { unmet })
  }
  return { ...claims, svc_policy_assertions: chosen.map((policy) => assertionOf(policy, subject)) }
}

/** Returns the names of the policies that a token asserts. */
export function assertedPolicies({ svc_policy_assertions }: Claims): string[] {
  return svc_policy_assertions?.map(({ framework }) => framework) ?? []
}
