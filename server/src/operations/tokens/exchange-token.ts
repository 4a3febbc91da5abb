import {
  AuthorityError,
  OAuthError,
  plainAgent,
  TOKEN_EXCHANGE,
  TOKEN_TYPE_ACCESS,
  TOKEN_TYPE_JWT,
} from '@deputize/protocol'
import type { Handler, OperationCall, OperationContext, UntypedCall } from '../operation-context.ts'
import { type DelegationBody, issueChild } from './delegation.ts'
import { oauthScope, readOauthScope } from './oauth-scope.ts'
import { tokenVerdict } from './token-verdict.ts'

/** Delegation by RFC 8693: the subject token is the parent, and possession of it is the right to delegate. */
export const exchangeToken: Handler<'exchangeToken'> = async (call, context) => {
  const { body } = call
  assertSupported(body)
  const { reason, chain } = await tokenVerdict(body.subject_token, undefined, context)
  if (reason !== undefined)
    throw new OAuthError('invalid_request', `The subject_token is not valid: ${reason}.`)
  if (call.caller.role === 'agent' && call.caller.jti !== chain[0].token.jti)
    throw new AuthorityError('not_yours', 'The subject_token must be the token in the Authorization header.')
  const { claims, compact_jwt } = await issueChildForOauth(
    {
      vat_jti: chain[0].token.jti,
      agent_id: body.agent_id ?? plainAgent(chain[0].token.agent_id),
      ...(body.scope !== undefined && readOauthScope(body.scope)),
      ...(body.audience !== undefined && { audience: body.audience }),
      ...(body.expires_in !== undefined && { expires_in: body.expires_in }),
    },
    call,
    context,
  )
  return {
    access_token: compact_jwt,
    issued_token_type: TOKEN_TYPE_JWT,
    // "Bearer" would mean that the token alone is accepted in an Authorization header, and it is not.
    token_type: 'N_A',
    expires_in: Math.max(0, claims.exp - Math.floor(context.clock() / 1000)),
    scope: oauthScope(claims.svc_scope),
  }
}

function assertSupported({
  grant_type,
  subject_token_type,
  requested_token_type,
}: OperationCall<'exchangeToken'>['body']): void {
  if (grant_type !== TOKEN_EXCHANGE)
    throw new OAuthError('unsupported_grant_type', `The grant_type must be ${TOKEN_EXCHANGE}.`)
  if (subject_token_type !== TOKEN_TYPE_JWT && subject_token_type !== TOKEN_TYPE_ACCESS)
    throw new OAuthError('invalid_request', `The subject_token_type must be ${TOKEN_TYPE_JWT}.`)
  if (requested_token_type !== undefined && requested_token_type !== TOKEN_TYPE_JWT)
    throw new OAuthError('invalid_request', `The requested_token_type must be ${TOKEN_TYPE_JWT}.`)
}

async function issueChildForOauth(body: DelegationBody, call: UntypedCall, context: OperationContext) {
  try {
    return await issueChild(body, call, context)
  } catch (error) {
    throw error instanceof AuthorityError && error.code === 'scope_widening' ? oauthWidening(error) : error
  }
}

/** OAuth has its own error codes for a request that goes beyond the parent. */
function oauthWidening({ message, members }: AuthorityError): OAuthError {
  const widening = members.widening as readonly string[] // every `scope_widening` error of a delegation lists it
  if (widening.some((entry) => entry.startsWith('audience: ')))
    return new OAuthError('invalid_target', message)
  return new OAuthError(
    widening.every((entry) => entry === 'expires_in') ? 'invalid_request' : 'invalid_scope',
    message,
  )
}
