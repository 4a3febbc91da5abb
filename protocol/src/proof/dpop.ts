import { HOLDER_ALGORITHMS, readHolderJwk, verifyHolder } from '../token/holder-key.ts'
import { type HolderJwk, KeyError, thumbprint } from '../token/jwk.ts'
import { type CompactParts, splitCompact, TokenError } from '../token/jws.ts'
import { CredentialError, type CredentialFault } from './credential-fault.ts'
import { normalisedTarget } from './target-uri.ts'

export const PROOF_TYP = 'dpop+jwt'
export const MAX_PROOF_BYTES = 4096
const MAX_JTI_LENGTH = 256

/** Why a proof is not valid for this request. */
export const PROOF_REASONS = [
  'malformed',
  'wrong_type',
  'unsupported_algorithm',
  'private_key',
  'weak_key',
  'unacceptable_key',
  'key_does_not_fit_algorithm',
  'other_key',
  'bad_jti',
  'other_method',
  'other_url',
  'bad_iat',
  'too_old',
  'in_the_future',
  'missing_ath',
  'other_token',
  'missing_nonce',
  'unknown_nonce',
  'bad_signature',
] as const

export type ProofReason = (typeof PROOF_REASONS)[number]

/** Seconds for which a proof is valid, and by which the clock of its sender may be ahead. */
export interface ProofWindow {
  readonly past_s: number
  readonly future_s: number
}

export const PROOF_WINDOW: ProofWindow = { past_s: 60, future_s: 5 }

/** The request that a proof must be for. */
export interface ExpectedProof {
  readonly method: string
  /** The URL that the caller used: the public address of this service with the target of the request. */
  readonly url: string
  /** SHA-256 of the token, in base64url. Undefined at a token endpoint, where the proof names no token. */
  readonly ath: string | undefined
  /** The thumbprint that the token is bound to. Undefined for a request that binds a new token to the key of the proof. */
  readonly jkt: string | undefined
  /** The key with that thumbprint, if it was checked before. */
  readonly holder?: HolderJwk | undefined
  readonly now_ms: number
  readonly window?: ProofWindow
  /** If absent, the proof's nonce is ignored. */
  readonly nonce?: { readonly isRequired: boolean; isFresh(nonce: string): boolean }
}

/** A valid proof for this request by the holder of the token. A `ReplayGuard` decides whether it is the first use. */
export interface Proof {
  readonly jti: string
  readonly jkt: string
  readonly holder: HolderJwk
  readonly made_at_ms: number
  /** Before this time it was in the future and was refused. */
  readonly earliest_ms: number
  /** From this time on it is too old. */
  readonly ends_at_ms: number
  /** Whether it contains a nonce that this service issued recently. */
  readonly has_nonce: boolean
}

/** Performs the checks of RFC 9449 section 4.3, except for replay. Throws `CredentialError`. */
export async function verifyProof(text: string, expected: ExpectedProof): Promise<Proof> {
  const { header, payload, signingInput, signature } = takeApart(text)
  const holder = holderOf(header, expected)
  const proof = readClaims(payload, holder, expected)
  if (!(await verifyHolder(holder, signingInput, signature))) throw refused('bad_signature')
  return proof
}

function takeApart(text: string): CompactParts {
  if (text.length > MAX_PROOF_BYTES) throw refused('malformed')
  try {
    return splitCompact(text)
  } catch (error) {
    if (error instanceof TokenError) throw refused('malformed')
    throw error
  }
}

/** The key of the proof, if the token is bound to it. */
function holderOf(header: Record<string, unknown>, { jkt, holder: known }: ExpectedProof): HolderJwk {
  const { typ, alg, jwk, ...rest } = header
  // Other members make a verifier act for the sender: fetch a URL, decompress, trust another key.
  if (Object.keys(rest).length > 0) throw refused('malformed')
  if (typ !== PROOF_TYP) throw refused('wrong_type')
  if (alg !== 'EdDSA' && alg !== 'ES256') throw refused('unsupported_algorithm')
  const holder = known !== undefined && isSameKey(jwk, known) ? known : acceptableKey(jwk)
  if (holder.kty !== HOLDER_ALGORITHMS[alg]) throw refused('key_does_not_fit_algorithm')
  if (jkt !== undefined && holder !== known && thumbprint(holder) !== jkt) throw refused('other_key')
  return holder
}

function isSameKey(jwk: unknown, known: HolderJwk): boolean {
  if (typeof jwk !== 'object' || jwk === null) return false
  const members = Object.entries(jwk)
  const expected = new Map<string, unknown>(Object.entries(known))
  return members.length === expected.size && members.every(([name, value]) => expected.get(name) === value)
}

function acceptableKey(jwk: unknown): HolderJwk {
  try {
    return readHolderJwk(jwk)
  } catch (error) {
    if (error instanceof KeyError) throw refused(KEY_REASONS[error.reason] ?? 'unacceptable_key')
    throw error
  }
}

const KEY_REASONS: Readonly<Partial<Record<KeyError['reason'], ProofReason>>> = {
  private_part: 'private_key',
  low_order: 'weak_key',
  not_canonical: 'weak_key',
  not_on_curve: 'weak_key',
}

function readClaims(claims: Record<string, unknown>, holder: HolderJwk, expected: ExpectedProof): Proof {
  const { jti, htm, htu, iat, ath } = claims
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH) throw refused('bad_jti')
  if (htm !== expected.method) throw refused('other_method')
  if (!isSameTarget(htu, expected.url)) throw refused('other_url')
  if (ath === undefined && expected.ath !== undefined) throw refused('missing_ath')
  if (expected.ath !== undefined && ath !== expected.ath) throw refused('other_token')
  const times = timesOf(iat, expected)
  return {
    jti,
    jkt: expected.jkt ?? thumbprint(holder),
    holder,
    ...times,
    has_nonce: hasNonce(claims.nonce, expected),
  }
}

/** Query and fragment are ignored on both sides, as the RFC requires. */
function isSameTarget(htu: unknown, url: string): boolean {
  if (typeof htu !== 'string') return false
  const target = normalisedTarget(htu)
  return target !== undefined && target === normalisedTarget(url)
}

function timesOf(iat: unknown, { now_ms, window = PROOF_WINDOW }: ExpectedProof) {
  if (!Number.isSafeInteger(iat) || Number(iat) < 0) throw refused('bad_iat')
  const made_at_ms = Number(iat) * 1000
  const ends_at_ms = made_at_ms + window.past_s * 1000 + 1
  const earliest_ms = made_at_ms - window.future_s * 1000
  if (ends_at_ms <= now_ms) throw refused('too_old')
  if (earliest_ms > now_ms) throw refused('in_the_future')
  return { made_at_ms, earliest_ms, ends_at_ms }
}

function hasNonce(value: unknown, { nonce }: ExpectedProof): boolean {
  if (nonce === undefined) return false
  if (value === undefined && nonce.isRequired) throw refused('missing_nonce', 'nonce_required')
  if (value === undefined) return false
  if (typeof value !== 'string' || !nonce.isFresh(value)) throw refused('unknown_nonce', 'nonce_required')
  return true
}

function refused(reason: ProofReason, fault: CredentialFault = 'proof_refused'): CredentialError {
  return new CredentialError(fault, reason)
}
