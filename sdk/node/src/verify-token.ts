import {
  checkPartiesAndTimes,
  type DecodedToken,
  decodeCompact,
  type TokenClaims,
  TokenError,
  type VerificationKey,
  type VerifierContext,
} from '../../../protocol/src/token/jws.ts'
import { connectionOf, methodsOf } from './client.ts'
import { type FollowedStanding, followStanding } from './follow-standing.ts'
import type { Claims, VerificationReason } from './generated/operations.ts'
import { fixedKeys, type KeySource, servedKeys } from './key-set.ts'
import { checkOptions } from './options.ts'
import { remembered } from './remembered.ts'
import { verifyParts } from './verify-compact.ts'

/** A JWK Set (RFC 7517), as `/.well-known/jwks.json` serves it. */
export interface JwkSet {
  readonly keys: readonly object[]
}

/** What is asked of a token besides being genuine. */
export interface VerifyOptions {
  /** When given, the token must be for this audience and for no other. */
  readonly audience?: string | undefined
}

interface CommonOptions extends VerifyOptions {
  /** Seconds by which clocks may disagree; 5 when absent. */
  readonly clock_skew_s?: number | undefined
  readonly max_lifetime_s?: number | undefined
  /** The time in milliseconds, for tests. */
  readonly clock?: (() => number) | undefined
}

/** With the address of the service: keys and revocations are fetched from it, and remembered. */
export interface ServedOptions extends CommonOptions {
  readonly url: string
  readonly jwks?: undefined
  /** What the service says of itself when absent. */
  readonly issuer?: string | undefined
  /** An API key. Without one, in keyed mode, revocations are known a few seconds later. */
  readonly key?: string | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
  /** false: does not ask whether the token was revoked. Only for those who ask the service about each action. */
  readonly revocations?: boolean | undefined
  /** What is known of revocations is asked for again after so many seconds; 5 when absent. */
  readonly fresh_s?: number | undefined
  /** While the service cannot be reached, tokens are believed for so many seconds; 60 when absent. */
  readonly max_stale_s?: number | undefined
}

/** With keys at hand: no network at all, and no word on revocations. */
export interface FixedOptions extends CommonOptions {
  readonly jwks: JwkSet
  readonly issuer: string
  readonly url?: undefined
}

/** Where keys come from: the service, or this program. */
export type VerifierOptions = ServedOptions | FixedOptions

/** Why a token is not to be believed. */
export type TokenRefusedCode = VerificationReason | 'standing_unavailable' | 'keys_unavailable'

/** The token is not to be believed. The message is safe to show. */
export class TokenRefused extends Error {
  readonly code: TokenRefusedCode

  constructor(code: TokenRefusedCode, detail: string, cause?: unknown) {
    super(detail, cause === undefined ? undefined : { cause })
    this.name = 'TokenRefused'
    this.code = code
  }
}

/** What is known about revocations. */
export interface Standing {
  /** ISO 8601. What was revoked later is not known here. */
  readonly as_of: string
}

/** A token that is to be believed. */
export interface VerifiedToken {
  /** Frozen, and the same whenever the same token is verified again. */
  readonly claims: Claims
  readonly jti: string
  /** As stored, with the prefix `agent:`. */
  readonly agent_id: string
  readonly human_ref: string
  /** Undefined when nobody was asked. */
  readonly standing: Standing | undefined
}

/** Verifies tokens, and keeps what it learns. */
export interface TokenVerifier {
  verify(compact_jwt: string, options?: VerifyOptions): Promise<VerifiedToken>
}

const verifiers = new Map<string, TokenVerifier>()
const MAX_VERIFIERS = 100
const OPTIONS: Record<keyof ServedOptions | keyof FixedOptions, true> = {
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

/** Verifies a token here, without asking the service about it. Keys and revocations are remembered between calls. */
export async function verifyToken(compact_jwt: string, options: VerifierOptions): Promise<VerifiedToken> {
  checkOptions(options, OPTIONS)
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

/** A token whose signature fits this very key. What its claims are never changes; whether they are still good does. */
interface Genuine {
  readonly key: VerificationKey
  readonly claims: TokenClaims
}

/** Only genuine ones, so that nobody displaces them by sending others. */
const REMEMBERED_TOKENS = 1_000

/**
 * A verifier that keeps what it learns. A token that it has seen is not decoded and its signature not checked again while
 * the key is the same; times, parties and revocations are looked at every time.
 */
export function tokenVerifier(options: VerifierOptions): TokenVerifier {
  checkOptions(options, OPTIONS)
  checkSeconds(options)
  const { clock = Date.now, clock_skew_s = 5, max_lifetime_s } = options
  const source = options.url === undefined ? fixedSource(options) : servedSource(options, clock)
  const genuine = remembered<string, Genuine>(REMEMBERED_TOKENS)

  async function judged(compact_jwt: string, parts: DecodedToken, context: VerifierContext) {
    const claims = frozen(await verifyParts(parts, context).catch(refuse))
    const key = context.key(parts.header.kid ?? '')
    if (key !== undefined) genuine.set(compact_jwt, { key, claims })
    return claims
  }

  return {
    async verify(compact_jwt, { audience = options.audience } = {}) {
      const known = genuine.get(compact_jwt)
      const parts = known === undefined ? decoded(compact_jwt) : undefined
      const key = await keyOf(known?.key.kid ?? parts?.header.kid, source.keys)
      const context = {
        now_s: Math.floor(clock() / 1000),
        issuer: await source.issuer(),
        typ: 'vat+jwt',
        clock_skew_s,
        key: (kid: string) => (kid === key?.kid ? key : undefined),
        ...(audience !== undefined && { audience }),
        ...(max_lifetime_s !== undefined && { max_lifetime_s }),
      }
      const claims =
        known !== undefined && known.key === key
          ? again(known, context)
          : await judged(compact_jwt, parts ?? decoded(compact_jwt), context)
      const trusted = claims as unknown as Claims // signed by the service, which writes all of them
      return {
        claims: trusted,
        jti: trusted.jti,
        agent_id: trusted.sub,
        human_ref: trusted.svc_human_ref,
        standing: await source.standing?.(trusted),
      }
    },
  }
}

/** Nothing is older than NaN seconds: a setting that is missing where it is read from would be no limit at all. */
function checkSeconds(options: VerifierOptions): void {
  const given: Readonly<Record<string, unknown>> = { ...options }
  for (const name of ['clock_skew_s', 'max_lifetime_s', 'fresh_s', 'max_stale_s']) {
    const seconds = given[name]
    if (seconds !== undefined && !(Number.isFinite(seconds) && Number(seconds) >= 0))
      throw new TypeError(`${name} has to be a number of seconds.`)
  }
}

interface Source {
  readonly keys: KeySource
  issuer(): Promise<string>
  readonly standing?: ((claims: Claims) => Promise<Standing>) | undefined
}

const TIMEOUT_MS = 5_000

function servedSource(options: ServedOptions, clock: () => number): Source {
  const { url, key, fetch, revocations = true, fresh_s = 5, max_stale_s = 60 } = options
  const client = methodsOf(connectionOf({ url, key, fetch, timeout_ms: TIMEOUT_MS, retries: 1 }))
  const keys = servedKeys(() => client.getKeySet(), clock)
  let known_issuer = options.issuer
  const issuer = async () => {
    known_issuer ??= await client.getDeployment().then(
      (deployment) => deployment.issuer,
      (cause) => {
        throw new TokenRefused('keys_unavailable', 'The service did not say who it is.', cause)
      },
    )
    return known_issuer
  }
  const followed = followStanding({ client, keys, issuer, clock, fresh_s, max_stale_s })
  return { keys, issuer, ...(revocations && { standing: (claims) => inForce(followed, claims) }) }
}

async function inForce(followed: FollowedStanding, claims: Claims): Promise<Standing> {
  const { word, as_of_ms } = await followed.standing(claims)
  if (word === 'token_revoked') throw new TokenRefused(word, 'The token was revoked.')
  if (word === 'token_suspended') throw new TokenRefused(word, 'The token is suspended.')
  if (as_of_ms === undefined)
    throw new TokenRefused('standing_unavailable', 'Whether the token was revoked could not be found out.')
  return { as_of: new Date(as_of_ms).toISOString() }
}

function fixedSource({ jwks, issuer }: FixedOptions): Source {
  return { keys: fixedKeys(jwks), issuer: async () => issuer }
}

/** The key that the token names, if there is such a one; the verifier says no otherwise, in its own words and turn. */
async function keyOf(kid: string | undefined, keys: KeySource): Promise<VerificationKey | undefined> {
  if (kid === undefined) return undefined
  return keys.find(kid).catch((cause) => {
    throw new TokenRefused('keys_unavailable', 'The keys of the service could not be read.', cause)
  })
}

function decoded(compact_jwt: string): DecodedToken {
  try {
    return decodeCompact(compact_jwt)
  } catch (error) {
    return refuse(error)
  }
}

/** The claims of a token that was verified before, if they are still good. */
function again({ claims }: Genuine, context: VerifierContext): TokenClaims {
  try {
    checkPartiesAndTimes(claims, context)
    return claims
  } catch (error) {
    return refuse(error)
  }
}

/** Many may hold the same claims: nobody may change them for the others. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) frozen(member)
  return Object.freeze(value)
}

function refuse(error: unknown): never {
  if (error instanceof TokenError) throw new TokenRefused(error.code, error.message)
  throw error
}
