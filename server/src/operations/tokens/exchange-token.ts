import {
  AuthorityError,
  type Claims,
  CredentialError,
  OAuthError,
  OPERATIONS,
  plainAgent,
  TOKEN_EXCHANGE,
  TOKEN_TYPE_ACCESS,
  TOKEN_TYPE_JWT,
  tenantOf,
  verifyProof,
} from '@deputize/protocol'
import type { Token } from '../../domain/tokens/token.ts'
import type { Handler, OperationCall, OperationContext, UntypedCall } from '../operation-context.ts'
import { type DelegationBody, issueChild } from './delegation.ts'
import { oauthScope, readOauthScope, tokenType } from './oauth-scope.ts'
import { tokenVerdict } from './token-verdict.ts'

type ExchangeCall = OperationCall<'exchangeToken'>

/**
 * Delegation by RFC 8693: the subject token is the parent, and possessing it and its key gives the right to delegate.
 * The new token is bound to the key of the proof, or to that of the actor.
 */
export const exchangeToken: Handler<'exchangeToken'> = async (call, context) => {
  const { body } = call
  assertSupported(body)
  const subject = await liveToken(body.subject_token, 'subject_token', context)
  if (call.caller.role === 'agent' && call.caller.jti !== subject.jti)
    throw new AuthorityError('not_yours', 'The subject_token must be the token in the Authorization header.')
  const actor = await actorOf(body, subject, context)
  const audience = audienceOf(body)
  const key = await proofKey(call, context)
  const { claims, compact_jwt } = await issueChildForOauth(
    {
      vat_jti: subject.jti,
      agent_id: body.agent_id ?? plainAgent((actor ?? subject).agent_id),
      ...(body.scope !== undefined && readOauthScope(body.scope)),
      ...(audience !== undefined && { audience }),
      ...(body.expires_in !== undefined && { expires_in: body.expires_in }),
      ...(key !== undefined && { agent_jwk: { ...key } }),
    },
    call,
    context,
    actor?.claims.cnf === undefined ? undefined : { cnf: actor.claims.cnf },
  )
  return {
    access_token: compact_jwt,
    issued_token_type: body.requested_token_type === TOKEN_TYPE_ACCESS ? TOKEN_TYPE_ACCESS : TOKEN_TYPE_JWT,
    token_type: tokenType(claims),
    expires_in: Math.max(0, claims.exp - Math.floor(context.clock() / 1000)),
    scope: oauthScope(claims.svc_scope),
  }
}

async function liveToken(compact_jwt: string, name: string, context: OperationContext): Promise<Token> {
  const { reason, chain } = await tokenVerdict(compact_jwt, undefined, context)
  if (reason !== undefined) throw new OAuthError('invalid_request', `The ${name} is not valid: ${reason}.`)
  return chain[0].token
}

/** Returns the token of the agent that gets the child token. It shows that the agent exists, in the same tenant. */
async function actorOf(
  { actor_token, actor_token_type, agent_id }: ExchangeCall['body'],
  subject: Token,
  context: OperationContext,
): Promise<Token | undefined> {
  if ((actor_token === undefined) !== (actor_token_type === undefined))
    throw new OAuthError('invalid_request', 'Send actor_token and actor_token_type together.')
  if (actor_token === undefined) return undefined
  if (!isTokenType(actor_token_type))
    throw new OAuthError('invalid_request', `The actor_token_type must be ${TOKEN_TYPE_JWT}.`)
  const actor = await liveToken(actor_token, 'actor_token', context)
  if (tenantOf(actor.agent_id) !== tenantOf(subject.agent_id))
    throw new OAuthError('invalid_request', 'The actor_token belongs to another tenant.')
  if (agent_id !== undefined && agent_id !== plainAgent(actor.agent_id))
    throw new OAuthError('invalid_request', 'The agent_id must be the agent of the actor_token.')
  return actor
}

/** Returns the audience. By RFC 8707, the resource is an absolute URI without a fragment. A token has one audience. */
function audienceOf({ audience, resource }: ExchangeCall['body']): string | undefined {
  if (resource === undefined) return audience
  if (!URL.canParse(resource) || resource.includes('#'))
    throw new OAuthError('invalid_target', 'The resource must be an absolute URI without a fragment.')
  if (audience !== undefined && audience !== resource)
    throw new OAuthError('invalid_target', 'A token has one audience: audience and resource must be equal.')
  return resource
}

/** Returns the key of the request's proof. In open mode the proof hasn't been verified yet. */
async function proofKey({ caller, proof, origin }: ExchangeCall, { clock }: OperationContext) {
  if (caller.role === 'agent') return caller.proof_key
  if (proof === undefined) return undefined
  const url = `${origin}${OPERATIONS.exchangeToken.path}`
  try {
    const expected = { method: 'POST', url, ath: undefined, jkt: undefined, now_ms: clock() }
    return (await verifyProof(proof, expected)).holder
  } catch (error) {
    if (error instanceof CredentialError) throw new OAuthError('invalid_dpop_proof', `${error.message}.`)
    throw error
  }
}

function isTokenType(name: string | undefined): boolean {
  return name === TOKEN_TYPE_JWT || name === TOKEN_TYPE_ACCESS
}

/** Refuses other grant types. Clients of other grants send different parameters, so this is checked first. */
export function assertGrantType(grant_type: string): void {
  if (grant_type !== TOKEN_EXCHANGE)
    throw new OAuthError('unsupported_grant_type', `The grant_type must be ${TOKEN_EXCHANGE}.`)
}

function assertSupported({
  grant_type,
  subject_token_type,
  requested_token_type,
}: ExchangeCall['body']): void {
  assertGrantType(grant_type)
  if (!isTokenType(subject_token_type))
    throw new OAuthError('invalid_request', `The subject_token_type must be ${TOKEN_TYPE_JWT}.`)
  if (requested_token_type !== undefined && !isTokenType(requested_token_type))
    throw new OAuthError('invalid_request', `The requested_token_type must be ${TOKEN_TYPE_ACCESS}.`)
}

async function issueChildForOauth(
  body: DelegationBody,
  call: UntypedCall,
  context: OperationContext,
  confirmation: Pick<Claims, 'cnf'> | undefined,
) {
  try {
    return await issueChild(body, call, context, confirmation)
  } catch (error) {
    throw error instanceof AuthorityError && error.code === 'scope_widening' ? oauthWidening(error) : error
  }
}

/** Converts a `scope_widening` error to OAuth's own error codes for a request that goes beyond the parent. */
function oauthWidening({ message, members }: AuthorityError): OAuthError {
  const widening = members.widening as readonly string[] // every `scope_widening` error of a delegation lists it
  if (widening.some((entry) => entry.startsWith('audience: ')))
    return new OAuthError('invalid_target', message)
  return new OAuthError(
    widening.every((entry) => entry === 'expires_in') ? 'invalid_request' : 'invalid_scope',
    message,
  )
}
