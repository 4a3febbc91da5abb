import {
  checkPartiesAndTimes,
  checkTokenTimes,
  type DecodedToken,
  decodeCompact,
  type TokenClaims,
  TokenError,
  type VerificationKey,
  type VerifierContext,
} from '../../../../protocol/src/token/jws.ts'
import { connectionOf, methodsOf } from '../client.ts'
import type { Claims, VerificationReason } from '../generated/operations.ts'
import { checkOptions } from '../options.ts'
import { remembered } from '../remembered.ts'
import { type FollowedRevocations, followRevocations } from './follow-revocations.ts'
import type { JwkSet } from './jwk-set.ts'
import { fixedKeys, type KeySource, servedKeys } from './key-set.ts'
import { verifyParts } from './verify-compact.ts'

/** Requirements for a token, in addition to a valid signature and lifetime. */
export interface VerifyOptions {
  /** The only audience that the token may name. Not checked if absent. */
  readonly audience?: string | undefined
}

interface CommonOptions extends VerifyOptions {
  /** Seconds by which clocks may differ. Default: 5. */
  readonly clock_skew_s?: number | undefined
  /** Rejects tokens whose lifetime is longer than this many seconds. */
  readonly max_lifetime_s?: number | undefined
  /** Returns the current time in milliseconds, for tests. */
  readonly clock?: (() => number) | undefined
}

/** Verifies against a running service: keys and revocations are fetched from it and cached. */
export interface ServedOptions extends CommonOptions {
  /** The URL of the service, such as `http://127.0.0.1:8420`. */
  readonly url: string
  readonly jwks?: undefined
  /** The issuer that tokens must name. Default: the issuer that the service reports. */
  readonly issuer?: string | undefined
  /** An API key. In keyed mode without one, revocations take effect a few seconds later. */
  readonly key?: string | undefined
  /** Replaces the `fetch` of the runtime. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Set to false to skip the revocation check. Safe only if you ask the service to authorize each action. */
  readonly revocations?: boolean | undefined
  /** Seconds after which revocations are fetched again. Default: 5. */
  readonly fresh_s?: number | undefined
  /** Seconds for which tokens still verify while the service is unreachable. Default: 60. */
  readonly max_stale_s?: number | undefined
}

/** Verifies against keys that you supply: no network, and no revocation check. */
export interface FixedOptions extends CommonOptions {
  readonly jwks: JwkSet
  readonly issuer: string
  readonly url?: undefined
}

/** Where the keys come from: a running service (`url`) or your program (`jwks`). */
export type VerifierOptions = ServedOptions | FixedOptions

/** Why a token was rejected. */
export type TokenRefusedCode = VerificationReason | 'standing_unavailable' | 'keys_unavailable'

/** The token was rejected; `code` says why. The message is safe to show to the caller. */
export class TokenRefused extends Error {
  readonly code: TokenRefusedCode

  constructor(code: TokenRefusedCode, detail: string, cause?: unknown) {
    super(detail, cause === undefined ? undefined : { cause })
    this.name = 'TokenRefused'
    this.code = code
  }
}

/** The result of the revocation check. */
export interface Standing {
  /** The time of the data, in ISO 8601. Later revocations are not included. */
  readonly as_of: string
}

/** A token that passed every check. */
export interface VerifiedToken {
  /** Frozen. Verifying the same token again returns the same object. */
  readonly claims: Claims
  readonly jti: string
  /** The agent, with the prefix `agent:`. */
  readonly agent_id: string
  readonly human_ref: string
  /** Undefined if revocations were not checked. */
  readonly standing: Standing | undefined
}

/** Verifies tokens and caches keys, revocations and tokens between calls. */
export interface TokenVerifier {
  /** Throws `TokenRefused` if a check fails. */
  verify(compact_jwt: string, options?: VerifyOptions): Promise<VerifiedToken>
}

const VERIFY_OPTIONS: Record<keyof VerifyOptions, true> = { audience: true }
const verifiers = new Map<string, TokenVerifier>()
const MAX_VERIFIERS = 100
const VERIFIER_OPTIONS: Record<keyof ServedOptions | keyof FixedOptions, true> = {
  url: true,
  jwks: true,
  issuer: true,
  audience: true,
  key: true,
  fetch: true,
  revocations: true,
  fresh_s: true,
  max_stale_s: true,
  clock_skew_s: true,
  max_lifetime_s: true,
  clock: true,
}

/**
 * Verifies a token in this process: signature, issuer, audience, times and revocation. Keys and revocations are cached
 * between calls. Throws `TokenRefused` if a check fails.
 *
 * @example
 * ```ts
 * import { deputy, TokenRefused, verifyToken } from '@deputize/sdk'
 *
 * const url = 'http://127.0.0.1:8420'
 * const client = deputy({ url })
 * const token = await client.issueL1({
 *   developer_email: 'dev@example.com',
 *   agent_id: 'calendar-bot',
 *   resources: ['calendar:events'],
 *   actions: ['read'],
 * })
 * const { agent_id } = await verifyToken(token.compact_jwt, { url })
 * console.log(agent_id) // agent:calendar-bot
 *
 * try {
 *   await verifyToken('not.a.token', { url })
 * } catch (error) {
 *   if (error instanceof TokenRefused) console.log(error.code) // malformed
 * }
 * ```
 */
export async function verifyToken(compact_jwt: string, options: VerifierOptions): Promise<VerifiedToken> {
  checkOptions(options, VERIFIER_OPTIONS)
  const { audience } = options
  return rememberedVerifier(options).verify(compact_jwt, { audience })
}

function rememberedVerifier(options: VerifierOptions): TokenVerifier {
  if (options.url === undefined || options.fetch !== undefined || options.clock !== undefined)
    return tokenVerifier(options)
  const { audience: _, ...rest } = options
  const name = JSON.stringify(Object.entries(rest).sort())
  const known = verifiers.get(name)
  if (known !== undefined) return known
  if (verifiers.size >= MAX_VERIFIERS) verifiers.clear()
  const verifier = tokenVerifier(options)
  verifiers.set(name, verifier)
  return verifier
}

/** A token whose signature was verified with `key`. Its claims never change; whether they are still valid can. */
interface GenuineToken {
  readonly key: VerificationKey
  readonly claims: TokenClaims
}

/** Only genuine tokens are cached, so forged ones cannot evict them. */
const CACHED_TOKENS = 1_000

/**
 * Creates a verifier with its own cache. A token verified before is not decoded again, nor is its signature checked again
 * while the key stays the same. Times, parties and revocations are checked every time.
 *
 * @example
 * ```ts
 * import { deputy, tokenVerifier } from '@deputize/sdk'
 *
 * const url = 'http://127.0.0.1:8420'
 * const client = deputy({ url })
 * const token = await client.issueL1({
 *   developer_email: 'dev@example.com',
 *   agent_id: 'calendar-bot',
 *   resources: ['calendar:events'],
 *   actions: ['read'],
 * })
 * const verifier = tokenVerifier({ url, max_stale_s: 30 })
 * const { claims } = await verifier.verify(token.compact_jwt)
 * console.log(claims.svc_scope.actions) // [ 'read' ]
 * ```
 */
export function tokenVerifier(options: VerifierOptions): TokenVerifier {
  checkOptions(options, VERIFIER_OPTIONS)
  const { verifySigned, inForceUntil } = twoStepVerifier(options)
  const isStrict = options.url !== undefined && options.revocations !== false
  return {
    async verify(compact_jwt, more = {}) {
      checkOptions(more, VERIFY_OPTIONS)
      const { audience = options.audience } = more
      const token = await verifySigned(compact_jwt, audience)
      const { claims } = token
      return {
        claims,
        jti: claims.jti,
        agent_id: claims.sub,
        human_ref: claims.svc_human_ref,
        standing: isStrict ? { as_of: new Date(await inForceUntil(token)).toISOString() } : undefined,
      }
    },
  }
}

/** A token that passed every check except the revocation check. */
export interface SignedToken {
  /** Frozen. Verifying the same token again returns the same object. */
  readonly claims: Claims
  readonly kid: string
}

/** A verifier in two steps, for guards: when the service decides, it checks revocations itself. */
export interface TwoStepVerifier {
  /** Throws `TokenRefused` if the signature, a party or a time is wrong. */
  verifySigned(compact_jwt: string, audience: string | undefined): Promise<SignedToken>
  /**
   * Returns the time up to which revocations of the token are known. Throws `TokenRefused` if it is not in force or has
   * expired.
   */
  inForceUntil(token: SignedToken): Promise<number>
}

export function twoStepVerifier(options: VerifierOptions): TwoStepVerifier {
  checkSeconds(options)
  const { clock = Date.now, clock_skew_s = 5, max_lifetime_s } = options
  const source = options.url === undefined ? fixedSource(options) : servedSource(options, clock)
  const genuine = remembered<string, GenuineToken>(CACHED_TOKENS)

  const timesContext = () => ({
    now_s: Math.floor(clock() / 1000),
    clock_skew_s,
    ...(max_lifetime_s !== undefined && { max_lifetime_s }),
  })

  async function checkedFirst(compact_jwt: string, parts: DecodedToken, context: VerifierContext) {
    const claims = frozen(await verifyParts(parts, context).catch(rejectToken))
    const key = context.key(parts.header.kid ?? '')
    if (key !== undefined) genuine.set(compact_jwt, { key, claims })
    return claims
  }

  return {
    async inForceUntil(token) {
      const known_until_ms = await source.inForceUntil(token)
      checkedNow(() => checkTokenTimes(token.claims, timesContext())) // it may have expired since the first step
      return known_until_ms
    },
    async verifySigned(compact_jwt, audience) {
      const known = genuine.get(compact_jwt)
      const parts = known === undefined ? decodedToken(compact_jwt) : undefined
      const key = await findKey(known?.key.kid ?? parts?.header.kid, source.keys)
      const issuer = await source.issuer()
      const context = {
        ...timesContext(),
        issuer,
        typ: 'vat+jwt',
        key: (kid: string) => (kid === key?.kid ? key : undefined),
        ...(audience !== undefined && { audience }),
      }
      const claims =
        known !== undefined && known.key === key
          ? checkedAgain(known, context)
          : await checkedFirst(compact_jwt, parts ?? decodedToken(compact_jwt), context)
      // The service signed the token, and it writes every claim.
      return { claims: claims as unknown as Claims, kid: key?.kid ?? '' }
    },
  }
}

/** Rejects NaN, which a missing setting can become: no age is greater than NaN, so the limit would never apply. */
function checkSeconds(options: VerifierOptions): void {
  const given: Readonly<Record<string, unknown>> = { ...options }
  for (const name of ['clock_skew_s', 'max_lifetime_s', 'fresh_s', 'max_stale_s']) {
    const seconds = given[name]
    if (seconds !== undefined && !(Number.isFinite(seconds) && Number(seconds) >= 0))
      throw new TypeError(`${name} must be a number of seconds, 0 or more. It is ${String(seconds)}.`)
  }
}

interface VerificationSource {
  readonly keys: KeySource
  issuer(): Promise<string>
  inForceUntil(token: SignedToken): Promise<number>
}

const VERIFIER_TIMEOUT_MS = 5_000

function servedSource(options: ServedOptions, clock: () => number): VerificationSource {
  const { url, key, fetch, fresh_s = 5, max_stale_s = 60 } = options
  const client = methodsOf(connectionOf({ url, key, fetch, timeout_ms: VERIFIER_TIMEOUT_MS, retries: 1 }))
  const keys = servedKeys(() => client.getKeySet(), clock)
  let known_issuer = options.issuer
  const issuer = async () => {
    known_issuer ??= await client.getDeployment().then(
      (deployment) => deployment.issuer,
      (cause) => {
        throw new TokenRefused('keys_unavailable', 'The issuer could not be read from the service.', cause)
      },
    )
    return known_issuer
  }
  const followed = followRevocations({ client, keys, issuer, clock, fresh_s, max_stale_s })
  return { keys, issuer, inForceUntil: (token) => inForceUntil(followed, token) }
}

async function inForceUntil(followed: FollowedRevocations, { claims, kid }: SignedToken): Promise<number> {
  const { not_in_force: code, as_of_ms } = await followed.status(claims, kid)
  if (code === 'withdrawn_key') throw new TokenRefused(code, 'The key of this token was withdrawn.')
  if (code === 'token_revoked') throw new TokenRefused(code, 'The token was revoked.')
  if (code === 'token_suspended') throw new TokenRefused(code, 'The token is suspended.')
  if (as_of_ms === undefined) throw standingUnavailable()
  return as_of_ms
}

function standingUnavailable(): TokenRefused {
  const detail = 'The revocation status of the token could not be determined.'
  return new TokenRefused('standing_unavailable', detail)
}

function fixedSource({ jwks, issuer }: FixedOptions): VerificationSource {
  return {
    keys: fixedKeys(jwks),
    issuer: async () => issuer,
    inForceUntil: async () => {
      throw standingUnavailable()
    },
  }
}

/** Returns the key that the token names. If undefined, `verifyParts` rejects the token when it reaches that check. */
async function findKey(kid: string | undefined, keys: KeySource): Promise<VerificationKey | undefined> {
  if (kid === undefined) return undefined
  return keys.find(kid).catch((cause) => {
    throw new TokenRefused('keys_unavailable', 'The keys could not be read from the service.', cause)
  })
}

function decodedToken(compact_jwt: string): DecodedToken {
  if (typeof compact_jwt !== 'string')
    throw new TypeError('compact_jwt must be the compact JWT of a token, such as token.compact_jwt.')
  if (compact_jwt.startsWith('vat_'))
    throw new TokenRefused('malformed', "This is the token's ID. Send its compact_jwt.")
  try {
    return decodeCompact(compact_jwt)
  } catch (error) {
    return rejectToken(error)
  }
}

/**
 * Returns the claims of a token whose signature was verified before. Throws `TokenRefused` if they are invalid by now.
 */
function checkedAgain({ claims }: GenuineToken, context: VerifierContext): TokenClaims {
  checkedNow(() => checkPartiesAndTimes(claims, context))
  return claims
}

function checkedNow(check: () => void): void {
  try {
    check()
  } catch (error) {
    rejectToken(error)
  }
}

/** Freezes the value. Callers share the claims, so no caller may change them. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) frozen(member)
  return Object.freeze(value)
}

function rejectToken(error: unknown): never {
  if (error instanceof TokenError) throw new TokenRefused(error.code, error.message)
  throw error
}
