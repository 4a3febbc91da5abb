import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

/**
 * oidc-provider with its store in memory: a client with a secret gets an EdDSA-signed JWT. It keeps no log and syncs
 * nothing, so it does less than Deputy's issue/l1.
 */
const server = createServer()
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo // a TCP server that listens has one
  const address = `http://127.0.0.1:${port}`
  const { privateKey } = generateKeyPairSync('ed25519')
  const provider = new Provider(address, {
    clients: [
      {
        client_id: 'bench',
        client_secret: 'bench-secret',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        id_token_signed_response_alg: 'EdDSA',
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'bench', use: 'sig', alg: 'EdDSA' }] },
    features: {
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: 'read',
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'EdDSA' } },
        }),
      },
    },
  })
  server.on('request', provider.callback())
  process.stdout.write(`address ${address}\n`)
})
