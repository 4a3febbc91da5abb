import { listedEntries } from '../../lists/listed-entries.ts'
import type { Handler } from '../../operation-context.ts'
import { pageAnswer } from '../../views/page-answer.ts'
import { passkeyView } from '../../views/passkey-view.ts'

export const listPasskeys: Handler<'listPasskeys'> = async ({ caller, query }, context) =>
  pageAnswer(
    await listedEntries('passkey', caller, query, context),
    ({ id, owner: human_ref = '', document }) =>
      passkeyView({ id, human_ref, document: JSON.parse(document) }),
  )
