/** A JWK Set (RFC 7517), as served at `/.well-known/jwks.json`. */
export interface JwkSet {
  readonly keys: readonly object[]
}
