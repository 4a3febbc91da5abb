import { recordView } from '../../domain/record.ts'
import { listVisibility } from '../list-visibility.ts'
import type { Handler } from '../operation-context.ts'
import { pageRequest } from '../pages.ts'
import { recordFilter } from '../record-filter.ts'
import { emptyPage, pageAnswer } from '../views/page-answer.ts'

export const listRecords: Handler<'listRecords'> = async ({ caller, query }, { reader }) => {
  const visibility = listVisibility(caller, query)
  if (visibility === undefined) return emptyPage()
  const { assurance_level, provenance_ref } = query
  const filter = { ...visibility, assurance_level, provenance_ref, ...recordFilter(query) }
  return pageAnswer(await reader.records(filter, pageRequest(query)), recordView)
}
