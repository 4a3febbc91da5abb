import { AuthorityError, HOLDER_ALGORITHMS, OPERATIONS, TOKEN_EXCHANGE, vkeyOf } from '@deputize/protocol'
import type { Handler } from './operation-context.ts'

export const getKeySet: Handler<'getKeySet'> = async (_call, { keys }) => ({
  keys: keys.published().map(({ kid, alg, jwk }) => ({ ...jwk, kid, alg, use: 'sig' })),
})

export const getAuthorizationServer: Handler<'getAuthorizationServer'> = async ({ origin }, { issuer }) => ({
  issuer,
  token_endpoint: `${origin}${OPERATIONS.exchangeToken.path}`,
  introspection_endpoint: `${origin}${OPERATIONS.introspectToken.path}`,
  jwks_uri: `${origin}${OPERATIONS.getKeySet.path}`,
  service_documentation: `${origin}/docs`,
  response_types_supported: [], // nothing here sends a browser back with an answer
  grant_types_supported: [TOKEN_EXCHANGE],
  token_endpoint_auth_methods_supported: ['none'],
  introspection_endpoint_auth_methods_supported: ['none'],
  dpop_signing_alg_values_supported: Object.keys(HOLDER_ALGORITHMS),
})

export const getDeployment: Handler<'getDeployment'> = async (_call, { issuer, access, version, keys }) => ({
  issuer,
  access,
  api: { version, openapi: '/openapi.json', docs: '/docs' },
  jwks_uri: '/.well-known/jwks.json',
  log: { origin: keys.log.key.name, vkey: vkeyOf(keys.log.key) },
})

export const getHealth: Handler<'getHealth'> = async () => ({ status: 'ok' })

export const getReadiness: Handler<'getReadiness'> = async (_call, { clerk, isShuttingDown }) => {
  if (isShuttingDown()) throw new AuthorityError('shutting_down')
  if (!clerk.isHealthy()) throw new AuthorityError('storage_unavailable')
  return { status: 'ready' }
}
