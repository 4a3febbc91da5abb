import { CredentialError } from '@deputize/protocol'
import { API_KEY_PREFIX } from './api-key.ts'

/** The content of an `Authorization` header, not yet verified. */
export type PresentedCredential =
  | { readonly kind: 'api_key'; readonly text: string }
  | { readonly kind: 'token'; readonly scheme: 'Bearer' | 'DPoP'; readonly compact_jwt: string }

/** RFC 9110 section 11.2, `token68`, with nothing around it. */
const CREDENTIAL = /^(bearer|dpop) +([A-Za-z0-9\-._~+/]+=*)$/i

/** Returns undefined without a header. Repeated headers, other schemes and other forms are malformed. */
export function readAuthorization(header: string | undefined): PresentedCredential | undefined {
  if (header === undefined) return undefined
  const [, scheme, text] = CREDENTIAL.exec(header) ?? []
  if (scheme === undefined || text === undefined) throw new CredentialError('credential_malformed')
  const isBearer = scheme.toLowerCase() === 'bearer'
  if (isBearer && text.startsWith(API_KEY_PREFIX)) return { kind: 'api_key', text }
  return { kind: 'token', scheme: isBearer ? 'Bearer' : 'DPoP', compact_jwt: text }
}
