import { recordView } from '../domain/record.ts'
import type { Handler } from './operation-context.ts'
import { emptyPage, pageAnswer, pageRequest, timeRange } from './pages.ts'
import { sightOf } from './sight.ts'

export const listRecords: Handler<'listRecords'> = async ({ caller, query }, { reader }) => {
  const sight = sightOf(caller, query)
  if (sight === undefined) return emptyPage()
  const { action, resource, result, rating, state, evidence, assurance_level, provenance_ref } = query
  const filter = {
    ...sight,
    action,
    resource,
    result,
    rating,
    state,
    evidence,
    assurance_level,
    provenance_ref,
  }
  return pageAnswer(await reader.records({ ...filter, ...timeRange(query) }, pageRequest(query)), recordView)
}
