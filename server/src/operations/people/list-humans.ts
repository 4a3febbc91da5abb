import { visibleTenant } from '../lists/list-visibility.ts'
import { pageRequest } from '../lists/pages.ts'
import type { Handler } from '../operation-context.ts'
import { humanView } from '../views/human-view.ts'
import { pageAnswer } from '../views/page-answer.ts'

export const listHumans: Handler<'listHumans'> = async ({ caller, query }, { reader, clock }) =>
  pageAnswer(await reader.people(visibleTenant(caller), pageRequest(query), clock()), humanView)
