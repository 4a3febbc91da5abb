import { denialView } from '../domain/denial.ts'
import type { Handler } from './operation-context.ts'
import { pageAnswer, pageRequest, timeRange } from './pages.ts'

export const listDenials: Handler<'listDenials'> = async ({ query }, { reader }) => {
  const { agent_id, assurance_level, human_ref, provenance_ref } = query
  return pageAnswer(
    await reader.denials(
      { agent_id, assurance_level, human_ref, provenance_ref, ...timeRange(query) },
      pageRequest(query),
    ),
    denialView,
  )
}
