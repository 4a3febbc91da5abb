import { HOLDER_ALGORITHMS, OPERATIONS, TOKEN_EXCHANGE } from '@deputize/protocol'
import type { Handler } from '../operation-context.ts'

/** RFC 8414 metadata. */
export const getAuthorizationServer: Handler<'getAuthorizationServer'> = async ({ origin }, { issuer }) => ({
  issuer,
  token_endpoint: `${origin}${OPERATIONS.exchangeToken.path}`,
  introspection_endpoint: `${origin}${OPERATIONS.introspectToken.path}`,
  jwks_uri: `${origin}${OPERATIONS.getKeySet.path}`,
  service_documentation: `${origin}/docs`,
  response_types_supported: [], // there is no authorization endpoint
  grant_types_supported: [TOKEN_EXCHANGE],
  token_endpoint_auth_methods_supported: ['none'],
  introspection_endpoint_auth_methods_supported: ['none'],
  dpop_signing_alg_values_supported: Object.keys(HOLDER_ALGORITHMS),
})
