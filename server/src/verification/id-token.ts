/**
 * Whether an ID token proves what it says (OpenID Connect Core 3.1.3.7). The algorithm is taken from a closed list, the
 * key from the set that the provider publishes at an address of its own, and nothing from the token but its claims.
 */
import { constants, createPublicKey, hash, type JsonWebKey, type KeyObject, verify } from 'node:crypto'
import { decodeBase64url, readJson } from '@deputize/protocol'
import { signOnFailed } from './sign-on-failed.ts'

const MAX_BYTES = 16_384
const MAX_ITEMS = 4_096
/** How far the clocks of a provider and of this machine may be apart. */
export const SKEW_S = 60
/** However long a provider says that its token lives. */
const MAX_AGE_S = 24 * 3600
const MIN_RSA_BITS = 2048

type Verify = (input: Uint8Array, signature: Uint8Array, key: KeyObject) => boolean

interface Algorithm {
  readonly accepts: (key: KeyObject) => boolean
  readonly verify: Verify
  /** The hash that at_hash is made with. */
  readonly hash: string
}

const isRsa = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject) =>
  asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS

/** Nothing else is accepted; neither `none` nor anything with a shared secret can ever be among these. */
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

/** An ID token taken apart. Nothing in it is proven. */
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
  /** Undefined: whoever brings the token vouches for its nonce. */
  readonly nonce: string | undefined
  /** The access token that came with it, if one did. */
  readonly access_token: string | undefined
  /** The published keys of that id; of a token without a key id, all of them. */
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

/** The claims of a token that there is every reason to believe, or the reason why not. */
export async function proven(token: UnprovenToken, expected: Expected): Promise<ProvenClaims> {
  const algorithm = algorithmOf(token)
  const keys = await expected.keys(textOf(token.header.kid))
  assertSigned(token, algorithm, keys)
  assertAddressed(token, expected)
  const claims = timely(token, expected)
  assertNonce(token, expected)
  assertTogether(token, algorithm, expected)
  return claims
}

function algorithmOf({ header }: UnprovenToken): Algorithm {
  const name = textOf(header.alg) ?? ''
  const algorithm = Object.hasOwn(ALGORITHMS, name) ? ALGORITHMS[name] : undefined
  // What `crit` names would have to be understood, and nothing is.
  if (algorithm === undefined || header.crit !== undefined) throw signOnFailed('algorithm')
  return algorithm
}

/** A provider that publishes several keys of one id, or a token without an id: any of them may have signed. */
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
    // A symmetric or private key is not one to publish, and none that anything is believed by.
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

/** The second from which on nobody takes a token any more, whatever it says of its end. */
export function endOf({ iat, exp }: ProvenClaims): number {
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

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
