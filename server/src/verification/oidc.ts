import { hash } from 'node:crypto'
import { AuthorityError } from '@deputize/protocol'
import { calculatePKCECodeChallenge, randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client'
import type { Outbound } from '../outbound/outbound.ts'
import { endOf, takeApart } from './id-token.ts'
import { type Identity, identityOf } from './identity.ts'
import { type Relation, relation, type Transaction } from './oidc-client.ts'
import type { Provider } from './providers.ts'
import { signOnFailed } from './sign-on-failed.ts'

export interface StartedSignOn {
  readonly authorization_url: string
  readonly transaction: Transaction
}

/** An ID token that was brought, proven. */
export interface ProvenToken {
  readonly identity: Identity
  /** Stands for the token, however its signature is spelled. */
  readonly token_key: string
  /** From then on nobody takes the token any more. */
  readonly expires_at_ms: number
}

export interface SignOn {
  readonly providers: readonly Provider[]
  start(provider: Provider): Promise<StartedSignOn>
  /** Ends what `start` began, with the query of the address that the provider sent the browser back to. */
  finish(query: URLSearchParams, transaction: Transaction): Promise<Identity>
  /** Proves a token that a client got elsewhere, of one of these providers. */
  verifyIdToken(
    id_token: string,
    brought: { readonly nonce: string | undefined; readonly providers: readonly Provider[] },
  ): Promise<ProvenToken>
}

export interface SignOnOptions {
  readonly providers: readonly Provider[]
  /** The way out to a provider, and to whatever addresses its answers name. */
  readonly callFor: (provider: Provider) => Outbound
  readonly clock: () => number
  /** Where providers send the browser back to; known only once the service listens. */
  readonly redirect_uri: () => string
}

/** Sign-on with OpenID Connect: the authorization code flow with PKCE, state and nonce. */
export function signOn({ providers, callFor, clock, redirect_uri }: SignOnOptions): SignOn {
  // Both times in the one spelling that the library uses: providers compare letter by letter.
  const here = () => new URL(redirect_uri()).href
  const relations = new Map(
    providers.map((provider) => [provider.name, relation(provider, callFor(provider), clock)]),
  )

  function relationTo(name: string): Relation {
    const found = relations.get(name)
    if (found === undefined) throw new AuthorityError('provider_unknown')
    return found
  }

  return {
    providers,
    async start({ name, scopes, prompt }) {
      const { authorizationUrl } = await relationTo(name).acquainted()
      const [state, nonce, code_verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()]
      const url = authorizationUrl({
        redirect_uri: here(),
        scope: scopes.join(' '),
        code_challenge: await calculatePKCECodeChallenge(code_verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        ...(prompt !== undefined && { prompt }),
      })
      return {
        authorization_url: url.href,
        transaction: { provider: name, state, nonce, code_verifier },
      }
    },
    finish: (query, transaction) => relationTo(transaction.provider).redeem(query, transaction, here()),
    async verifyIdToken(id_token, { nonce, providers: accepted }) {
      const token = takeApart(id_token)
      const issued = accepted.filter(({ issuer }) => issuer === token.claims.iss)
      if (issued.length === 0) throw signOnFailed('issuer')
      const audience = [token.claims.aud].flat()
      const provider = issued.find(({ client_id }) => audience.includes(client_id))
      if (provider === undefined) throw signOnFailed('audience')
      const claims = await relationTo(provider.name).prove(token, nonce, undefined)
      return {
        identity: identityOf(provider, claims),
        token_key: hash('sha256', token.signed),
        expires_at_ms: endOf(claims) * 1000,
      }
    },
  }
}
