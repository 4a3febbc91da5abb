import { AuthorityError } from '@deputize/protocol'
import { withdrawnAt } from '../../external/withdrawn-at.ts'
import type { Handler } from '../../operation-context.ts'
import { verificationView } from '../../views/verification-view.ts'
import { findVerification } from './verification-entries.ts'

export const getVerification: Handler<'getVerification'> = async ({ params, caller }, context) => {
  const known = await findVerification(params.id, context)
  if (known === undefined) throw new AuthorityError('verification_unknown')
  return verificationView(known.document, caller.role, await withdrawnAt(known.document, context))
}
