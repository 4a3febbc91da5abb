import { withdrawnAt } from '../../external/withdrawn-at.ts'
import { listedEntries } from '../../lists/listed-entries.ts'
import type { Handler } from '../../operation-context.ts'
import { pageAnswer } from '../../views/page-answer.ts'
import { type VerificationDocument, verificationView } from '../../views/verification-view.ts'

export const listVerifications: Handler<'listVerifications'> = async ({ caller, query }, context) => {
  const page = await listedEntries('verification', caller, query, context)
  const documents = page.entries.map(({ document }): VerificationDocument => JSON.parse(document))
  const withdrawn = await Promise.all(documents.map((document) => withdrawnAt(document, context)))
  const views = documents.map((document, at) => verificationView(document, caller.role, withdrawn[at]))
  return pageAnswer({ ...page, entries: views }, (view) => view)
}
