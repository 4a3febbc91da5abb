import type { Handler } from '../operation-context.ts'
import { oauthScope, tokenType } from './oauth-scope.ts'
import { tokenVerdict } from './token-verdict.ts'

/** Doesn't say why a token is inactive: RFC 7662 withholds that from callers that may not be entitled to know. */
export const introspectToken: Handler<'introspectToken'> = async ({ body }, context) => {
  const { reason, chain } = await tokenVerdict(body.token, undefined, context)
  if (reason !== undefined) return { active: false }
  const { claims, scope } = chain[0].token
  return {
    ...claims,
    active: true,
    scope: oauthScope(scope),
    client_id: claims.sub,
    token_type: tokenType(claims),
  }
}
