import { listVisibility } from '../list-visibility.ts'
import type { Handler } from '../operation-context.ts'
import { pageRequest, timeRange } from '../pages.ts'
import { emptyPage, pageAnswer } from '../views/page-answer.ts'
import { workflowView } from '../views/workflow-view.ts'

export const listWorkflows: Handler<'listWorkflows'> = async ({ caller, query }, { reader }) => {
  const visibility = listVisibility(caller, query)
  if (visibility === undefined) return emptyPage()
  const filter = { ...visibility, ...timeRange(query) }
  return pageAnswer(await reader.workflows.list(filter, pageRequest(query)), workflowView)
}
