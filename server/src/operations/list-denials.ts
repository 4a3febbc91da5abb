import { denialView } from '../domain/denial.ts'
import type { Handler } from './operation-context.ts'
import { emptyPage, pageAnswer, pageRequest, timeRange } from './pages.ts'
import { sightOf } from './sight.ts'

export const listDenials: Handler<'listDenials'> = async ({ caller, query }, { reader }) => {
  const sight = sightOf(caller, query)
  if (sight === undefined) return emptyPage()
  const { assurance_level, provenance_ref } = query
  return pageAnswer(
    await reader.denials(
      { ...sight, assurance_level, provenance_ref, ...timeRange(query) },
      pageRequest(query),
    ),
    denialView,
  )
}
