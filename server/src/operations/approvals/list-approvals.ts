import type { StoredApproval } from '../../domain/approval.ts'
import { DESK_NAME } from '../../domain/approvers.ts'
import type { ApprovalFilter, Page, PageRequest } from '../../store/port.ts'
import { approverNames } from '../approver-roles.ts'
import { callersAgent, listVisibility, visibleTenant } from '../list-visibility.ts'
import type { Handler, OperationContext } from '../operation-context.ts'
import { pageRequest, timeRange } from '../pages.ts'
import { approvalView } from '../views/approval-view.ts'
import { emptyPage, pageAnswer } from '../views/page-answer.ts'

export const listApprovals: Handler<'listApprovals'> = async ({ caller, query }, context) => {
  const { clock } = context
  const visibility = listVisibility(caller, query)
  const { state, assurance_level, provenance_ref } = query
  const others = { state, assurance_level, provenance_ref, ...timeRange(query) }
  const held = caller.role === 'safety' ? { approvers: [DESK_NAME] } : {}
  const filters: ApprovalFilter[] = visibility === undefined ? [] : [{ ...visibility, ...others, ...held }]
  if (caller.role === 'human') {
    const approvers = await approverNames(caller, context)
    const agent_id = query.agent_id === undefined ? undefined : callersAgent(caller, query.agent_id)
    filters.push({ ...visibleTenant(caller), agent_id, human_ref: query.human_ref, ...others, approvers })
  }
  const page = await approvalPage(filters, pageRequest(query), context)
  return page === undefined ? emptyPage() : pageAnswer(page, (approval) => approvalView(approval, clock()))
}

/** A page of the approvals that any of these filters matches, each once. */
async function approvalPage(
  filters: readonly ApprovalFilter[],
  request: PageRequest,
  { reader, clock }: OperationContext,
): Promise<Page<StoredApproval> | undefined> {
  const now_ms = clock()
  const pages = await Promise.all(filters.map((filter) => reader.approvals(filter, request, now_ms)))
  return pages.length === 0 ? undefined : mergedPage(pages, request.limit)
}

/** Pages of the same order as one. A page that ended early hides what the others hold below its end. */
function mergedPage(pages: readonly Page<StoredApproval>[], limit: number): Page<StoredApproval> {
  const ends = pages.flatMap(({ before }) => (before === undefined ? [] : [before]))
  const end = ends.length === 0 ? undefined : Math.max(...ends)
  const all = new Map(pages.flatMap(({ entries }) => entries.map((entry) => [entry.log_index, entry])))
  const found = [...all.values()]
    .filter(({ log_index }) => end === undefined || log_index >= end)
    .sort((a, b) => b.log_index - a.log_index)
  if (found.length <= limit) return { entries: found, before: end }
  const entries = found.slice(0, limit)
  return { entries, before: entries.at(-1)?.log_index }
}
