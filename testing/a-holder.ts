import { generateKeyPairSync, hash, type KeyObject, randomUUID, sign } from 'node:crypto'
import { encodeBase64url, type HolderJwk, readHolderJwk, thumbprint } from '@deputize/protocol'

/** An agent with its own key. */
export interface Holder {
  readonly alg: 'EdDSA' | 'ES256'
  readonly jwk: HolderJwk
  readonly jkt: string
  /** The private key as a JWK. */
  readonly private_jwk: object
  sign(input: string): Uint8Array
}

export function aHolder(alg: Holder['alg'] = 'EdDSA'): Holder {
  const { publicKey, privateKey } =
    alg === 'EdDSA' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' })
  const jwk = readHolderJwk({ kty, crv, x, ...(y !== undefined && { y }) })
  return {
    alg,
    jwk,
    jkt: thumbprint(jwk),
    private_jwk: privateKey.export({ format: 'jwk' }),
    sign: (input) => signatureOf(alg, privateKey, input),
  }
}

function signatureOf(alg: Holder['alg'], key: KeyObject, input: string): Uint8Array {
  const data = Buffer.from(input)
  return alg === 'EdDSA' ? sign(null, data, key) : sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' })
}

export interface ProofChanges {
  readonly header?: Record<string, unknown>
  readonly claims?: Record<string, unknown>
  readonly sign?: (input: string) => Uint8Array
}

/** The request, token and time that a proof is made for. */
export interface ProofFor {
  readonly method: string
  readonly url: string
  readonly token: string
  readonly now_ms: number
}

/** A valid proof. Members changed to undefined are left out. */
export function aProof(
  holder: Holder,
  { method, url, token, now_ms }: ProofFor,
  changes: ProofChanges = {},
): string {
  const header = { typ: 'dpop+jwt', alg: holder.alg, jwk: holder.jwk, ...changes.header }
  const claims = {
    jti: randomUUID(),
    htm: method,
    htu: url,
    iat: Math.floor(now_ms / 1000),
    ath: athOf(token),
    ...changes.claims,
  }
  const input = `${encoded(header)}.${encoded(claims)}`
  return `${input}.${encodeBase64url((changes.sign ?? holder.sign)(input))}`
}

export function athOf(token: string): string {
  return hash('sha256', token, 'base64url')
}

function encoded(value: object): string {
  return encodeBase64url(Buffer.from(JSON.stringify(value)))
}
