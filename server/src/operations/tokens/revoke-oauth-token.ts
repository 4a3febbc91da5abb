import { AuthorityError, OAuthError } from '@deputize/protocol'
import type { RevokeOutcome } from '../../clerk/judges/revoke.ts'
import type { Handler, OperationCall, OperationContext } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'
import { issuedJti } from './token-verdict.ts'

/** Revocation by RFC 7009. A token that this service did not issue is not an error: it is as good as revoked. */
export const revokeOauthToken: Handler<'revokeOauthToken'> = async (call, context) => {
  const jti = await issuedJti(call.body.token, context)
  if (jti === undefined) return { revoked: true }
  await assertReach(jti, call, context)
  await submitCommand<RevokeOutcome>({ kind: 'revoke', vat_jti: jti, reason: undefined }, call, context)
  return { revoked: true }
}

/** The caller holds the token, so saying that it exists reveals nothing. Saying nothing would leave it in force unnoticed. */
async function assertReach(
  vat_jti: string,
  { caller }: OperationCall<'revokeOauthToken'>,
  { accessControl }: OperationContext,
): Promise<void> {
  // Also if its token is not in force: then the agent may call little else.
  if (caller.role === 'agent' && caller.jti === vat_jti) return
  try {
    const input = { params: undefined, query: undefined, body: { vat_jti } }
    await accessControl.keyed?.authorize(caller, 'revokeToken', input, undefined)
  } catch (error) {
    if (!(error instanceof AuthorityError)) throw error
    throw new OAuthError('unauthorized_client', "This client can't revoke this token.")
  }
}
