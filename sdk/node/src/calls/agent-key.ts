import { encodeBase64url } from '../../../../protocol/src/encoding/base64url.ts'
import { readHolderJwk } from '../../../../protocol/src/token/holder-key.ts'
import { thumbprint } from '../../../../protocol/src/token/jwk.ts'
import { checkOptions } from '../options.ts'

const KEY_ALGORITHMS = {
  EdDSA: { generate: { name: 'Ed25519' }, sign: { name: 'Ed25519' } },
  ES256: { generate: { name: 'ECDSA', namedCurve: 'P-256' }, sign: { name: 'ECDSA', hash: 'SHA-256' } },
} as const
type KeyAlgorithm = keyof typeof KEY_ALGORITHMS

/** A public key, in the form that issue and delegate calls take as `agent_jwk`. */
export type PublicJwk =
  | { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string }
  | { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string }

/** A public key together with its private part. Keep it secret: its holder can act as the agent. */
export type PrivateJwk = PublicJwk & { readonly d: string }

/** The key of an agent. A stolen token that is bound to it is useless without the key. */
export interface AgentKey {
  readonly alg: KeyAlgorithm
  /** The public part. */
  readonly jwk: PublicJwk & Record<string, string>
  /** The thumbprint (RFC 7638), as in the claim `cnf.jkt` of bound tokens. */
  readonly jkt: string
  sign(message: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>
  /** Exports the key so that you can store it. Rejects if the key was created with `extractable: false`. */
  exportJwk(): Promise<PrivateJwk>
}

/** Options of `newAgentKey`. Unknown options are rejected by name. */
export interface NewKeyOptions {
  readonly extractable?: boolean
  readonly alg?: AgentKey['alg']
}

const NEW_KEY_OPTIONS: Record<keyof NewKeyOptions, true> = { extractable: true, alg: true }

/**
 * Creates a key: Ed25519, or P-256 if Web Crypto has no Ed25519. `alg` overrides the choice.
 *
 * @example
 * ```ts
 * import { deputy, newAgentKey } from '@deputize/sdk'
 *
 * const agent_key = await newAgentKey()
 * const client = deputy({ url: 'http://127.0.0.1:8420' })
 * const token = await client.issueL1({
 *   developer_email: 'dev@example.com',
 *   agent_id: 'calendar-bot',
 *   resources: ['calendar:events'],
 *   actions: ['read'],
 *   agent_jwk: agent_key.jwk,
 * })
 * const agent = client.withAuthority(token, { agent_key })
 * console.log(await agent.run('read', 'calendar:events', () => 3)) // 3
 * ```
 */
export async function newAgentKey(options: NewKeyOptions = {}): Promise<AgentKey> {
  checkOptions(options, NEW_KEY_OPTIONS)
  const { extractable = true, alg } = options
  if (alg !== undefined) return generated(alg, extractable)
  const ed25519 = await generated('EdDSA', extractable).catch(() => undefined)
  return ed25519 ?? generated('ES256', extractable)
}

/** Throws a TypeError if `key` cannot sign proofs, such as a bare JWK. */
export function checkAgentKey(key: unknown): void {
  const isKey = typeof key === 'object' && key !== null && 'sign' in key && typeof key.sign === 'function'
  if (!isKey)
    throw new TypeError('agent_key must be the awaited result of newAgentKey() or importAgentKey(jwk).')
}

/**
 * Imports a key that `exportJwk` exported.
 *
 * @example
 * ```ts
 * import { importAgentKey, newAgentKey } from '@deputize/sdk'
 *
 * const key = await newAgentKey()
 * const stored = JSON.stringify(await key.exportJwk())
 * const restored = await importAgentKey(JSON.parse(stored))
 * console.log(restored.jkt === key.jkt) // true
 * ```
 */
export async function importAgentKey(jwk: PrivateJwk): Promise<AgentKey> {
  const { d, ...rest } = jwk
  const alg = rest.kty === 'EC' ? 'ES256' : 'EdDSA'
  const members = identifyingMembers(rest)
  const private_key = await crypto.subtle.importKey(
    'jwk',
    { ...members, d },
    KEY_ALGORITHMS[alg].generate,
    true,
    ['sign'],
  )
  return agentKey(alg, members, private_key)
}

async function generated(alg: KeyAlgorithm, extractable: boolean): Promise<AgentKey> {
  const pair = await crypto.subtle.generateKey(KEY_ALGORITHMS[alg].generate, extractable, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new Error('Web Crypto generated a single key instead of a pair.')
  return agentKey(
    alg,
    identifyingMembers(await crypto.subtle.exportKey('jwk', pair.publicKey)),
    pair.privateKey,
  )
}

type PrivateKey = Parameters<typeof crypto.subtle.sign>[1]

function agentKey(alg: KeyAlgorithm, jwk: AgentKey['jwk'], private_key: PrivateKey): AgentKey {
  return {
    alg,
    jwk,
    jkt: thumbprint(jwk),
    sign: async (message) =>
      new Uint8Array(await crypto.subtle.sign(KEY_ALGORITHMS[alg].sign, private_key, message)),
    async exportJwk() {
      const { d } = await crypto.subtle.exportKey('jwk', private_key)
      if (d === undefined) throw new Error('Web Crypto exported the key without its private part.')
      return { ...jwk, d }
    },
  }
}

/** Returns only the members that identify the key. Web Crypto adds its permitted uses. */
function identifyingMembers(value: object): AgentKey['jwk'] {
  const { kty, crv, x, y } = value as Record<string, unknown> // readHolderJwk rejects missing members
  return readHolderJwk(kty === 'EC' ? { kty, crv, x, y } : { kty, crv, x })
}

export interface ProofRequest {
  readonly method: string
  readonly url: string
  readonly compact_jwt: string
  readonly nonce?: string | undefined
}

const encoder = new TextEncoder()

/** Returns a proof for one request (RFC 9449 section 4.2). */
export async function proofOf(
  key: AgentKey,
  { method, url, compact_jwt, nonce }: ProofRequest,
): Promise<string> {
  const { origin, pathname } = new URL(url)
  const ath = new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(compact_jwt)))
  const header = { typ: 'dpop+jwt', alg: key.alg, jwk: key.jwk }
  const payload = {
    jti: crypto.randomUUID(),
    htm: method,
    htu: `${origin}${pathname}`,
    iat: Math.floor(Date.now() / 1000),
    ath: encodeBase64url(ath),
    ...(nonce !== undefined && { nonce }),
  }
  const input = [header, payload]
    .map((part) => encodeBase64url(encoder.encode(JSON.stringify(part))))
    .join('.')
  return `${input}.${encodeBase64url(await key.sign(encoder.encode(input)))}`
}
