import type { CredentialFault } from '../proof/credential-fault.ts'
import { type AuthorityError, ERRORS, type ErrorCode } from './errors.ts'

/** The error codes of RFC 6749 section 5.2, RFC 7009, RFC 8693, RFC 8707 and RFC 9449 that this service uses. */
export const OAUTH_ERRORS = [
  'invalid_request',
  'invalid_client',
  'invalid_scope',
  'invalid_target',
  'invalid_dpop_proof',
  'use_dpop_nonce',
  'unauthorized_client',
  'unsupported_grant_type',
  'temporarily_unavailable',
  'server_error',
] as const
export type OAuthErrorWord = (typeof OAUTH_ERRORS)[number]

/** An error in the form that OAuth clients expect. The message is safe to show. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  readonly error: OAuthErrorWord
  readonly status: number

  constructor(error: OAuthErrorWord, description: string, status = 400) {
    super(description)
    this.error = error
    this.status = status
  }
}

/** Errors about the client. All others that a caller can fix are `invalid_request`. */
const WORDS: Partial<Record<ErrorCode, OAuthErrorWord>> = {
  credential_required: 'invalid_client',
  role_not_allowed: 'unauthorized_client',
  not_yours: 'unauthorized_client',
  scope_widening: 'invalid_scope',
}

/** Statuses that OAuth keeps; everything else is 400. */
const STATUSES: readonly number[] = [401, 413, 415]

/** The OAuth form of a refusal. RFC 8693 requires `invalid_request` for a subject token that is not valid or accepted. */
export function oauthErrorOf(error: AuthorityError, fault?: CredentialFault): OAuthError {
  const { status } = ERRORS[error.code]
  if (status === 429 || status === 503)
    return new OAuthError('temporarily_unavailable', error.message, status)
  if (status >= 500) return new OAuthError('server_error', error.message, status)
  if (fault !== undefined) return credentialError(error.message, fault)
  const word = WORDS[error.code] ?? 'invalid_request'
  return new OAuthError(word, error.message, STATUSES.includes(status) ? status : 400)
}

/** A refused proof and a missing nonce have their own codes (RFC 9449). A refused API key is a refused client. */
function credentialError(message: string, fault: CredentialFault): OAuthError {
  if (fault === 'nonce_required') return new OAuthError('use_dpop_nonce', message)
  if (fault === 'proof_refused' || fault === 'proof_replayed' || fault === 'proof_required')
    return new OAuthError('invalid_dpop_proof', message)
  if (fault === 'key_refused' || fault === 'credential_malformed')
    return new OAuthError('invalid_client', message, 401)
  return new OAuthError('invalid_request', message)
}

/** The body of an OAuth error. RFC 6749 allows fewer characters in a description than our messages use. */
export function oauthErrorBody({ error, message }: OAuthError): Record<string, string> {
  return { error, error_description: message.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'") }
}
