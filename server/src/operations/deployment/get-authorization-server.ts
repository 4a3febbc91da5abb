import { type AnswerOf, HOLDER_ALGORITHMS, OPERATIONS, TOKEN_EXCHANGE } from '@deputize/protocol'
import type { Handler, OperationContext } from '../operation-context.ts'

/** The client secret is an API key, and the client ID is the key's ID. */
const WITH_API_KEY = ['client_secret_basic', 'client_secret_post']

export const getAuthorizationServer: Handler<'getAuthorizationServer'> = async ({ origin }, context) =>
  authorizationServer(origin, context)

/** Returns RFC 8414 metadata. */
export const authorizationServer = (
  origin: string,
  { issuer, access }: OperationContext,
): AnswerOf<typeof OPERATIONS.getAuthorizationServer> => ({
  issuer,
  token_endpoint: `${origin}${OPERATIONS.exchangeToken.path}`,
  revocation_endpoint: `${origin}${OPERATIONS.revokeOauthToken.path}`,
  introspection_endpoint: `${origin}${OPERATIONS.introspectToken.path}`,
  jwks_uri: `${origin}${OPERATIONS.getKeySet.path}`,
  service_documentation: `${origin}/docs`,
  response_types_supported: [], // there is no authorization endpoint
  grant_types_supported: [TOKEN_EXCHANGE],
  // The subject token, with a proof of its key, is the credential of an exchange.
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none', ...WITH_API_KEY],
  introspection_endpoint_auth_methods_supported: access === 'open' ? ['none'] : WITH_API_KEY,
  dpop_signing_alg_values_supported: Object.keys(HOLDER_ALGORITHMS),
})
