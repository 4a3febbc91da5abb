import { isoInstant } from '../../../domain/times/time.ts'
import { loginUseKey, ownLogin } from '../../identity/logins.ts'
import type { Handler } from '../../operation-context.ts'

export const getLogin: Handler<'getLogin'> = async ({ params, caller }, context) => {
  const { login_id, status, reason, expires_at_ms } = await ownLogin(params.id, caller, context)
  const isUsed = (await context.ephemeral.get('login', loginUseKey(login_id))) !== undefined
  return {
    login_id,
    status: isUsed ? 'used' : status,
    ...(reason !== undefined && { reason }),
    expires_at: isoInstant(expires_at_ms),
  }
}
