import { AuthorityError, type Claims } from '@deputize/protocol'
import { assertionOf, type Policy, type UnmetRule, unmetRules } from '../../domain/tokens/policy.ts'
import type { OperationContext } from '../operation-context.ts'
import { policySubject } from './policy-subject.ts'

/** Adds the assertions of the named policies to the claims, or refuses with every unmet rule. */
export function withPolicyAssertions(
  claims: Claims,
  names: readonly string[],
  context: OperationContext,
): Claims {
  if (names.length === 0) return claims
  const unmet = unmetPolicies(claims, names, context)
  if (unmet.length > 0) throw policyError(unmet)
  const subject = policySubject(claims)
  return {
    ...claims,
    svc_policy_assertions: policiesNamed(names, context).map((policy) => assertionOf(policy, subject)),
  }
}

/** Returns every rule of the named policies that a token with these claims wouldn't meet. */
export function unmetPolicies(
  claims: Claims,
  names: readonly string[],
  context: OperationContext,
): UnmetRule[] {
  return unmetRules(policiesNamed(names, context), policySubject(claims))
}

export function policyError(unmet: readonly UnmetRule[]): AuthorityError {
  const rules = unmet.map(({ framework, rule }) => `${framework}: ${rule}`).join(' ')
  return new AuthorityError('policy_unmet', `Not met: ${rules}`, { unmet })
}

function policiesNamed(names: readonly string[], { policies }: OperationContext): Policy[] {
  const chosen = policies.filter(({ name }) => names.includes(name))
  if (chosen.length < new Set(names).size) throw new Error('a token asserts a policy that is not loaded')
  return chosen
}

/** Returns the names of the policies that a token asserts. */
export function assertedPolicies({ svc_policy_assertions }: Claims): string[] {
  return svc_policy_assertions?.map(({ framework }) => framework) ?? []
}
