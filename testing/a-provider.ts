import {
  createHash,
  createHmac,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  type SignKeyObjectInput,
  sign,
} from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestScope } from './scope.ts'

type Json = Record<string, unknown>

/** Deviations of a provider. Each receives the correct value and returns a wrong one. */
export interface Mischief {
  readonly claims?: (claims: Json) => Json
  readonly header?: (header: Json) => Json
  /** Makes the whole ID token from its header and claims. */
  readonly token?: (header: Json, claims: Json) => string
  /** The answer of the token endpoint. */
  readonly answer?: (body: Json) => { status: number; body: unknown }
  /** The parameters of the redirect back to the service. */
  readonly back?: (query: URLSearchParams) => void
  readonly metadata?: (metadata: Json) => Json
}

/** An OpenID Connect provider that signs with real keys and breaks only the rule that a test names. */
export interface TestProvider {
  readonly issuer: string
  mischief: Mischief
  /** The person who signs in. */
  person: Json
  /** The userinfo response. Undefined means only `sub`. */
  userinfo: unknown
  /** The requests it received, by path. */
  readonly asked: string[]
  /** Signs a person in with consent, and returns the query of the redirect. */
  signIn(authorization_url: string): URLSearchParams
  /** An ID token as a client would present it. */
  idToken(changes?: Json): string
  /** Rotates the signing key. */
  rotate(kid: string, alg?: keyof typeof ALGORITHMS): void
  readonly public_key: KeyObject
  readonly private_key: KeyObject
  signed(header: Json, claims: Json, key?: KeyObject): string
}

const ALGORITHMS = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
} as const

/** First keys of providers that have ended. Making one takes longer than most tests of a provider. */
const unused: ReturnType<typeof ALGORITHMS.RS256>[] = []

const SIGNERS: Readonly<Record<string, (input: Buffer, key: KeyObject) => Buffer>> = {
  RS256: (input, key) => sign('sha256', input, key),
  PS256: (input, key) => sign('sha256', input, pss(key)),
  ES256: (input, key) => sign('sha256', input, { key, dsaEncoding: 'ieee-p1363' }),
  EdDSA: (input, key) => sign(null, input, key),
}

function pss(key: KeyObject): SignKeyObjectInput {
  return { key, padding: 6, saltLength: 32 }
}

/** A key that doesn't belong to the provider. */
export const ANOTHER_KEY: KeyObject = ALGORITHMS.RS256().privateKey

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

export function unsigned(header: Json, claims: Json): string {
  return `${encoded(header)}.${encoded(claims)}.`
}

/** Signed with HMAC, using the public key as the secret. */
export function signedWithSecret(secret: string, header: Json, claims: Json): string {
  const input = `${encoded({ ...header, alg: 'HS256' })}.${encoded(claims)}`
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}

export async function aProvider(
  scope: TestScope,
  clock: () => number,
  { client_id = 'deputy-client', port = 0 }: { client_id?: string; port?: number } = {},
): Promise<TestProvider> {
  const codes = new Map<string, { nonce: string; challenge: string; redirect_uri: string }>()
  const asked: string[] = []
  const own = unused.pop() ?? ALGORITHMS.RS256()
  scope.after(() => void unused.push(own))
  let keys = [{ kid: 'first', alg: 'RS256', ...own }]
  const [first] = keys
  if (first === undefined) throw new Error('the provider has no key')
  let active = first

  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '', 'http://here.invalid').pathname
    asked.push(path)
    const { status, body } = await answerTo(path, request)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  scope.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // a TCP server has such an address

  const signed: TestProvider['signed'] = (header, claims, key = active.privateKey) => {
    const input = `${encoded(header)}.${encoded(claims)}`
    const signer = SIGNERS[String(header.alg)] ?? SIGNERS.RS256
    return `${input}.${signer?.(Buffer.from(input), key).toString('base64url')}`
  }

  function claimsFor(more: Json): Json {
    const now_s = Math.floor(clock() / 1000)
    return { iss: issuer, aud: client_id, iat: now_s, exp: now_s + 300, ...provider.person, ...more }
  }

  function tokenOf(more: Json): string {
    const { claims = same, header = same, token = signed } = provider.mischief
    return token(header({ alg: active.alg, kid: active.kid }), claims(claimsFor(more)))
  }

  async function answerTo(
    path: string,
    request: IncomingMessage,
  ): Promise<{ status: number; body: unknown }> {
    if (path === '/.well-known/openid-configuration') return { status: 200, body: metadata() }
    if (path === '/userinfo') return { status: 200, body: provider.userinfo ?? { sub: provider.person.sub } }
    if (path === '/jwks') return { status: 200, body: { keys: keys.map(published) } }
    if (path !== '/token') return { status: 404, body: {} }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const form = new URLSearchParams(Buffer.concat(chunks).toString())
    const right = redeemed(form)
    return provider.mischief.answer === undefined || right.status !== 200
      ? right
      : provider.mischief.answer(right.body)
  }

  function metadata(): Json {
    const { metadata: change = same } = provider.mischief
    return change({
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      userinfo_endpoint: `${issuer}/userinfo`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: Object.keys(ALGORITHMS),
      authorization_response_iss_parameter_supported: true,
    })
  }

  /** Redeems a code, which is valid only once, with the verifier of its challenge. */
  function redeemed(form: URLSearchParams): { status: number; body: Json } {
    const code = form.get('code') ?? ''
    const grant = codes.get(code)
    codes.delete(code)
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (grant?.challenge !== challenge || grant.redirect_uri !== form.get('redirect_uri'))
      return { status: 400, body: { error: 'invalid_grant' } }
    const access_token = randomBytes(16).toString('base64url')
    const half = createHash(active.alg === 'EdDSA' ? 'sha512' : 'sha256')
      .update(access_token)
      .digest()
    const at_hash = half.subarray(0, half.length / 2).toString('base64url')
    const id_token = tokenOf({ nonce: grant.nonce, at_hash })
    return { status: 200, body: { access_token, token_type: 'Bearer', id_token } }
  }

  const provider: TestProvider = {
    issuer,
    mischief: {},
    person: { sub: 'ada.lovelace', email: 'ada@example.com', email_verified: true, amr: ['pwd', 'otp'] },
    userinfo: undefined,
    asked,
    signed,
    get public_key() {
      return active.publicKey
    },
    get private_key() {
      return active.privateKey
    },
    signIn(authorization_url) {
      const { searchParams } = new URL(authorization_url)
      const code = randomBytes(16).toString('base64url')
      codes.set(code, {
        nonce: searchParams.get('nonce') ?? '',
        challenge: searchParams.get('code_challenge') ?? '',
        redirect_uri: searchParams.get('redirect_uri') ?? '',
      })
      const query = new URLSearchParams({ code, state: searchParams.get('state') ?? '', iss: issuer })
      provider.mischief.back?.(query)
      return query
    },
    idToken: (changes = {}) => tokenOf(changes),
    rotate(kid, alg = 'RS256') {
      active = { kid, alg, ...ALGORITHMS[alg]() }
      keys = [active]
    },
  }
  return provider
}

function same<T>(value: T): T {
  return value
}

function published({ kid, alg, publicKey }: { kid: string; alg: string; publicKey: KeyObject }): Json {
  return { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' }
}
