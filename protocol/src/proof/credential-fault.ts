import { HOLDER_ALGORITHMS } from '../token/holder-key.ts'

/** The `WWW-Authenticate` form of a fault (RFC 6750 section 3, RFC 9449 section 7.1). */
interface Fault {
  readonly status: 400 | 401 | 503
  /** Absent if no credential was presented, which isn't an error of the credential. */
  readonly error?: 'invalid_request' | 'invalid_token' | 'invalid_dpop_proof' | 'use_dpop_nonce'
  /** The scheme that the error is reported for. */
  readonly scheme?: 'Bearer' | 'DPoP'
  readonly description: string
}

/** Every reason to refuse a credential. */
export const CREDENTIAL_FAULTS = {
  credential_missing: { status: 401, description: 'No credential was presented' },
  credential_malformed: {
    status: 400,
    error: 'invalid_request',
    scheme: 'Bearer',
    description: 'The Authorization header must hold one Bearer or DPoP credential',
  },
  key_refused: {
    status: 401,
    error: 'invalid_token',
    scheme: 'Bearer',
    description: 'The API key is unknown, deleted or expired; ask an operator for a new one',
  },
  session_ended: {
    status: 401,
    description: 'The session has ended; sign in again',
  },
  token_refused: {
    status: 401,
    error: 'invalid_token',
    scheme: 'DPoP',
    description: 'This service did not issue the token, or the token is no longer valid',
  },
  bearer_refused: {
    status: 401,
    error: 'invalid_token',
    scheme: 'DPoP',
    description: 'This tenant accepts only tokens that are bound to a key',
  },
  proof_required: {
    status: 401,
    error: 'invalid_token',
    scheme: 'DPoP',
    description: 'The token is bound to a key and needs a DPoP proof',
  },
  token_not_bound: {
    status: 401,
    error: 'invalid_token',
    scheme: 'DPoP',
    description: 'The token is not bound to a key, so it cannot be used with a DPoP proof',
  },
  proof_refused: {
    status: 401,
    error: 'invalid_dpop_proof',
    scheme: 'DPoP',
    description: 'The DPoP proof was not made for this request, or not with the key of the token',
  },
  proof_replayed: {
    status: 401,
    error: 'invalid_dpop_proof',
    scheme: 'DPoP',
    description: 'The DPoP proof was used before',
  },
  nonce_required: {
    status: 401,
    error: 'use_dpop_nonce',
    scheme: 'DPoP',
    description: 'The DPoP proof needs the nonce of the DPoP-Nonce header',
  },
  too_many_proofs: {
    status: 503,
    error: 'invalid_dpop_proof',
    scheme: 'DPoP',
    description: 'The service is handling too many proofs; send a new one in a moment',
  },
} as const satisfies Readonly<Record<string, Fault>>

export type CredentialFault = keyof typeof CREDENTIAL_FAULTS

/** The credential is refused. The reason is safe to show: it never repeats the credential. */
export class CredentialError extends Error {
  readonly fault: CredentialFault
  /** Finer than the fault, for developers: a `TokenCode`, a `ProofReason`, or the fault itself. */
  readonly reason: string

  constructor(fault: CredentialFault, reason: string = fault) {
    super(CREDENTIAL_FAULTS[fault].description)
    this.name = 'CredentialError'
    this.fault = fault
    this.reason = reason
  }
}

const ALGS = `algs="${Object.keys(HOLDER_ALGORITHMS).join(' ')}"`

/**
 * The value of `WWW-Authenticate`: both accepted schemes, and the error of the one that was tried. `metadata_url` is where a
 * protected resource describes itself (RFC 9728 section 5.1).
 */
export function challenge(fault: CredentialFault, metadata_url?: string): string {
  const { error, scheme, description }: Fault = CREDENTIAL_FAULTS[fault]
  const metadata = metadata_url === undefined ? [] : [`resource_metadata="${metadata_url}"`]
  const challengeOf = (name: string, ...params: readonly string[]) =>
    [name, [...params, ...metadata].join(', ')].join(' ').trim()
  if (error === undefined) return `${challengeOf('DPoP', ALGS)}, ${challengeOf('Bearer')}`
  const told = [`error="${error}"`, `error_description="${description}"`]
  return scheme === 'DPoP'
    ? challengeOf('DPoP', ...told, ALGS)
    : `${challengeOf('Bearer', ...told)}, ${challengeOf('DPoP', ALGS)}`
}
