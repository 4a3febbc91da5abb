import { rankOf } from '../../access/caller.ts'
import type { Handler } from '../operation-context.ts'
import { changeTokenSuspension } from './token-suspension.ts'

export const resumeToken: Handler<'resumeToken'> = (call, context) => {
  const { jti } = call.params
  return changeTokenSuspension(
    jti,
    { kind: 'resume', target: { vat_jti: jti }, rank: rankOf(call.caller) },
    call,
    context,
  )
}
