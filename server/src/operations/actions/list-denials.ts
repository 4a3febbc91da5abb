import { denialView } from '../../domain/denial.ts'
import { listVisibility } from '../lists/list-visibility.ts'
import { countedAnswer, listedPage } from '../lists/listed-page.ts'
import { timeRange } from '../lists/pages.ts'
import type { Handler } from '../operation-context.ts'
import { emptyPage } from '../views/page-answer.ts'

export const listDenials: Handler<'listDenials'> = async ({ caller, query }, { reader }) => {
  const visibility = listVisibility(caller, query)
  if (visibility === undefined) return emptyPage()
  const { assurance_level, provenance_ref, action, resource, reason } = query
  const named = { assurance_level, provenance_ref, action, resource, reason }
  const filter = { ...visibility, ...named, ...timeRange(query) }
  const page = await listedPage(query, {
    read: (request) => reader.denials(filter, request),
    count: () => reader.countDenials(filter),
  })
  return countedAnswer(page, denialView)
}
