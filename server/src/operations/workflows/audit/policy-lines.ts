import { type Claims, type LogEntryContent, type PolicyFinding, policyLine } from '@deputize/protocol'
import { evaluate, type Policy } from '../../../domain/tokens/policy.ts'
import { assertedPolicies } from '../../minting/policy-assertions.ts'
import { policySubject } from '../../minting/policy-subject.ts'
import type { OperationContext } from '../../operation-context.ts'
import type { Snapshot } from '../exports/snapshot.ts'

/** Returns the lines of one token in the policy table, one for each policy. */
export type PolicyLinesOf = (log_index: number, entry: LogEntryContent) => string[]

/** Checks every policy for every token of a workflow. The checked facts were fixed when the token was issued. */
export async function policyLines(
  snapshot: Snapshot,
  { policies }: OperationContext,
): Promise<PolicyLinesOf> {
  const findings = new Map<number, readonly PolicyFinding[]>()
  // The tokens of a workflow are similar, so most of them share their findings.
  const found = new Map<string, readonly PolicyFinding[]>()
  for await (const [{ token }] of snapshot.tokens()) {
    const of_token = policies.map((policy) => findingOf(policy, token.claims))
    const key = JSON.stringify(of_token)
    if (!found.has(key)) found.set(key, of_token)
    findings.set(token.log_index, found.get(key) ?? of_token)
  }
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
