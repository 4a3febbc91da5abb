import { decodeBase64url, encodeBase64url } from '../encoding/base64url.ts'
import { isObject, JsonError, readableJson, readJson } from '../encoding/json.ts'
import { DEFAULT_TENANT, isTenantId } from './agent-name.ts'
import { isSameIssuer } from './issuer.ts'
import { type Ed25519Jwk, verifyEd25519 } from './jwk.ts'
import { signsFor } from './key-purpose.ts'

export const MAX_TOKEN_BYTES = 8192

/** Default maximum lifetime in seconds: the longest that any token of this service can have. */
export const MAX_LIFETIME_S = 30 * 24 * 3600

export const TOKEN_CODES = [
  'malformed',
  'unsupported_algorithm',
  'unknown_key',
  'withdrawn_key',
  'bad_signature',
  'wrong_type',
  'wrong_issuer',
  'wrong_audience',
  'not_yet_valid',
  'expired',
  'lifetime_too_long',
  'bad_claim',
] as const

export type TokenCode = (typeof TOKEN_CODES)[number]

/** The token is refused. The message is safe to show. */
export class TokenError extends Error {
  readonly code: TokenCode

  constructor(code: TokenCode, detail: string) {
    super(detail)
    this.name = 'TokenError'
    this.code = code
  }
}

export type JwsHeader = { alg: 'EdDSA'; typ: string; kid: string }

/** An unverified header: these members are strings, and nothing else is known about them. */
export type UntrustedHeader = { alg: string; typ?: string; kid?: string }

/** The decoded parts of a token. Nothing is verified yet. */
export type DecodedToken = {
  header: UntrustedHeader
  payload: Record<string, unknown>
  signingInput: Uint8Array
  signature: Uint8Array
}

/** A key of the verifier. Keep the `jwk` object: its parsed form is cached by identity. */
export type VerificationKey = {
  readonly kid: string
  readonly alg: 'EdDSA'
  readonly jwk: Ed25519Jwk
  /** What the key signs, according to the JWK Set. Keys of early versions have no purpose. */
  readonly purpose?: string
  /**
   * Tokens issued at or after this second are refused. A thief can write any `iat`, so use 0 unless the time
   * of the theft is known and tokens are also checked against the log.
   */
  readonly withdrawn_from_s?: number
}

export type VerifierContext = {
  now_s: number
  issuer: string
  /** If given, the token must name this audience and no other. */
  audience?: string
  typ: string
  max_lifetime_s?: number
  clock_skew_s?: number
  /** Also accept the name that RFC 9864 gives to EdDSA with Ed25519. */
  accept_ed25519_name?: boolean
  key(kid: string): VerificationKey | undefined
}

export type TokenClaims = {
  iss: string
  sub: string
  jti: string
  iat: number
  exp: number
  nbf?: number
  aud?: string | string[]
  [claim: string]: unknown
}

/** A dot and a 64-byte signature in base64url. */
const SIGNATURE_CHARACTERS = 87

/**
 * The signed compact form of `payload`. Throws if `decodeCompact` would not accept the result: its parts are checked before
 * they are encoded, which is cheaper.
 */
export async function signCompact(
  header: JwsHeader,
  payload: object,
  sign: (input: Uint8Array) => Promise<Uint8Array> | Uint8Array,
): Promise<string> {
  const body = writtenSegment(payload)
  if (!body.startsWith('{')) throw malformed('A payload is a JSON object.')
  const input = `${headerSegment(header)}.${encodedText(body)}`
  if (input.length + SIGNATURE_CHARACTERS > MAX_TOKEN_BYTES)
    throw malformed(`A token has at most ${MAX_TOKEN_BYTES} bytes.`)
  const signature = await sign(Buffer.from(input, 'latin1'))
  if (signature.length !== 64) throw malformed('A signature has 64 bytes.')
  return `${input}.${encodeBase64url(signature)}`
}

/** The last header that was written: one key signs many tokens. */
let lastHeader = { alg: '', typ: '', kid: '', segment: '' }

function headerSegment({ alg, typ, kid }: JwsHeader): string {
  if (lastHeader.kid !== kid || lastHeader.typ !== typ || lastHeader.alg !== alg) {
    readHeader({ alg, typ, kid })
    lastHeader = { alg, typ, kid, segment: encodedText(JSON.stringify({ alg, typ, kid })) }
  }
  return lastHeader.segment
}

/** The decoded parts of a compact JWS with any header. Nothing is verified yet. */
export type CompactParts = Omit<DecodedToken, 'header'> & { header: Record<string, unknown> }

/** The parts of a token, or a TokenError `malformed`. The signature is not checked here. */
export function decodeCompact(token: string): DecodedToken {
  const { header, ...parts } = splitCompact(token)
  return { header: readHeader(header), ...parts }
}

/** The parts of a compact JWS with a signature of 64 bytes, or a TokenError `malformed`. */
export function splitCompact(token: string): CompactParts {
  if (token.length > MAX_TOKEN_BYTES) throw malformed(`A token has at most ${MAX_TOKEN_BYTES} bytes.`)
  const [head, body, tail, ...rest] = token.split('.')
  if (head === undefined || body === undefined || tail === undefined || rest.length > 0)
    throw malformed('A token has three segments.')
  const signature = decodeSegment(tail)
  if (signature.length !== 64) throw malformed('A signature has 64 bytes.')
  return {
    header: decodeObject(head),
    payload: decodeObject(body),
    signingInput: Buffer.from(`${head}.${body}`, 'latin1'),
    signature,
  }
}

/** The claims of a token that is valid in `context`. Throws a TokenError otherwise. */
export function verifySignedToken(token: string, context: VerifierContext): TokenClaims {
  return verifyDecoded(decodeCompact(token), context)
}

/** Like `verifySignedToken`, for a decoded token. */
export function verifyDecoded(token: DecodedToken, context: VerifierContext): TokenClaims {
  const { header, payload, signingInput, signature } = token
  const key = keyOf(header, context)
  // Each kind of token has its own key; the type keeps the kinds apart even if a key is shared, as in early versions.
  if (header.typ !== context.typ)
    throw new TokenError('wrong_type', `The token is not of type ${context.typ}.`)
  if (!signsFor(key.purpose, context.typ))
    throw new TokenError('unknown_key', `The key (kid) does not sign ${context.typ}.`)
  if (!verifyEd25519(key.jwk, signingInput, signature))
    throw new TokenError('bad_signature', 'The signature is not valid.')
  const claims = readClaims(payload)
  if (header.typ === 'vat+jwt') checkVatClaims(claims)
  if (key.withdrawn_from_s !== undefined && claims.iat >= key.withdrawn_from_s)
    throw new TokenError('withdrawn_key', 'The key of this token was withdrawn.')
  checkPartiesAndTimes(claims, context)
  return claims
}

/**
 * Checks the audience and the times of a token, and throws a TokenError if they do not fit. For a token that was
 * verified before with the same key, no other check can turn out differently.
 */
export function checkPartiesAndTimes(claims: TokenClaims, context: VerifierContext): void {
  checkParties(claims, context)
  checkTokenTimes(claims, context)
}

/** The key record determines the algorithm. The header must agree and never selects it. */
function keyOf(header: UntrustedHeader, context: VerifierContext): VerificationKey {
  const key = header.kid === undefined ? undefined : context.key(header.kid)
  if (key === undefined || key.kid !== header.kid)
    throw new TokenError('unknown_key', 'The key (kid) is not known.')
  const is_new_name = context.accept_ed25519_name === true && header.alg === 'Ed25519'
  if (header.alg !== key.alg && !is_new_name)
    throw new TokenError('unsupported_algorithm', `The algorithm (alg) must be ${key.alg}.`)
  return key
}

function checkParties(claims: TokenClaims, context: VerifierContext): void {
  if (!isSameIssuer(claims.iss, context.issuer))
    throw new TokenError('wrong_issuer', 'The token is from another issuer.')
  if (context.audience === undefined) return
  const audiences = typeof claims.aud === 'string' ? [claims.aud] : (claims.aud ?? [])
  // A token for two audiences would let each of them use it at the other.
  if (audiences.length !== 1 || audiences[0] !== context.audience)
    throw new TokenError('wrong_audience', 'The token is not for this audience alone.')
}

/** Checks the times of a token alone. Written so that a comparison with NaN is never true. */
export function checkTokenTimes(
  claims: Pick<TokenClaims, 'iat' | 'nbf' | 'exp'>,
  context: Pick<VerifierContext, 'now_s' | 'clock_skew_s' | 'max_lifetime_s'>,
): void {
  const skew_s = context.clock_skew_s ?? 0
  if (!(claims.exp - claims.iat <= (context.max_lifetime_s ?? MAX_LIFETIME_S)))
    throw new TokenError('lifetime_too_long', 'The lifetime of the token is too long.')
  if (!(Math.max(claims.iat, claims.nbf ?? 0) <= context.now_s + skew_s))
    throw new TokenError('not_yet_valid', 'The token is not valid yet.')
  if (!(claims.exp > context.now_s - skew_s)) throw new TokenError('expired', 'The token has expired.')
}

function readClaims(payload: Record<string, unknown>): TokenClaims {
  const { iss, sub, jti, aud, iat, nbf, exp } = payload
  if (!isText(iss)) throw badClaim('iss', 'a non-empty string')
  if (!isText(sub)) throw badClaim('sub', 'a non-empty string')
  if (!isText(jti) || !JTI.test(jti)) throw badClaim('jti', '1 to 128 letters, digits, "_" or "-"')
  if (aud !== undefined && !isText(aud) && !(isTexts(aud) && aud.length > 0))
    throw badClaim('aud', 'a string or a list of strings')
  if (!isSeconds(iat)) throw badClaim('iat', 'whole seconds')
  if (nbf !== undefined && !isSeconds(nbf)) throw badClaim('nbf', 'whole seconds')
  if (!isSeconds(exp) || exp <= iat) throw badClaim('exp', 'whole seconds, later than iat')
  return {
    ...payload,
    iss,
    sub,
    jti,
    iat,
    exp,
    ...(aud === undefined ? {} : { aud }),
    ...(nbf === undefined ? {} : { nbf }),
  }
}

/** Checks the claims that a verifier's decision depends on. A token that lacks one is refused. */
function checkVatClaims(claims: TokenClaims): void {
  const { svc_scope, svc_trust_score, svc_tenant } = claims
  if (!isObject(svc_scope) || !isTexts(svc_scope.resources) || !isTexts(svc_scope.actions))
    throw badClaim('svc_scope', 'an object with the lists resources and actions')
  if (typeof svc_trust_score !== 'number' || svc_trust_score < 0 || svc_trust_score > 1)
    throw badClaim('svc_trust_score', 'a number from 0 to 1')
  if (
    svc_tenant !== undefined &&
    !(isText(svc_tenant) && isTenantId(svc_tenant) && svc_tenant !== DEFAULT_TENANT)
  )
    throw badClaim('svc_tenant', 'the id of a tenant, and absent for the tenant default')
}

/** Identifiers end up in paths, logs and queries; this grammar is safe in all of them. */
const JTI = /^[A-Za-z0-9_-]{1,128}$/

/** Other header members make a verifier act for the sender: fetch a URL, decompress, trust a key. */
const HEADER_MEMBERS: ReadonlySet<string> = new Set(['alg', 'typ', 'kid'])

function readHeader(header: Record<string, unknown>): UntrustedHeader {
  const { alg, typ, kid } = header
  if (!Object.keys(header).every((name) => HEADER_MEMBERS.has(name)))
    throw malformed('A header has the members alg, typ and kid only.')
  if (!isText(alg)) throw malformed('The algorithm (alg) must be a string.')
  if (typ !== undefined && !isText(typ)) throw malformed('The type (typ) must be a string.')
  if (kid !== undefined && !isText(kid)) throw malformed('The key (kid) must be a string.')
  return { alg, ...(typ === undefined ? {} : { typ }), ...(kid === undefined ? {} : { kid }) }
}

function decodeObject(segment: string): Record<string, unknown> {
  const value = readSegment(decodeSegment(segment))
  if (!isObject(value)) throw malformed('Header and payload are JSON objects.')
  return value
}

function decodeSegment(segment: string): Uint8Array {
  try {
    return decodeBase64url(segment)
  } catch {
    throw malformed('A segment is not canonical base64url.')
  }
}

function readSegment(source: Uint8Array): unknown {
  return withoutJsonErrors(() => readJson(source))
}

/** Turns a JsonError into the TokenError `malformed`. */
function withoutJsonErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof JsonError) throw malformed(error.detail)
    throw error
  }
}

function writtenSegment(value: object): string {
  return withoutJsonErrors(() => readableJson(value))
}

function encodedText(text: string): string {
  return encodeBase64url(Buffer.from(text))
}

function malformed(detail: string): TokenError {
  return new TokenError('malformed', detail)
}

function badClaim(name: string, wanted: string): TokenError {
  return new TokenError('bad_claim', `The claim ${name} must be ${wanted}.`)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText)
}

function isSeconds(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
