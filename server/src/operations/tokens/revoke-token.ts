import type { RevokeOutcome } from '../../clerk/judges/revoke.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { Handler } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'

export const revokeToken: Handler<'revokeToken'> = async (call, context) => {
  const { vat_jti, reason } = call.body
  const { revoked_at_ms, ...outcome } = await submitCommand<RevokeOutcome>(
    { kind: 'revoke', vat_jti, reason },
    call,
    context,
  )
  return { revoked: true, revoked_at: isoInstant(revoked_at_ms), ...outcome }
}
