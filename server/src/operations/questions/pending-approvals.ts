import type { HumanCaller } from '../../access/caller.ts'
import type { StoredApproval } from '../../domain/approvals/approval.ts'
import { type ApprovalFilter, EVERY_RECORD } from '../../store/port/filters.ts'
import { eachEntry } from '../lists/pages.ts'
import type { OperationContext } from '../operation-context.ts'
import { approverNames } from './approver-roles.ts'

/** The most questions of one kind that are read. */
const MOST_READ = 1_000

/** Returns the questions waiting for a person, as owner of the agent or as an approver, in order of expiry. */
export async function pendingApprovals(
  person: Pick<HumanCaller, 'tenant_id' | 'human_refs'>,
  context: OperationContext,
): Promise<StoredApproval[]> {
  const { tenant_id, human_refs } = person
  const pending = { ...EVERY_RECORD, tenant_id, state: 'pending' } as const
  const filters = [
    ...human_refs.map((human_ref) => ({ ...pending, human_ref })),
    { ...pending, approvers: await approverNames(person, context) },
  ]
  const lists = await Promise.all(filters.map((filter) => newest(filter, context)))
  const found = new Map(lists.flat().map((one) => [one.approval_id, one]))
  return [...found.values()].sort((a, b) => a.expires_at_ms - b.expires_at_ms || a.log_index - b.log_index)
}

async function newest(
  filter: ApprovalFilter,
  { reader, clock }: OperationContext,
): Promise<StoredApproval[]> {
  const found: StoredApproval[] = []
  for await (const approval of eachEntry((page) => reader.approvals(filter, page, clock()))) {
    found.push(approval)
    if (found.length === MOST_READ) break
  }
  return found
}
