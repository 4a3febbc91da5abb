import type { Caller, HumanCaller } from '../../access/caller.ts'
import { DESK_NAME, type Decider } from '../../domain/approvals/approvers.ts'
import type { OperationContext } from '../operation-context.ts'

/** Returns the caller as a decider on approvals. In open mode there is one nameless person. */
export async function deciderOf(caller: Caller, context: OperationContext): Promise<Decider> {
  if (caller.role === 'safety') return { refs: [DESK_NAME], is_reviewer: false, is_desk: true }
  if (caller.role !== 'human') return { refs: ['human'], is_reviewer: false }
  return { refs: caller.human_refs, is_reviewer: await isReviewer(caller, context) }
}

/** Returns the names under which a person is an approver, in the form that list filters take. */
export async function approverNames(person: ApproverRefs, context: ApproverContext): Promise<string[]> {
  return [...person.human_refs, ...((await isReviewer(person, context)) ? ['reviewer'] : [])]
}

type ApproverRefs = Pick<HumanCaller, 'tenant_id' | 'human_refs'>
type ApproverContext = Pick<OperationContext, 'accessControl'>

export async function isReviewer(
  { tenant_id, human_refs }: ApproverRefs,
  { accessControl }: ApproverContext,
): Promise<boolean> {
  const reviewers = (await accessControl.tenants.find(tenant_id))?.reviewers ?? []
  return human_refs.some((ref) => reviewers.includes(ref))
}
