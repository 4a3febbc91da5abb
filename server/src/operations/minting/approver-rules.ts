import { type Constraints, invalidField } from '@deputize/protocol'
import type { OperationContext } from '../operation-context.ts'

const POINTER = '/constraints/require_approval/approvers'

/** Refuses approvers that could never approve. */
export function assertApprovers(
  constraints: Constraints | undefined,
  human_ref: string,
  { access }: Pick<OperationContext, 'access'>,
): void {
  const approvers = constraints?.require_approval?.approvers
  if (approvers === undefined) return
  if (access === 'open')
    throw invalidField(
      POINTER,
      'needs people who sign in. In open mode everyone counts as one person: leave it out, or start Deputy in keyed mode',
    )
  const { count, people, role } = approvers
  if ((people === undefined) === (role === undefined))
    throw invalidField(POINTER, 'must have either people or role')
  if (people === undefined) return
  if (people.length < count)
    throw invalidField(`${POINTER}/people`, 'must name at least as many people as count')
  if (people.every((ref) => ref === human_ref))
    throw invalidField(
      `${POINTER}/people`,
      "must name someone else too: the person the agent acts for can't be the only approver",
    )
}
