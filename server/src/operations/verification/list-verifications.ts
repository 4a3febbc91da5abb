import { withdrawnAt } from '../external/withdrawn-at.ts'
import type { Handler } from '../operation-context.ts'
import { pageRequest } from '../pages.ts'
import { pageAnswer } from '../views/page-answer.ts'
import { type VerificationDocument, verificationView } from '../views/verification-view.ts'

export const listVerifications: Handler<'listVerifications'> = async ({ caller, query }, context) => {
  const { tenant_id } = caller
  const owner = caller.role === 'human' ? caller.human_ref : query.human_ref
  const filter = owner === undefined ? { tenant_id } : { tenant_id, owner }
  const page = await context.reader.registry.list('verification', filter, pageRequest(query))
  const documents = page.entries.map(({ document }): VerificationDocument => JSON.parse(document))
  const withdrawn = await Promise.all(documents.map((document) => withdrawnAt(document, context)))
  const views = documents.map((document, at) => verificationView(document, caller.role, withdrawn[at]))
  return pageAnswer({ ...page, entries: views }, (view) => view)
}
