import { AuthorityError } from '@deputize/protocol'
import type { StoredApproval } from '../../domain/approvals/approval.ts'
import type { OperationContext } from '../operation-context.ts'

/** Returns an approval request, or throws `approval_unknown`. */
export async function loadApproval(
  approval_id: string,
  { reader }: Pick<OperationContext, 'reader'>,
): Promise<StoredApproval> {
  const approval = await reader.approval(approval_id)
  if (approval === undefined) throw new AuthorityError('approval_unknown')
  return approval
}
