import type { AuthorityError, ErrorCode } from './errors.ts'

/** The error codes of RFC 6749 section 5.2 and RFC 8693 section 2.2.2 that this service uses. */
export const OAUTH_ERRORS = [
  'invalid_request',
  'invalid_scope',
  'invalid_target',
  'unsupported_grant_type',
] as const
export type OAuthErrorWord = (typeof OAUTH_ERRORS)[number]

/** An error in the form that OAuth clients expect. The message is safe to show. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  readonly error: OAuthErrorWord

  constructor(error: OAuthErrorWord, description: string) {
    super(description)
    this.error = error
  }
}

/** RFC 8693 requires `invalid_request` when the subject token is invalid or policy does not accept it. */
const WORDS: Partial<Record<ErrorCode, OAuthErrorWord>> = {
  invalid_request: 'invalid_request',
  token_unknown: 'invalid_request',
  token_not_live: 'invalid_request',
  delegation_not_allowed: 'invalid_request',
  policy_unmet: 'invalid_request',
  scope_widening: 'invalid_scope',
}

/** The OAuth form of an error; undefined if the error is not about the grant. */
export function oauthErrorOf(error: AuthorityError): OAuthError | undefined {
  const word = WORDS[error.code]
  return word === undefined ? undefined : new OAuthError(word, error.message)
}

/** The body of an OAuth error. RFC 6749 allows fewer characters in a description than our messages use. */
export function oauthErrorBody({ error, message }: OAuthError): Record<string, string> {
  return { error, error_description: message.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'") }
}
