import { listVisibility } from '../list-visibility.ts'
import type { Handler } from '../operation-context.ts'
import { pageRequest, timeRange } from '../pages.ts'
import { approvalView } from '../views/approval-view.ts'
import { emptyPage, pageAnswer } from '../views/page-answer.ts'

export const listApprovals: Handler<'listApprovals'> = async ({ caller, query }, { reader, clock }) => {
  const visibility = listVisibility(caller, query)
  if (visibility === undefined) return emptyPage()
  const { state, assurance_level, provenance_ref } = query
  const filter = { ...visibility, state, assurance_level, provenance_ref, ...timeRange(query) }
  const page = await reader.approvals(filter, pageRequest(query), clock())
  return pageAnswer(page, (approval) => approvalView(approval, clock()))
}
