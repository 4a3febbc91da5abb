import { recordView } from '../../domain/record.ts'
import { listVisibility } from '../lists/list-visibility.ts'
import { pageRequest } from '../lists/pages.ts'
import { recordFilter } from '../lists/record-filter.ts'
import type { Handler } from '../operation-context.ts'
import { emptyPage, pageAnswer } from '../views/page-answer.ts'

export const listRecords: Handler<'listRecords'> = async ({ caller, query }, { reader }) => {
  const visibility = listVisibility(caller, query)
  if (visibility === undefined) return emptyPage()
  const { assurance_level, provenance_ref } = query
  const filter = { ...visibility, assurance_level, provenance_ref, ...recordFilter(query) }
  return pageAnswer(await reader.records(filter, pageRequest(query)), recordView)
}
