import { denialView } from '../../domain/denial.ts'
import { listVisibility } from '../list-visibility.ts'
import type { Handler } from '../operation-context.ts'
import { pageRequest, timeRange } from '../pages.ts'
import { emptyPage, pageAnswer } from '../views/page-answer.ts'

export const listDenials: Handler<'listDenials'> = async ({ caller, query }, { reader }) => {
  const visibility = listVisibility(caller, query)
  if (visibility === undefined) return emptyPage()
  const { assurance_level, provenance_ref } = query
  const filter = { ...visibility, assurance_level, provenance_ref, ...timeRange(query) }
  return pageAnswer(await reader.denials(filter, pageRequest(query)), denialView)
}
