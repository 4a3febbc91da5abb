import { AuthorityError, type Claims } from '@deputize/protocol'
import { assertionOf, type Policy, type UnmetRule, unmetRules } from '../../domain/tokens/policy.ts'
import type { OperationContext } from '../operation-context.ts'
import { policySubject } from './policy-subject.ts'

/** Receives what forbids a token. A call that issues it throws the refusal; a preview goes on to find everything else. */
export type Refuse = (refusal: AuthorityError) => void

export const throwRefusal: Refuse = (refusal) => {
  throw refusal
}

/** Adds the assertions of the named policies to the claims, or refuses with every unmet rule. */
export function withPolicyAssertions(
  claims: Claims,
  names: readonly string[],
  context: OperationContext,
  refuse: Refuse = throwRefusal,
): Claims {
  if (names.length === 0) return claims
  const chosen = policiesNamed(names, context)
  const subject = policySubject(claims)
  const unmet = unmetRules(chosen, subject)
  if (unmet.length > 0) {
    refuse(policyError(unmet))
    return claims
  }
  return { ...claims, svc_policy_assertions: chosen.map((policy) => assertionOf(policy, subject)) }
}

function policyError(unmet: readonly UnmetRule[]): AuthorityError {
  const rules = unmet.map(({ framework, rule }) => `${framework}: ${rule}`).join(' ')
  return new AuthorityError('policy_unmet', `Not met: ${rules}`, { unmet })
}

/** Returns the policies with these names. */
export function policiesNamed(names: readonly string[], { policies }: OperationContext): Policy[] {
  const chosen = policies.filter(({ name }) => names.includes(name))
  if (chosen.length < new Set(names).size) throw new Error('a token asserts a policy that is not loaded')
  return chosen
}

/** Returns the names of the policies that a token asserts. */
export function assertedPolicies({ svc_policy_assertions }: Claims): string[] {
  return svc_policy_assertions?.map(({ framework }) => framework) ?? []
}
