import { AuthorityError, OAuthError } from '@deputize/protocol'
import type { RevokeOutcome } from '../../clerk/judges/revoke.ts'
import type { Handler, OperationCall, OperationContext } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'
import { issuedJti } from './token-verdict.ts'

/** Revocation by RFC 7009. A token that this service didn't issue isn't an error: it can't be used anyway. */
export const revokeOauthToken: Handler<'revokeOauthToken'> = async (call, context) => {
  const jti = await issuedJti(call.body.token, context)
  if (jti === undefined) return { revoked: true }
  await assertReach(jti, call, context)
  await submitCommand<RevokeOutcome>({ kind: 'revoke', vat_jti: jti, reason: undefined }, call, context)
  return { revoked: true }
}

/**
 * Refuses a token that the caller can't revoke. The caller holds the token, so confirming that it exists reveals
 * nothing. Without an error, the token would stay in force unnoticed.
 */
async function assertReach(
  vat_jti: string,
  { caller }: OperationCall<'revokeOauthToken'>,
  { accessControl }: OperationContext,
): Promise<void> {
  // Allowed even if the agent's token isn't in force, when it may call little else.
  if (caller.role === 'agent' && caller.jti === vat_jti) return
  try {
    const input = { params: undefined, query: undefined, body: { vat_jti } }
    await accessControl.keyed?.authorize(caller, 'revokeToken', input, undefined)
  } catch (error) {
    if (!(error instanceof AuthorityError)) throw error
    throw new OAuthError('unauthorized_client', "This client can't revoke this token.")
  }
}
