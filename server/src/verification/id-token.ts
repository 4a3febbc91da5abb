/**
 * Verifies ID tokens (OpenID Connect Core 3.1.3.7). The algorithm comes from a closed list and the key from the set that
 * the provider publishes at its own address. Only the claims come from the token.
 */
import { constants, createPublicKey, hash, type JsonWebKey, type KeyObject, verify } from 'node:crypto'
import { decodeBase64url, readJson } from '@deputize/protocol'
import { signOnFailed } from './sign-on-failed.ts'

const MAX_BYTES = 16_384
const MAX_ITEMS = 4_096
/** Clock skew allowed between a provider and this machine. */
export const SKEW_S = 60
/** Tokens older than this are refused, whatever lifetime the provider gave them. */
const MAX_AGE_S = 24 * 3600
const MIN_RSA_BITS = 2048

type Verify = (input: Uint8Array, signature: Uint8Array, key: KeyObject) => boolean

interface Algorithm {
  readonly accepts: (key: KeyObject) => boolean
  readonly verify: Verify
  /** The hash function of at_hash. */
  readonly hash: string
}

const isRsa = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject) =>
  asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS

/** No other algorithm is accepted. Never add `none` or one with a shared secret. */
const ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  RS256: {
    accepts: isRsa,
    verify: (input, signature, key) => verify('sha256', input, key, signature),
    hash: 'sha256',
  },
  PS256: {
    accepts: isRsa,
    verify: (input, signature, key) =>
      verify(
        'sha256',
        input,
        { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
        signature,
      ),
    hash: 'sha256',
  },
  ES256: {
    accepts: ({ asymmetricKeyDetails }) => asymmetricKeyDetails?.namedCurve === 'prime256v1',
    verify: (input, signature, key) => verify('sha256', input, { key, dsaEncoding: 'ieee-p1363' }, signature),
    hash: 'sha256',
  },
  EdDSA: {
    accepts: ({ asymmetricKeyType }) => asymmetricKeyType === 'ed25519',
    verify: (input, signature, key) => verify(null, input, key, signature),
    hash: 'sha512',
  },
}

export type PublishedKey = JsonWebKey & {
  readonly kid?: string
  readonly alg?: string
  readonly use?: string
}

/** A decoded ID token, not yet verified. */
export interface UnprovenToken {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
  readonly signed: string
  readonly signature: Uint8Array
}

export interface Expected {
  readonly issuer: string
  readonly client_id: string
  readonly now_s: number
  /** Undefined if the client that brings the token has checked its nonce. */
  readonly nonce: string | undefined
  /** The access token that came with it, if one did. */
  readonly access_token: string | undefined
  /** Returns the published keys with that id, or all of them for a token without a key id. */
  keys(kid: string | undefined): Promise<readonly PublishedKey[]>
}

export interface ProvenClaims {
  readonly sub: string
  readonly iat: number
  readonly exp: number
  readonly [claim: string]: unknown
}

export function takeApart(id_token: string): UnprovenToken {
  const [head = '', body = '', tail = '', ...rest] = id_token.split('.')
  if (id_token.length > MAX_BYTES || head === '' || body === '' || rest.length > 0)
    throw signOnFailed('token_malformed')
  try {
    return {
      header: objectIn(head),
      claims: objectIn(body),
      signed: `${head}.${body}`,
      signature: decodeBase64url(tail),
    }
  } catch {
    throw signOnFailed('token_malformed')
  }
}

function objectIn(segment: string): Readonly<Record<string, unknown>> {
  const value = readJson(decodeBase64url(segment), { items: MAX_ITEMS })
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw signOnFailed('token_malformed')
  return { ...value }
}

/** Returns the claims of a token that passes every check. Otherwise throws the reason. */
export async function provenClaims(token: UnprovenToken, expected: Expected): Promise<ProvenClaims> {
  const algorithm = algorithmOf(token)
  const keys = await expected.keys(textClaim(token.header.kid))
  assertSigned(token, algorithm, keys)
  assertAddressed(token, expected)
  const claims = timely(token, expected)
  assertNonce(token, expected)
  assertTogether(token, algorithm, expected)
  return claims
}

function algorithmOf({ header }: UnprovenToken): Algorithm {
  const name = textClaim(header.alg) ?? ''
  const algorithm = Object.hasOwn(ALGORITHMS, name) ? ALGORITHMS[name] : undefined
  // `crit` names extensions that must be understood, and none is supported.
  if (algorithm === undefined || header.crit !== undefined) throw signOnFailed('algorithm')
  return algorithm
}

/** Throws if no key fits. Several can: a provider may publish one id twice, and a token may lack the id. */
function assertSigned(
  { header, signed, signature }: UnprovenToken,
  algorithm: Algorithm,
  keys: readonly PublishedKey[],
): void {
  const fitting = keys
    .filter(({ alg, use }) => (alg ?? header.alg) === header.alg && (use ?? 'sig') === 'sig')
    .map(readKey)
    .filter((key) => key !== undefined)
    .filter(algorithm.accepts)
  if (fitting.length === 0) throw signOnFailed('key_unknown')
  const input = Buffer.from(signed, 'latin1')
  if (!fitting.some((key) => algorithm.verify(input, signature, key))) throw signOnFailed('signature')
}

function readKey(jwk: PublishedKey): KeyObject | undefined {
  try {
    // A published key that is symmetric or private proves nothing.
    if (jwk.kty === 'oct' || jwk.d !== undefined) return undefined
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    return undefined
  }
}

function assertAddressed({ claims }: UnprovenToken, { issuer, client_id }: Expected): void {
  if (claims.iss !== issuer) throw signOnFailed('issuer')
  const audience = Array.isArray(claims.aud) ? claims.aud : [claims.aud]
  if (!audience.includes(client_id)) throw signOnFailed('audience')
  if (claims.azp === undefined ? audience.length > 1 : claims.azp !== client_id) throw signOnFailed('azp')
}

function timely({ claims }: UnprovenToken, { now_s }: Expected): ProvenClaims {
  const { sub, iat, exp, nbf } = claims
  if (typeof sub !== 'string' || sub === '' || sub.length > 255) throw signOnFailed('token_malformed')
  if (!isTime(iat) || !isTime(exp) || !(nbf === undefined || isTime(nbf)))
    throw signOnFailed('token_malformed')
  if (exp <= now_s - SKEW_S || iat < now_s - MAX_AGE_S) throw signOnFailed('expired')
  if (iat > now_s + SKEW_S) throw signOnFailed('issued_in_future')
  if (nbf !== undefined && nbf > now_s + SKEW_S) throw signOnFailed('not_yet_valid')
  return { ...claims, sub, iat, exp }
}

/** Returns the second from which a token is no longer accepted, whatever `exp` says. */
export function lastAcceptedSecond({ iat, exp }: ProvenClaims): number {
  return Math.ceil(Math.min(exp, iat + MAX_AGE_S)) + 2 * SKEW_S
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function assertNonce({ claims }: UnprovenToken, { nonce }: Expected): void {
  if (nonce === undefined) return
  if (claims.nonce === undefined) throw signOnFailed('nonce_missing')
  if (claims.nonce !== nonce) throw signOnFailed('nonce')
}

function assertTogether({ claims }: UnprovenToken, algorithm: Algorithm, { access_token }: Expected): void {
  if (claims.at_hash === undefined || access_token === undefined) return
  const digest = hash(algorithm.hash, Buffer.from(access_token, 'latin1'), 'buffer')
  const half = digest.subarray(0, digest.length / 2).toString('base64url')
  if (claims.at_hash !== half) throw signOnFailed('at_hash')
}

export function textClaim(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
