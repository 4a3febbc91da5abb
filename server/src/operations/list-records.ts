import { recordView } from '../domain/record.ts'
import type { Handler } from './operation-context.ts'
import { pageAnswer, pageRequest, timeRange } from './pages.ts'

export const listRecords: Handler<'listRecords'> = async ({ query }, { reader }) => {
  const { agent_id, action, resource, result, rating, state, assurance_level, human_ref, provenance_ref } =
    query
  const filter = {
    agent_id,
    action,
    resource,
    result,
    rating,
    state,
    assurance_level,
    human_ref,
    provenance_ref,
  }
  return pageAnswer(await reader.records({ ...filter, ...timeRange(query) }, pageRequest(query)), recordView)
}
