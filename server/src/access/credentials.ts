/** The credentials that a request carries, not yet verified. */
export interface RequestCredentials {
  readonly method: string
  /** Path and query, exactly as in the request line. */
  readonly target: string
  readonly authorization: string | undefined
  /** The token that an OAuth request is about, which is also its credential. It replaces the header Authorization. */
  readonly token_parameter?: string | undefined
  /** The header DPoP. */
  readonly proof: string | undefined
  /** The secret of the session cookie. */
  readonly session: string | undefined
  /** The header Deputy-Token: a token that an agent presented to the caller. */
  readonly presented_token: string | undefined
  /** The header Deputy-Step-Up: the grant of a person who has confirmed this call with a passkey. */
  readonly grant: string | undefined
}
