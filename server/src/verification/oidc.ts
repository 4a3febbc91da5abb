import { hash } from 'node:crypto'
import { AuthorityError } from '@deputize/protocol'
import type { Outbound } from '../outbound/outbound.ts'
import { lastAcceptedSecond, takeApart } from './id-token.ts'
import { type Identity, identityOf } from './identity.ts'
import type { OidcClient, StartedSignIn, Transaction } from './oidc-client.ts'
import type { Provider } from './providers.ts'
import { signOnFailed } from './sign-on-failed.ts'

/** A verified ID token that a client brought. */
export interface ProvenToken {
  readonly identity: Identity
  /** Identifies the token, however its signature is encoded. */
  readonly token_key: string
  /** When the token stops being accepted. */
  readonly expires_at_ms: number
}

/** Sign-in with OpenID Connect. */
export interface SignIn {
  readonly providers: readonly Provider[]
  /** With `max_age_s` the person must sign in again unless they did so within that time. */
  start(provider: Provider, max_age_s?: number): Promise<StartedSignIn>
  /** Completes a sign-in with the query that the provider sent the browser back with. */
  finish(query: URLSearchParams, transaction: Transaction): Promise<Identity>
  /** Verifies an ID token that a client got elsewhere from one of these providers. */
  verifyIdToken(
    id_token: string,
    expected: { readonly nonce: string | undefined; readonly providers: readonly Provider[] },
  ): Promise<ProvenToken>
}

export interface SignInOptions {
  readonly providers: readonly Provider[]
  /** The outbound client for a provider, and for the addresses in its answers. */
  readonly callFor: (provider: Provider) => Outbound
  readonly clock: () => number
  /** Where providers send the browser back to; known only once the service listens. */
  readonly redirect_uri: () => string
}

export function openSignIn({ providers, callFor, clock, redirect_uri }: SignInOptions): SignIn {
  // Providers compare the address byte by byte, so it is always normalized the same way.
  const returnAddress = () => new URL(redirect_uri()).href
  const clients = new Map<string, Promise<OidcClient>>()

  /** Returns a provider's client. The library is large, so it is loaded with the first sign-in. */
  function clientFor(name: string): Promise<OidcClient> {
    const provider = providers.find((one) => one.name === name)
    if (provider === undefined) throw new AuthorityError('provider_unknown')
    const known = clients.get(name)
    if (known !== undefined) return known
    const client = import('./oidc-client.ts').then(({ oidcClient }) =>
      oidcClient(provider, callFor(provider), clock),
    )
    clients.set(name, client)
    return client
  }

  return {
    providers,
    start: async ({ name }, max_age_s) => (await clientFor(name)).start(returnAddress(), max_age_s),
    finish: async (query, transaction) =>
      (await clientFor(transaction.provider)).redeem(query, transaction, returnAddress()),
    async verifyIdToken(id_token, { nonce, providers: accepted }) {
      const token = takeApart(id_token)
      const issued = accepted.filter(({ issuer }) => issuer === token.claims.iss)
      if (issued.length === 0) throw signOnFailed('issuer')
      const audience = [token.claims.aud].flat()
      const provider = issued.find(({ client_id }) => audience.includes(client_id))
      if (provider === undefined) throw signOnFailed('audience')
      const client = await clientFor(provider.name)
      const claims = await client.prove(token, { nonce, access_token: undefined })
      return {
        identity: identityOf(provider, claims),
        token_key: hash('sha256', token.signed),
        expires_at_ms: lastAcceptedSecond(claims) * 1000,
      }
    },
  }
}
