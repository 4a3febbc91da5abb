import { type AgentKey, proofOf } from './agent-key.ts'
import type { Credential } from './request.ts'

export const NO_CREDENTIAL: Credential = {
  is_bound: false,
  headers: async () => ({}),
  learn: () => false,
}

/** Returns the credential of an API key, or of a token that is not bound to a key. */
export function bearer(text: string): Credential {
  return {
    is_bound: false,
    headers: async () => ({ authorization: `Bearer ${text}` }),
    learn: () => false,
  }
}

/**
 * Returns the credential of a bound token: every request gets a new proof (RFC 9449). Keeps one nonce for each service.
 */
export function proven(compact_jwt: string, key: AgentKey): Credential {
  const nonces = new Map<string, string>()
  return {
    is_bound: true,
    async headers(method, url) {
      const nonce = nonces.get(new URL(url).origin)
      const dpop = await proofOf(key, { method, url, compact_jwt, nonce })
      return { authorization: `DPoP ${compact_jwt}`, dpop }
    },
    learn(response, url) {
      const nonce = response.headers.get('dpop-nonce')
      if (nonce === null) return false
      nonces.set(new URL(url).origin, nonce)
      const challenge = response.headers.get('www-authenticate') ?? ''
      return response.status === 401 && challenge.includes('error="use_dpop_nonce"')
    },
  }
}
