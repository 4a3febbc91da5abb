import { AuthorityError } from '@deputize/protocol'
import type { Policy } from '../../domain/tokens/policy.ts'
import type { OperationContext } from '../operation-context.ts'

/** Returns a policy by name, or throws `policy_unknown`. */
export function findPolicy(name: string, { policies }: OperationContext): Policy {
  const policy = policies.find((known) => known.name === name)
  if (policy === undefined) throw new AuthorityError('policy_unknown')
  return policy
}
