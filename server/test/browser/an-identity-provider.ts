import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestScope } from '@deputize/testing/scope.ts'
import { Provider } from 'oidc-provider'

export interface IdentityProvider {
  readonly issuer: string
  readonly client_id: string
  readonly client_secret: string
  /** Starts answering for a service with these redirect URIs, which are known only once the service listens. */
  open(...redirect_uris: readonly string[]): void
}

/** The verified claims of Ada, who showed her passport. The provider has none for other people. */
const VERIFIED = {
  verification: { trust_framework: 'de_aml', time: '2026-01-05T10:00Z', evidence: [{ type: 'document' }] },
  claims: { given_name: 'Ada', family_name: 'Lovelace', birthdate: '1815-12-10' },
}

/** A real identity provider with pages to sign in and to consent. It accepts any name and password. */
export async function anIdentityProvider(scope: TestScope): Promise<IdentityProvider> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  scope.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // a TCP server has such an address
  const [client_id, client_secret] = ['deputy', randomBytes(32).toString('base64url')]
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'idp', use: 'sig', alg: 'RS256' }
  return {
    issuer,
    client_id,
    client_secret,
    open(...redirect_uris) {
      const provider = new Provider(issuer, {
        clients: [{ client_id, client_secret, redirect_uris }],
        jwks: { keys: [jwk] },
        cookies: { keys: [randomBytes(32).toString('base64url')] },
        claims: {
          openid: ['sub'],
          email: ['email', 'email_verified'],
          groups: ['groups'],
          verified_claims: null,
        },
        features: { claimsParameter: { enabled: true } },
        pkce: { required: () => true },
        findAccount: (_: unknown, id: string) => ({
          accountId: id,
          claims: () => ({
            sub: id,
            email: `${id}@example.com`,
            email_verified: true,
            groups: id === 'ada' ? ['staff'] : [],
            ...(id === 'ada' && { verified_claims: VERIFIED }),
          }),
        }),
      })
      server.on('request', provider.callback())
    },
  }
}
