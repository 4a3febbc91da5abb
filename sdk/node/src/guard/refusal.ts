import {
  CREDENTIAL_FAULTS,
  CredentialError,
  type CredentialFault,
  challenge,
} from '../../../../protocol/src/proof/credential-fault.ts'
import { DeputyError } from '../errors.ts'
import type { AuthorizeResponse } from '../generated/operations.ts'
import { TokenRefused } from '../verify-token.ts'

/** The response that a guard sends instead of the handler (RFC 9457). */
export interface RefusedAnswer {
  readonly status: number
  /** The same code as in the body. */
  readonly code: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

const TITLES = {
  credential_required: 'Missing token',
  credential_invalid: 'The token or its proof was rejected',
  not_allowed: 'The token does not allow this action',
  authority_unavailable: 'The authority service is unavailable',
} as const
type GuardCode = keyof typeof TITLES

function refusedAnswer(
  status: number,
  code: GuardCode,
  detail: string,
  members: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>>,
): RefusedAnswer {
  return {
    status,
    code,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...headers },
    body: { type: 'about:blank', title: TITLES[code], status, detail, code, ...members },
  }
}

/** 401: the credential is missing or invalid. */
function unauthenticated(
  fault: CredentialFault,
  detail: string,
  { reason, nonce }: { readonly reason?: string | undefined; readonly nonce?: string | undefined } = {},
): RefusedAnswer {
  const code = fault === 'credential_missing' ? 'credential_required' : 'credential_invalid'
  return refusedAnswer(401, code, detail, reason === undefined ? {} : { reason }, {
    'www-authenticate': challenge(fault),
    ...(nonce !== undefined && { 'dpop-nonce': nonce }),
  })
}

/** 403: the rules deny the action. */
export function notAllowed(detail: string, members: Readonly<Record<string, unknown>>): RefusedAnswer {
  return refusedAnswer(403, 'not_allowed', detail, members, {})
}

/** 503: the service could not decide. */
export function unavailable(detail: string): RefusedAnswer {
  return refusedAnswer(503, 'authority_unavailable', detail, {}, { 'retry-after': '1' })
}

/** 403 with the reasons of the decision. */
export function denied(
  decision: Pick<AuthorizeResponse, 'denial_id' | 'approval_id'> & { readonly reasons?: readonly string[] },
): RefusedAnswer {
  const { reasons = [], denial_id, approval_id } = decision
  const isAsked = approval_id !== undefined
  const detail = isAsked
    ? 'This action needs an approval. Send the request again with the header Deputy-Approval once it is approved.'
    : `The token does not allow this: ${reasons.join(', ')}.`
  return notAllowed(detail, {
    reason: reasons[0],
    reasons,
    ...(denial_id !== undefined && { denial_id }),
    ...(isAsked && { approval_id }),
  })
}

const UNAVAILABLE_CODES: readonly string[] = ['keys_unavailable', 'standing_unavailable']

/** The response for an error thrown while deciding. Errors that the caller did not cause are thrown again. */
export function refusalFor(error: unknown, nonce: () => string): RefusedAnswer {
  if (error instanceof TokenRefused) {
    if (UNAVAILABLE_CODES.includes(error.code)) return unavailable(error.message)
    return unauthenticated('token_refused', error.message, { reason: error.code })
  }
  if (error instanceof CredentialError) return credentialRefusal(error, nonce)
  if (!(error instanceof DeputyError)) throw error
  // The request was well-formed, so a 401 or 404 of the service concerns the token.
  if (error.status === 401 || error.status === 404)
    return unauthenticated('token_refused', 'The service rejected this token.', {
      reason: typeof error.problem.reason === 'string' ? error.problem.reason : error.code,
    })
  return notAllowed(error.message, { reason: error.code })
}

function credentialRefusal({ fault, reason, message }: CredentialError, nonce: () => string): RefusedAnswer {
  if (CREDENTIAL_FAULTS[fault].status === 503) return unavailable(`${message}.`)
  return unauthenticated(fault, `${message}.`, {
    ...(reason !== fault && { reason }),
    ...(fault === 'nonce_required' && { nonce: nonce() }),
  })
}
