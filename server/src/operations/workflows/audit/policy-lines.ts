import { type Claims, type LogEntryContent, type PolicyFinding, policyLine } from '@deputize/protocol'
import { evaluate, type Policy } from '../../../domain/policy.ts'
import type { OperationContext } from '../../operation-context.ts'
import { assertedPolicies } from '../../policy-assertions.ts'
import { policySubject } from '../../policy-subject.ts'
import type { Snapshot } from '../exports/snapshot.ts'

/** Makes the lines of one token in the policy table, one for each policy. */
export type PolicyLinesOf = (log_index: number, entry: LogEntryContent) => string[]

/** Checks every policy for every token of a workflow. What is checked was fixed when the token was issued. */
export async function policyLines(
  snapshot: Snapshot,
  { policies }: OperationContext,
): Promise<PolicyLinesOf> {
  const findings = new Map<number, readonly PolicyFinding[]>()
  for await (const [{ token }] of snapshot.tokens())
    findings.set(
      token.log_index,
      policies.map((policy) => findingOf(policy, token.claims)),
    )
  return (log_index, entry) =>
    (findings.get(log_index) ?? []).map((finding) => policyLine(log_index, entry, finding))
}

function findingOf(policy: Policy, claims: Claims): PolicyFinding {
  const unmet = evaluate(policy, policySubject(claims)).filter(({ met }) => !met)
  return {
    policy: policy.name,
    version: policy.version,
    asserted: assertedPolicies(claims).includes(policy.name),
    met: unmet.length === 0,
    unmet: unmet.map(({ control, evidence }) => `${control}: ${evidence}`).join('; '),
  }
}
