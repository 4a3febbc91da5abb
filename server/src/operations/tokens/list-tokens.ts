import { listVisibility } from '../list-visibility.ts'
import type { Handler } from '../operation-context.ts'
import { pageRequest } from '../pages.ts'
import { emptyPage } from '../views/page-answer.ts'
import { tokenPageAnswer } from '../views/token-view.ts'

export const listTokens: Handler<'listTokens'> = async ({ caller, query }, context) => {
  const visibility = listVisibility(caller, query)
  if (visibility === undefined) return emptyPage()
  const { assurance_level, provenance_ref } = query
  const filter = { ...visibility, assurance_level, provenance_ref }
  return tokenPageAnswer(await context.reader.tokens(filter, pageRequest(query)), context)
}
