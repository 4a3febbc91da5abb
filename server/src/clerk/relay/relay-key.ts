import { hkdfSync } from 'node:crypto'
import type { SecureContextOptions } from 'node:tls'

/** The identity that every node sends. Only the key proves that a node belongs to the deployment. */
export const RELAY_IDENTITY = 'deputy node'

/** The key of connections between nodes. Only nodes of one deployment can derive it, and the database never sees it. */
export function relayKey(vault_key: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', vault_key, '', 'deputy/clerk line', 32))
}

/**
 * Both sides prove that they have the key, and encrypt with a key of this connection alone, so replayed or altered
 * bytes end the connection. Node supports this key exchange only up to TLS 1.2.
 */
export const RELAY_TLS = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const satisfies SecureContextOptions
