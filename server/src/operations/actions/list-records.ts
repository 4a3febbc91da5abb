import { recordView } from '../../domain/record.ts'
import { listVisibility } from '../list-visibility.ts'
import type { Handler } from '../operation-context.ts'
import { pageRequest, timeRange } from '../pages.ts'
import { emptyPage, pageAnswer } from '../views/page-answer.ts'

export const listRecords: Handler<'listRecords'> = async ({ caller, query }, { reader }) => {
  const visibility = listVisibility(caller, query)
  if (visibility === undefined) return emptyPage()
  const { action, resource, result, rating, state, evidence, assurance_level, provenance_ref } = query
  const filter = {
    ...visibility,
    action,
    resource,
    result,
    rating,
    state,
    evidence,
    assurance_level,
    provenance_ref,
    ...timeRange(query),
  }
  return pageAnswer(await reader.records(filter, pageRequest(query)), recordView)
}
