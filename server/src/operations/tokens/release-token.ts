import type { ReleaseOutcome } from '../../clerk/judges/release.ts'
import { type Handler, submitCommand } from '../operation-context.ts'
import { assertDesk } from '../review-desk.ts'

export const releaseToken: Handler<'releaseToken'> = async (call, context) => {
  assertDesk(call.caller)
  const { jti } = call.params
  await submitCommand<ReleaseOutcome>({ kind: 'release', vat_jti: jti }, call, context)
  return { released: true, jti }
}
