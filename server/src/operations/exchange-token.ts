import {
  AuthorityError,
  OAuthError,
  plainAgent,
  TEXT_FORMATS,
  TOKEN_EXCHANGE,
  TOKEN_TYPE_ACCESS,
  TOKEN_TYPE_JWT,
} from '@deputize/protocol'
import { type DelegationBody, delegateAs } from './delegate.ts'
import type { Call, CallEnvelope, Handler, OperationContext } from './operation-context.ts'
import { examine, scopeText } from './verification.ts'

const MAX_NAMES = 256

/** Delegation as RFC 8693 has it: the subject token is the parent, and holding it is the right to pass it on. */
export const exchangeToken: Handler<'exchangeToken'> = async (call, context) => {
  const { body } = call
  assertExchange(body)
  const { reason, chain } = await examine(body.subject_token, undefined, context)
  if (reason !== undefined)
    throw new OAuthError('invalid_request', `The subject_token is not valid: ${reason}.`)
  if (call.caller.role === 'agent' && call.caller.jti !== chain[0].token.jti)
    throw new AuthorityError('not_yours', 'The subject_token must be the token in the Authorization header.')
  const { claims, compact_jwt } = await delegated(
    {
      vat_jti: chain[0].token.jti,
      agent_id: body.agent_id ?? plainAgent(chain[0].token.agent_id),
      ...(body.scope !== undefined && scopeOf(body.scope)),
      ...(body.audience !== undefined && { audience: body.audience }),
      ...(body.expires_in !== undefined && { expires_in: body.expires_in }),
    },
    call,
    context,
  )
  return {
    access_token: compact_jwt,
    issued_token_type: TOKEN_TYPE_JWT,
    // Bearer would promise that the token opens doors in an Authorization header, which it does not.
    token_type: 'N_A',
    expires_in: Math.max(0, claims.exp - Math.floor(context.clock() / 1000)),
    scope: scopeText(claims.svc_scope),
  }
}

function assertExchange({
  grant_type,
  subject_token_type,
  requested_token_type,
}: Call<'exchangeToken'>['body']): void {
  if (grant_type !== TOKEN_EXCHANGE)
    throw new OAuthError('unsupported_grant_type', `The grant_type must be ${TOKEN_EXCHANGE}.`)
  if (subject_token_type !== TOKEN_TYPE_JWT && subject_token_type !== TOKEN_TYPE_ACCESS)
    throw new OAuthError('invalid_request', `The subject_token_type must be ${TOKEN_TYPE_JWT}.`)
  if (requested_token_type !== undefined && requested_token_type !== TOKEN_TYPE_JWT)
    throw new OAuthError('invalid_request', `The requested_token_type must be ${TOKEN_TYPE_JWT}.`)
}

/** The names in a list of pairs. An action ends at the first @, for names of resources often hold one. */
function scopeOf(scope: string): { actions: string[]; resources: string[] } {
  const pairs = scope.split(' ').filter((pair) => pair !== '')
  const actions = new Set<string>()
  const resources = new Set<string>()
  for (const pair of pairs) {
    const at = pair.indexOf('@')
    const [action, resource] = [pair.slice(0, Math.max(at, 0)), pair.slice(at + 1)]
    if (!TEXT_FORMATS.action.check(action) || !TEXT_FORMATS['resource-pattern'].check(resource))
      throw new OAuthError('invalid_scope', `A scope is a list of action@resource pairs; ${pair} is none.`)
    actions.add(action)
    resources.add(resource)
  }
  if (actions.size === 0) throw new OAuthError('invalid_scope', 'The scope is empty.')
  if (actions.size > MAX_NAMES || resources.size > MAX_NAMES)
    throw new OAuthError('invalid_scope', `A scope has at most ${MAX_NAMES} actions and resources.`)
  return { actions: [...actions], resources: [...resources] }
}

async function delegated(
  body: DelegationBody,
  call: CallEnvelope & { params: unknown; body: unknown },
  context: OperationContext,
) {
  try {
    return await delegateAs(body, call, context)
  } catch (error) {
    throw error instanceof AuthorityError && error.code === 'scope_widening' ? wideningOf(error) : error
  }
}

/** OAuth has words of its own for what goes beyond the parent. */
function wideningOf({ message, members }: AuthorityError): OAuthError {
  const widening = members.widening as readonly string[] // every refusal of this code lists it
  if (widening.some((entry) => entry.startsWith('audience: ')))
    return new OAuthError('invalid_target', message)
  return new OAuthError(
    widening.every((entry) => entry === 'expires_in') ? 'invalid_request' : 'invalid_scope',
    message,
  )
}
