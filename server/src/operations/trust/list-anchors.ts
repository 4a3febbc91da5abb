import { visibleTenant } from '../lists/list-visibility.ts'
import { pageRequest } from '../lists/pages.ts'
import type { Handler } from '../operation-context.ts'
import { pageAnswer } from '../views/page-answer.ts'
import { anchorView } from '../views/vouch-view.ts'

export const listAnchors: Handler<'listAnchors'> = async ({ caller, query }, { reader }) =>
  pageAnswer(await reader.trust.anchors(visibleTenant(caller), pageRequest(query)), anchorView)
