import { rankOf } from '../../access/caller.ts'
import type { Handler } from '../operation-context.ts'
import { changeTokenSuspension } from './token-suspension.ts'

export const suspendToken: Handler<'suspendToken'> = (call, context) => {
  const { jti } = call.params
  const { reason } = call.body
  return changeTokenSuspension(
    jti,
    { kind: 'suspend', target: { vat_jti: jti }, rank: rankOf(call.caller), reason },
    call,
    context,
  )
}
