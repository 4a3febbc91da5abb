import { OAuthError } from '@deputize/protocol'
import { readApiKey } from '../../access/api-key.ts'
import type { RequestCredentials } from '../../access/credentials.ts'

const BASIC = /^basic +([A-Za-z0-9+/]+=*)$/i

/** Whether an OAuth request's headers carry a credential other than Basic authentication. */
export function hasOwnCredential({ authorization, session }: RequestCredentials): boolean {
  return authorization === undefined ? session !== undefined : !BASIC.test(authorization)
}

/** The parameters of an OAuth request that identify its sender. */
export interface ClientParameters {
  readonly client_id?: string | undefined
  readonly client_secret?: string | undefined
  /** The token that the request is about. Its holder may send the request, with a proof of its key. */
  readonly token?: string | undefined
}

/**
 * Returns the credentials of an OAuth client (RFC 6749 section 2.3.1): an API key as the secret, with the ID of the key
 * as the client ID. Without a secret, the token that the request is about is the credential.
 */
export function clientCredentials(
  credentials: RequestCredentials,
  { client_id, client_secret, token }: ClientParameters,
): RequestCredentials {
  const { authorization } = credentials
  if (authorization !== undefined && client_secret !== undefined)
    throw new OAuthError('invalid_request', 'Send the client secret in one place only.')
  const client =
    authorization === undefined ? { id: client_id, secret: client_secret } : basicClient(authorization)
  if (client.secret === undefined) return { ...credentials, token_parameter: token }
  const key_id = readApiKey(client.secret)?.key_id
  if (key_id === undefined || client.id !== key_id)
    throw new OAuthError(
      'invalid_client',
      'The client secret must be an API key (dk_...), and client_id the ID of that key.',
      401,
    )
  return { ...credentials, authorization: `Bearer ${client.secret}` }
}

function basicClient(authorization: string): { readonly id: string; readonly secret: string } {
  const [, encoded = ''] = BASIC.exec(authorization) ?? []
  const [id, secret, ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
  if (id === undefined || secret === undefined || rest.length > 0) throw malformedClient()
  return { id: formDecoded(id), secret: formDecoded(secret) }
}

/** Decodes the ID or the secret, which RFC 6749 encodes like the values of a form. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw malformedClient()
  }
}

function malformedClient(): OAuthError {
  return new OAuthError('invalid_client', 'The header Authorization is not valid Basic authentication.', 401)
}
