import { AuthorityError } from '@deputize/protocol'
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  clockSkew,
  clockTolerance,
  customFetch,
  discovery,
  fetchUserInfo,
  None,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type ServerMetadata,
} from 'openid-client'
import { type Outbound, OutboundError } from '../outbound/outbound.ts'
import {
  type ProvenClaims,
  provenClaims,
  SKEW_S,
  takeApart,
  textClaim,
  type UnprovenToken,
} from './id-token.ts'
import { groupsClaim, type Identity, identityOf } from './identity.ts'
import { type ProviderKeys, providerKeys } from './provider-keys.ts'
import type { Provider } from './providers.ts'
import { signOnFailed } from './sign-on-failed.ts'

const REFRESH_MS = 3_600_000
/** After a failed attempt the provider is not called again for this long, however many people try to sign in. */
const RETRY_AFTER_MS = 2_000
const TIMEOUT_S = 5

/** The state of a sign-in while a person is at the provider. All of it is secret. */
export interface Transaction {
  readonly provider: string
  readonly state: string
  readonly nonce: string
  readonly code_verifier: string
  /** The person must have signed in at the provider at most this many seconds ago. */
  readonly max_age_s?: number
}

export interface StartedSignIn {
  readonly authorization_url: string
  readonly transaction: Transaction
}

export interface RedeemedClaims {
  readonly id_token: ProvenClaims
  readonly userinfo: Readonly<Record<string, unknown>>
}

/** A client of one provider. It caches the provider's metadata and keys. */
export interface OidcClient {
  /** Begins the authorization code flow with PKCE, state and nonce. `claims` requests individual claims (Core 5.5). */
  start(redirect_uri: string, max_age_s: number | undefined, claims?: object): Promise<StartedSignIn>
  /** Redeems the code in the query that the provider sent the browser back with. */
  redeem(query: URLSearchParams, transaction: Transaction, redirect_uri: string): Promise<Identity>
  /** Like `redeem`, but returns all claims of the ID token, and those of the userinfo endpoint if there is one. */
  redeemClaims(
    query: URLSearchParams,
    transaction: Transaction,
    redirect_uri: string,
  ): Promise<RedeemedClaims>
  /** Verifies an ID token against the keys that the provider publishes. */
  prove(token: UnprovenToken, expected: ExpectedBinding): Promise<ProvenClaims>
}

/** What an ID token must be bound to, if anything. */
interface ExpectedBinding {
  readonly nonce: string | undefined
  readonly access_token: string | undefined
}

export function oidcClient(provider: Provider, call: Outbound, clock: () => number): OidcClient {
  const metadataOf = metadataCache(provider, call, clock)
  const configure = (through: Outbound, { server }: ProviderMetadata) =>
    configuration(provider, server, through, clock)

  async function prove(
    token: UnprovenToken,
    { nonce, access_token }: ExpectedBinding,
  ): Promise<ProvenClaims> {
    const { issuer, client_id } = provider
    const { keys } = await metadataOf()
    return provenClaims(token, {
      issuer,
      client_id,
      now_s: Math.floor(clock() / 1000),
      nonce,
      access_token,
      keys: (kid) => keys.find(kid).catch((error: unknown) => Promise.reject(unavailable(error))),
    })
  }

  async function userInfo(
    { sub }: ProvenClaims,
    access_token: string,
  ): Promise<Readonly<Record<string, unknown>>> {
    const configured = configure(call, await metadataOf())
    return fetchUserInfo(configured, access_token, sub).catch((error: unknown) =>
      Promise.reject(signInRefusal(error)),
    )
  }

  /** Adds missing claims. Some providers give the email address and the groups only from the userinfo endpoint. */
  async function withUserInfo(claims: ProvenClaims, access_token: string | undefined): Promise<ProvenClaims> {
    const metadata = await metadataOf()
    const wanted = [...(provider.scopes.includes('email') ? ['email'] : []), ...groupsClaim(provider)]
    const isComplete = wanted.every((name) => claims[name] !== undefined)
    if (isComplete || access_token === undefined || metadata.server.userinfo_endpoint === undefined)
      return claims
    const info = await userInfo(claims, access_token)
    return {
      ...claims,
      // An address and whether it is verified belong together.
      ...(claims.email === undefined && { email: info.email, email_verified: info.email_verified }),
      ...Object.fromEntries(
        groupsClaim(provider).flatMap((name) => (claims[name] === undefined ? [[name, info[name]]] : [])),
      ),
    }
  }

  async function redeemed(
    query: URLSearchParams,
    transaction: Transaction,
    redirect_uri: string,
  ): Promise<{ claims: ProvenClaims; access_token: string | undefined }> {
    const metadata = await metadataOf()
    assertFrom(query, provider, metadata.server)
    const recorded = recording(call)
    const returned = new URL(redirect_uri)
    returned.search = query.toString()
    const failure = await redeemCode(configure(recorded.call, metadata), returned, transaction)
    // The library checks the token too, but not its signature. The check below comes first and gives its own reasons.
    const { id_token, access_token } = tokensIn(recorded.lastAnswer())
    if (id_token === undefined) throw failure ?? signOnFailed('answer_malformed')
    const claims = await prove(takeApart(id_token), { nonce: transaction.nonce, access_token })
    if (failure !== undefined) throw failure
    assertSignedInSince(claims, transaction, clock)
    return { claims, access_token }
  }

  return {
    prove,
    async start(redirect_uri, max_age_s, claims) {
      const { name, scopes, prompt } = provider
      const configured = configure(call, await metadataOf())
      const [state, nonce, code_verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()]
      const url = buildAuthorizationUrl(configured, {
        redirect_uri,
        scope: scopes.join(' '),
        code_challenge: await calculatePKCECodeChallenge(code_verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        ...(prompt !== undefined && { prompt }),
        ...(claims !== undefined && { claims: JSON.stringify(claims) }),
        ...(max_age_s !== undefined && { prompt: 'login', max_age: String(max_age_s) }),
      })
      const transaction = {
        provider: name,
        state,
        nonce,
        code_verifier,
        ...(max_age_s !== undefined && { max_age_s }),
      }
      return { authorization_url: url.href, transaction }
    },
    async redeem(query, transaction, redirect_uri) {
      const { claims, access_token } = await redeemed(query, transaction, redirect_uri)
      return identityOf(provider, await withUserInfo(claims, access_token))
    },
    async redeemClaims(query, transaction, redirect_uri) {
      const { claims, access_token } = await redeemed(query, transaction, redirect_uri)
      const { server } = await metadataOf()
      const isAsked = access_token !== undefined && server.userinfo_endpoint !== undefined
      return { id_token: claims, userinfo: isAsked ? await userInfo(claims, access_token) : {} }
    },
  }
}

interface ProviderMetadata {
  readonly server: ServerMetadata
  readonly keys: ProviderKeys
}

/** Concurrent callers share one discovery. While a provider is unreachable, its last known metadata is used. */
function metadataCache(provider: Provider, call: Outbound, clock: () => number) {
  let known: ProviderMetadata | undefined
  let discover_after_ms = Number.NEGATIVE_INFINITY
  let discovering: Promise<ProviderMetadata> | undefined

  async function discover(): Promise<ProviderMetadata> {
    discover_after_ms = clock() + RETRY_AFTER_MS
    const server = await discovered(provider, call)
    const keys = known?.server.jwks_uri === server.jwks_uri ? known?.keys : undefined
    known = { server, keys: keys ?? providerKeys(server.jwks_uri ?? '', call, clock) }
    discover_after_ms = clock() + REFRESH_MS
    return known
  }

  return async (): Promise<ProviderMetadata> => {
    if (discovering === undefined && clock() < discover_after_ms) {
      if (known === undefined) throw new AuthorityError('provider_unavailable')
      return known
    }
    discovering ??= discover().finally(() => {
      discovering = undefined
    })
    return discovering.catch((error: unknown) => known ?? Promise.reject(unavailable(error)))
  }
}

async function discovered(
  { issuer, client_id, client_secret }: Provider,
  call: Outbound,
): Promise<ServerMetadata> {
  const found = await discovery(new URL(issuer), client_id, client_secret, undefined, {
    [customFetch]: fetchThrough(call),
    timeout: TIMEOUT_S,
    ...(isPlain(issuer) && { execute: [allowInsecureRequests] }),
  })
  const metadata = found.serverMetadata()
  const wanted = isPlain(issuer) ? /^https?:\/\// : /^https:\/\//
  const addresses = [metadata.authorization_endpoint, metadata.token_endpoint, metadata.jwks_uri]
  // People are sent to the first address, and the answers of the others are trusted.
  if (metadata.issuer !== issuer || !addresses.every((address) => wanted.test(address ?? '')))
    throw new AuthorityError('provider_unavailable')
  return metadata
}

/** Returns the library's view of this client, which makes its requests through `call`. */
function configuration(
  provider: Provider,
  metadata: ServerMetadata,
  call: Outbound,
  clock: () => number,
): Configuration {
  const configured = new Configuration(
    metadata,
    provider.client_id,
    { [clockSkew]: Math.round((clock() - Date.now()) / 1000), [clockTolerance]: SKEW_S },
    authenticationOf(provider, metadata),
  )
  configured[customFetch] = fetchThrough(call)
  configured.timeout = TIMEOUT_S
  if (isPlain(provider.issuer)) allowInsecureRequests(configured)
  return configured
}

/** Whether the provider uses plain http, which only one on this machine may. */
function isPlain(issuer: string): boolean {
  return issuer.startsWith('http:')
}

function authenticationOf(
  { client_secret }: Provider,
  { token_endpoint_auth_methods_supported: methods }: ServerMetadata,
): ClientAuth {
  if (client_secret === undefined) return None()
  const isByForm = methods?.includes('client_secret_post') === true
  return isByForm ? ClientSecretPost(client_secret) : ClientSecretBasic(client_secret)
}

/** Makes the library's requests through the outbound client. */
function fetchThrough(call: Outbound): CustomFetch {
  return (url, { method, headers, body, signal }) =>
    call(url, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      body: body instanceof URLSearchParams ? body.toString() : textClaim(body),
      signal,
    })
}

/** Returns an outbound client that keeps the text of its last answer, which the library doesn't expose. */
function recording(call: Outbound): { readonly call: Outbound; lastAnswer(): string | undefined } {
  let last: string | undefined
  return {
    async call(url, request) {
      const response = await call(url, request)
      last = await response.clone().text()
      return response
    },
    lastAnswer: () => last,
  }
}

async function redeemCode(
  configured: Configuration,
  returned: URL,
  { code_verifier, state, nonce }: Transaction,
): Promise<AuthorityError | undefined> {
  try {
    await authorizationCodeGrant(configured, returned, {
      pkceCodeVerifier: code_verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    })
    return undefined
  } catch (error) {
    return signInRefusal(error)
  }
}

/** OpenID Connect Core 3.1.2.1: a provider that is given `max_age` must name the time of the sign-in. */
function assertSignedInSince(
  { auth_time }: ProvenClaims,
  { max_age_s }: Transaction,
  clock: () => number,
): void {
  if (max_age_s === undefined) return
  const earliest_s = Math.floor(clock() / 1000) - max_age_s - SKEW_S
  if (typeof auth_time !== 'number' || auth_time < earliest_s) throw signOnFailed('auth_time')
}

/** RFC 9207: the answer names its issuer, so that a code of one provider is never sent to another. */
function assertFrom(query: URLSearchParams, { issuer }: Provider, metadata: ServerMetadata): void {
  const given = query.getAll('iss')
  const isMissing = given.length === 0 && metadata.authorization_response_iss_parameter_supported === true
  if (isMissing || given.some((one) => one !== issuer)) throw signOnFailed('issuer_parameter')
}

function signInRefusal(error: unknown): AuthorityError {
  if (error instanceof AuthorizationResponseError)
    return signOnFailed(error.error === 'access_denied' ? 'declined' : 'provider_error')
  if (error instanceof ResponseBodyError)
    return signOnFailed(error.error === 'invalid_grant' ? 'code_refused' : 'provider_error')
  return isOutbound(error) ? unavailable(error) : signOnFailed('answer_malformed')
}

function isOutbound(error: unknown): boolean {
  if (error instanceof OutboundError) return true
  return error instanceof Error && error.cause !== undefined && isOutbound(error.cause)
}

function unavailable(error: unknown): AuthorityError {
  return error instanceof AuthorityError ? error : new AuthorityError('provider_unavailable')
}

function tokensIn(answer: string | undefined): {
  id_token: string | undefined
  access_token: string | undefined
} {
  try {
    const body: unknown = JSON.parse(answer ?? '')
    const { id_token, access_token } = { id_token: undefined, access_token: undefined, ...Object(body) }
    return { id_token: textClaim(id_token), access_token: textClaim(access_token) }
  } catch {
    return { id_token: undefined, access_token: undefined }
  }
}
