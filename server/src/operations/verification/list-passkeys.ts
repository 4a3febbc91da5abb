import type { Handler } from '../operation-context.ts'
import { pageRequest } from '../pages.ts'
import { pageAnswer } from '../views/page-answer.ts'
import { passkeyView } from '../views/passkey-view.ts'

export const listPasskeys: Handler<'listPasskeys'> = async ({ caller, query }, { reader }) => {
  const { tenant_id } = caller
  const owner = caller.role === 'human' ? caller.human_ref : query.human_ref
  const filter = owner === undefined ? { tenant_id } : { tenant_id, owner }
  const page = await reader.registry.list('passkey', filter, pageRequest(query))
  return pageAnswer(page, ({ id, owner: human_ref = '', document }) =>
    passkeyView({ id, human_ref, document: JSON.parse(document) }),
  )
}
