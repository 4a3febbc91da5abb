import type { Handler } from '../operation-context.ts'
import { pageRequest } from '../pages.ts'
import { pageAnswer } from '../views/page-answer.ts'
import { verificationView } from '../views/verification-view.ts'

export const listVerifications: Handler<'listVerifications'> = async ({ caller, query }, { reader }) => {
  const { tenant_id } = caller
  const owner = caller.role === 'human' ? caller.human_ref : query.human_ref
  const filter = owner === undefined ? { tenant_id } : { tenant_id, owner }
  const page = await reader.registry.list('verification', filter, pageRequest(query))
  return pageAnswer(page, ({ document }) => verificationView(JSON.parse(document), caller.role))
}
