import type { Handler } from '../operation-context.ts'
import { pageRequest } from '../pages.ts'
import { keyView } from '../views/key-view.ts'
import { pageAnswer } from '../views/page-answer.ts'

export const listKeys: Handler<'listKeys'> = async ({ query, caller }, { reader }) => {
  const { tenant_id = caller.tenant_id } = query
  return pageAnswer(await reader.registry.list('api_key', { tenant_id }, pageRequest(query)), keyView)
}
