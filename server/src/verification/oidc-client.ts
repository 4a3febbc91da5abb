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
  clockSkew,
  clockTolerance,
  customFetch,
  discovery,
  fetchUserInfo,
  None,
  ResponseBodyError,
  type ServerMetadata,
} from 'openid-client'
import { type Outbound, OutboundError } from '../outbound/outbound.ts'
import { type ProvenClaims, proven, SKEW_S, takeApart, textOf, type UnprovenToken } from './id-token.ts'
import { groupsClaim, type Identity, identityOf } from './identity.ts'
import { type KeySet, keySet } from './key-set.ts'
import type { Provider } from './providers.ts'
import { signOnFailed } from './sign-on-failed.ts'

const DISCOVER_AGAIN_MS = 3_600_000
/** After a failure the provider is left alone for a moment, however many people try to sign on. */
const PAUSE_MS = 2_000
const TIMEOUT_S = 5

/** What has to be remembered while a person is at the provider. All of it is secret. */
export interface Transaction {
  readonly provider: string
  readonly state: string
  readonly nonce: string
  readonly code_verifier: string
}

/** What is known of a provider: learned when it is first needed, and again from time to time. */
interface Acquaintance {
  readonly metadata: ServerMetadata
  readonly keys: KeySet
  /** A client of the provider that speaks through `call`. */
  configuration(call: Outbound): Configuration
  authorizationUrl(parameters: Record<string, string>): URL
}

/** Our side of a provider: a client of it, with what is remembered from call to call. */
export interface Relation {
  acquainted(): Promise<Acquaintance>
  redeem(query: URLSearchParams, transaction: Transaction, redirect_uri: string): Promise<Identity>
  prove(
    token: UnprovenToken,
    nonce: string | undefined,
    access_token: string | undefined,
  ): Promise<ProvenClaims>
}

export function relation(provider: Provider, call: Outbound, clock: () => number): Relation {
  let known: Acquaintance | undefined
  let ask_after_ms = Number.NEGATIVE_INFINITY
  let asking: Promise<Acquaintance> | undefined

  async function ask(): Promise<Acquaintance> {
    ask_after_ms = clock() + PAUSE_MS
    const metadata = await discovered(provider, call)
    const keys = known?.metadata.jwks_uri === metadata.jwks_uri ? known?.keys : undefined
    known = acquaintance(
      provider,
      metadata,
      keys ?? keySet(metadata.jwks_uri ?? '', call, clock),
      call,
      clock,
    )
    ask_after_ms = clock() + DISCOVER_AGAIN_MS
    return known
  }

  /** Callers at the same time wait for the same answer. A provider that is away is as it was when it was last seen. */
  async function acquainted(): Promise<Acquaintance> {
    if (asking === undefined && clock() < ask_after_ms) {
      if (known === undefined) throw new AuthorityError('provider_unavailable')
      return known
    }
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking.catch((error: unknown) => known ?? Promise.reject(unavailable(error)))
  }

  async function prove(
    token: UnprovenToken,
    nonce: string | undefined,
    access_token: string | undefined,
  ): Promise<ProvenClaims> {
    const { issuer, client_id } = provider
    const { keys } = await acquainted()
    const now_s = Math.floor(clock() / 1000)
    return proven(token, {
      issuer,
      client_id,
      now_s,
      nonce,
      access_token,
      keys: (kid) => keys.find(kid).catch((error: unknown) => Promise.reject(unavailable(error))),
    })
  }

  /** Some providers keep the address and the groups out of the ID token, and tell them to who has the access token. */
  async function completed(claims: ProvenClaims, access_token: string | undefined): Promise<ProvenClaims> {
    const { configuration, metadata } = await acquainted()
    const wanted = [...(provider.scopes.includes('email') ? ['email'] : []), ...groupsClaim(provider)]
    const isComplete = wanted.every((name) => claims[name] !== undefined)
    if (isComplete || access_token === undefined || metadata.userinfo_endpoint === undefined) return claims
    const told: Readonly<Record<string, unknown>> = await fetchUserInfo(
      configuration(call),
      access_token,
      claims.sub,
    ).catch((error: unknown) => Promise.reject(refusalOf(error)))
    return {
      ...claims,
      // An address and whether it is verified belong together.
      ...(claims.email === undefined && { email: told.email, email_verified: told.email_verified }),
      ...Object.fromEntries(
        groupsClaim(provider).flatMap((name) => (claims[name] === undefined ? [[name, told[name]]] : [])),
      ),
    }
  }

  return {
    acquainted,
    prove,
    async redeem(query, { state, nonce, code_verifier }, redirect_uri) {
      const { configuration, metadata } = await acquainted()
      assertFrom(query, provider, metadata)
      const answers: string[] = []
      const listening: Outbound = async (url, request) => {
        const response = await call(url, request)
        answers.push(await response.clone().text())
        return response
      }
      const back = new URL(redirect_uri)
      back.search = query.toString()
      const failure = await authorizationCodeGrant(configuration(listening), back, {
        pkceCodeVerifier: code_verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      }).then(
        () => undefined,
        (error: unknown) => refusalOf(error),
      )
      // The library looks at a token too, but not at its signature, and its words are not ours: ours come first.
      const { id_token, access_token } = tokensIn(answers.at(-1))
      if (id_token === undefined) throw failure ?? signOnFailed('answer_malformed')
      const claims = await prove(takeApart(id_token), nonce, access_token)
      if (failure !== undefined) throw failure
      return identityOf(provider, await completed(claims, access_token))
    },
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
  // A person is sent to the first, and what is believed comes from the others.
  if (metadata.issuer !== issuer || !addresses.every((address) => wanted.test(address ?? '')))
    throw new AuthorityError('provider_unavailable')
  return metadata
}

function acquaintance(
  provider: Provider,
  metadata: ServerMetadata,
  keys: KeySet,
  call: Outbound,
  clock: () => number,
): Acquaintance {
  function configuration(through: Outbound): Configuration {
    const client = new Configuration(
      metadata,
      provider.client_id,
      { [clockSkew]: Math.round((clock() - Date.now()) / 1000), [clockTolerance]: SKEW_S },
      authenticationOf(provider, metadata),
    )
    client[customFetch] = fetchThrough(through)
    client.timeout = TIMEOUT_S
    if (isPlain(provider.issuer)) allowInsecureRequests(client)
    return client
  }
  return {
    metadata,
    keys,
    configuration,
    authorizationUrl: (parameters) => buildAuthorizationUrl(configuration(call), parameters),
  }
}

/** Plain http is spoken with a provider on this machine only. */
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

/** Lets the library speak through the one way out. */
function fetchThrough(call: Outbound): CustomFetch {
  return (url, { method, headers, body, signal }) =>
    call(url, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      body: body instanceof URLSearchParams ? body.toString() : (textOf(body) ?? undefined),
      signal,
    })
}

/** RFC 9207: an answer says who gives it, so that the code of one provider is never taken to another. */
function assertFrom(query: URLSearchParams, { issuer }: Provider, metadata: ServerMetadata): void {
  const given = query.getAll('iss')
  const isMissing = given.length === 0 && metadata.authorization_response_iss_parameter_supported === true
  if (isMissing || given.some((one) => one !== issuer)) throw signOnFailed('issuer_parameter')
}

function refusalOf(error: unknown): AuthorityError {
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
    return { id_token: textOf(id_token), access_token: textOf(access_token) }
  } catch {
    return { id_token: undefined, access_token: undefined }
  }
}
