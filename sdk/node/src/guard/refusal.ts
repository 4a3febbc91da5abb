import { withAdvice } from '../../../../protocol/src/api/actions/denial-text.ts'
import {
  CREDENTIAL_FAULTS,
  CredentialError,
  type CredentialFault,
  challenge,
} from '../../../../protocol/src/proof/credential-fault.ts'
import { DeputyError } from '../errors.ts'
import type { DenialDetail, DeniedDecision } from '../generated/operations.ts'
import { TokenRefused } from '../verify/verify-token.ts'
import { BodyTooLarge } from './request-body.ts'

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
  body_too_large: 'The body is too long',
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
    body: { type: `/problems/${code}`, title: TITLES[code], status, detail, code, ...members },
  }
}

interface ChallengeFacts {
  readonly reason?: string | undefined
  readonly nonce?: string | undefined
  /** Where this API describes itself (RFC 9728). */
  readonly metadata_url: string | undefined
}

/** 401: the credential is missing or invalid. */
function unauthenticated(
  fault: CredentialFault,
  detail: string,
  { reason, nonce, metadata_url }: ChallengeFacts,
): RefusedAnswer {
  const code = fault === 'credential_missing' ? 'credential_required' : 'credential_invalid'
  return refusedAnswer(401, code, detail, reason === undefined ? {} : { reason }, {
    'www-authenticate': challenge(fault, metadata_url),
    ...(nonce !== undefined && { 'dpop-nonce': nonce }),
  })
}

/** 403: the rules deny the action. */
export function notAllowed(detail: string, members: Readonly<Record<string, unknown>>): RefusedAnswer {
  return refusedAnswer(403, 'not_allowed', detail, members, {})
}

/** Returns the members of a refusal for one reason. */
export function withReason(reason: string): Readonly<Record<string, unknown>> {
  return { reason, reasons: [reason] }
}

/** 503: the service could not decide. */
export function unavailable(detail: string, retry_after_s = 1): RefusedAnswer {
  return refusedAnswer(503, 'authority_unavailable', detail, {}, { 'retry-after': String(retry_after_s) })
}

/** 403: an approval covers the body, and this route does not know it. */
export function approvalNotBound(): RefusedAnswer {
  return notAllowed(
    'This action needs an approval, and this route accepts none, because it does not bind the body. Ask the person who granted the token for one that needs no approval for it.',
    withReason('approval_not_bound'),
  )
}

/** Why a request was denied. */
interface Denial extends Pick<DeniedDecision, 'denial_id' | 'approval_id'> {
  readonly reasons: readonly string[]
  readonly details?: readonly DenialDetail[]
}

/** 403 with the decision's reasons and what would help, in the service's wording. */
export function denied({ reasons, details, denial_id, approval_id }: Denial): RefusedAnswer {
  const said = withAdvice('The token does not allow this', reasons, details)
  return notAllowed(approval_id === undefined ? said : `${said} ${afterApproval(approval_id)}`, {
    reason: reasons[0],
    reasons,
    ...(details !== undefined && { details }),
    ...(denial_id !== undefined && { denial_id }),
    ...(approval_id !== undefined && { approval_id }),
  })
}

function afterApproval(approval_id: string): string {
  return `GET /v1/vat/approvals/${approval_id} of the authority service shows when it is approved. Then send the same request again with the header Deputy-Approval: ${approval_id}.`
}

const UNAVAILABLE_CODES: readonly string[] = ['keys_unavailable', 'standing_unavailable']

const OUT_OF_FORCE_CODES: readonly string[] = ['token_revoked', 'token_suspended']

/** Returns the response for an error thrown while deciding. Rethrows errors that the caller did not cause. */
export function refusalFor(
  error: unknown,
  nonce: () => string,
  metadata_url: string | undefined,
): RefusedAnswer {
  if (error instanceof BodyTooLarge)
    return refusedAnswer(413, 'body_too_large', error.message, {}, { connection: 'close' })
  if (error instanceof TokenRefused) {
    const { code, message } = error
    if (UNAVAILABLE_CODES.includes(code)) return unavailable(message)
    if (OUT_OF_FORCE_CODES.includes(code)) return denied({ reasons: [code] })
    return unauthenticated('token_refused', message, { reason: code, metadata_url })
  }
  if (error instanceof CredentialError) return credentialRefusal(error, nonce, metadata_url)
  if (!(error instanceof DeputyError)) throw error
  // The request was well-formed, so a 401 or 404 from the service concerns the token.
  if (error.status === 401 || error.status === 404)
    return unauthenticated('token_refused', 'The service rejected this token.', {
      reason: typeof error.problem.reason === 'string' ? error.problem.reason : error.code,
      metadata_url,
    })
  if (error.code === 'not_yours') return notAllowed(NOT_YOURS, withReason('not_yours'))
  return notAllowed(error.message, withReason(error.code))
}

const NOT_YOURS =
  'The token was issued for another tenant or audience. Ask the person who granted it for a token for this API.'

const MISSING_TOKEN = "Send the agent's token in the Authorization header (DPoP or Bearer)."

function credentialRefusal(
  { fault, reason, message }: CredentialError,
  nonce: () => string,
  metadata_url: string | undefined,
): RefusedAnswer {
  if (CREDENTIAL_FAULTS[fault].status === 503) return unavailable(`${message}.`)
  const isMissing = fault === 'credential_missing'
  return unauthenticated(fault, isMissing ? MISSING_TOKEN : `${message}.`, {
    ...(!isMissing && { reason }),
    ...(fault === 'nonce_required' && { nonce: nonce() }),
    metadata_url,
  })
}
