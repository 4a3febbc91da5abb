import { encodeBase64url } from '../../../protocol/src/encoding/base64url.ts'
import { readHolderJwk } from '../../../protocol/src/token/holder-key.ts'
import { thumbprint } from '../../../protocol/src/token/jwk.ts'

const ALGORITHMS = {
  EdDSA: { generate: { name: 'Ed25519' }, sign: { name: 'Ed25519' } },
  ES256: { generate: { name: 'ECDSA', namedCurve: 'P-256' }, sign: { name: 'ECDSA', hash: 'SHA-256' } },
} as const
type Algorithm = keyof typeof ALGORITHMS

/** A public key, as `agent_jwk` of an issue or delegate call takes it. */
export type PublicJwk =
  | { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string }
  | { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string }

/** The same with its private part. Whoever has it can act as the agent. */
export type PrivateJwk = PublicJwk & { readonly d: string }

/** The key of an agent. A token that is bound to it is worth nothing to whoever steals the token alone. */
export interface AgentKey {
  readonly alg: Algorithm
  /** The public part. */
  readonly jwk: PublicJwk & Record<string, string>
  /** Its thumbprint (RFC 7638), as the claim `cnf.jkt` of bound tokens names it. */
  readonly jkt: string
  sign(message: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>
  /** To keep the key. Refused when it was made with `extractable: false`. */
  exportJwk(): Promise<PrivateJwk>
}

/** A new key: Ed25519, or P-256 where Web Crypto has no Ed25519, unless `alg` says which. */
export async function newAgentKey({
  extractable = true,
  alg,
}: {
  readonly extractable?: boolean
  readonly alg?: AgentKey['alg']
} = {}): Promise<AgentKey> {
  if (alg !== undefined) return generated(alg, extractable)
  const ed25519 = await generated('EdDSA', extractable).catch(() => undefined)
  return ed25519 ?? generated('ES256', extractable)
}

/** Throws a TypeError for what is no key, such as the JWK of one: a proof could not be made with it. */
export function checkAgentKey(key: unknown): void {
  const isKey = typeof key === 'object' && key !== null && 'sign' in key && typeof key.sign === 'function'
  if (!isKey)
    throw new TypeError('agent_key has to be what newAgentKey() or importAgentKey(jwk) answered, awaited.')
}

/** The key that `exportJwk` wrote. */
export async function importAgentKey(jwk: PrivateJwk): Promise<AgentKey> {
  const { d, ...rest } = jwk
  const alg = rest.kty === 'EC' ? 'ES256' : 'EdDSA'
  const members = publicMembers(rest)
  const private_key = await crypto.subtle.importKey(
    'jwk',
    { ...members, d },
    ALGORITHMS[alg].generate,
    true,
    ['sign'],
  )
  return agentKey(alg, members, private_key)
}

async function generated(alg: Algorithm, extractable: boolean): Promise<AgentKey> {
  const pair = await crypto.subtle.generateKey(ALGORITHMS[alg].generate, extractable, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new Error('Web Crypto made one key instead of a pair')
  return agentKey(alg, publicMembers(await crypto.subtle.exportKey('jwk', pair.publicKey)), pair.privateKey)
}

type PrivateKey = Parameters<typeof crypto.subtle.sign>[1]

function agentKey(alg: Algorithm, jwk: AgentKey['jwk'], private_key: PrivateKey): AgentKey {
  return {
    alg,
    jwk,
    jkt: thumbprint(jwk),
    sign: async (message) =>
      new Uint8Array(await crypto.subtle.sign(ALGORITHMS[alg].sign, private_key, message)),
    async exportJwk() {
      const { d } = await crypto.subtle.exportKey('jwk', private_key)
      if (d === undefined) throw new Error('Web Crypto exported no private part')
      return { ...jwk, d }
    },
  }
}

/** Only what names the key: Web Crypto adds what it may be used for. */
function publicMembers(value: object): AgentKey['jwk'] {
  const { kty, crv, x, y } = value as Record<string, unknown> // members that are missing are refused below
  return readHolderJwk(kty === 'EC' ? { kty, crv, x, y } : { kty, crv, x })
}

export interface ProofRequest {
  readonly method: string
  readonly url: string
  readonly compact_jwt: string
  readonly nonce?: string | undefined
}

const encoder = new TextEncoder()

/** A proof for one request (RFC 9449 section 4.2). */
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
