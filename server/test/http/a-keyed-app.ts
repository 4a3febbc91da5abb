import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import type { Role } from '@deputize/protocol'
import { type Answer, aTestApp, TEST_URL, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { arriveAt } from '@deputize/testing/arrive-at.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import type { OpenedSession } from '../../src/access/sessions.ts'

/** Calls the service with one credential. */
export interface Client {
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

export interface KeyedApp {
  readonly test: TestApp
  /** The first operator, in the tenant `default`. */
  readonly operator: Client
  readonly anonymous: Client
  withKey(key: string): Client
  withHeaders(headers: (method: string, path: string) => Record<string, string>): Client
  /** Creates an API key of a tenant and returns its text. */
  key(tenant_id: string, role: Role, more?: Record<string, unknown>): Promise<string>
}

/** The service in keyed mode, with its first operator set up. */
export async function aKeyedApp(
  scope: TestScope,
  options: Parameters<typeof aTestApp>[1] = {},
  age_ms = 10_000, // a proof made in the second in which the process started needs a nonce
): Promise<KeyedApp> {
  const test = await aTestApp(scope, { ...options, access: 'keyed' })
  test.clock.advance(age_ms)
  const anonymous = client(test, () => ({}))
  const setup_secret = test.accessControl.setup?.secret
  const made = await anonymous.post('/v1/vat/setup', { setup_secret })
  if (made.status !== 201) throw new Error(`set-up failed: ${JSON.stringify(made.body)}`)
  const withKey = (key: string) => client(test, () => ({ authorization: `Bearer ${key}` }))
  const operator = withKey(made.body.key)
  return {
    test,
    operator,
    anonymous,
    withKey,
    withHeaders: (headers) => client(test, headers),
    async key(tenant_id, role, more = {}) {
      const answer = await operator.post('/v1/vat/keys', {
        name: `${role} of ${tenant_id}`,
        role,
        tenant_id,
        ...more,
      })
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
      return answer.body.key
    },
  }
}

function client(
  { app }: TestApp,
  headersFor: (method: string, path: string) => Record<string, string>,
): Client {
  let requests = 0
  async function call(
    method: string,
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const isForm = typeof body === 'string'
    const request = {
      method: method as 'GET',
      url,
      headers: {
        ...(body !== undefined && {
          'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
        }),
        ...headersFor(method, url),
        ...headers,
      },
      ...(body !== undefined && { payload: isForm ? body : JSON.stringify(body) }),
    }
    // Alternates between the listener in front of Fastify and Fastify itself, which must answer alike.
    requests += 1
    const response = await (requests % 2 === 0 ? app.inject(request) : arriveAt(app, request))
    const isJson = /^application\/(problem\+)?json/.test(String(response.headers['content-type']))
    return {
      status: response.statusCode,
      headers: response.headers,
      body: isJson && response.body !== '' ? response.json() : response.body,
    }
  }
  return {
    call,
    get: (path, headers) => call('GET', path, undefined, headers),
    post: (path, body, headers) => call('POST', path, body ?? {}, headers),
  }
}

export interface Person {
  readonly human_ref: string
  readonly client: Client
}

/** The browser session of a person who signed in with their provider. */
export function aSession(
  { accessControl, clock }: TestApp,
  tenant_id: string,
  human_ref: string,
  addresses: readonly string[] = [],
): Promise<OpenedSession> {
  return accessControl.sessions.create({
    tenant_id,
    human_ref,
    human_refs: [human_ref, ...addresses],
    assurance_level: 'L2',
    amr: ['pwd'],
    auth_time_ms: clock(),
    sign_on: undefined,
  })
}

/** A signed-in person of a tenant, with the refs of addresses that they proved. */
export async function aPerson(
  { test, withHeaders }: KeyedApp,
  tenant_id: string,
  human_ref: string,
  addresses: readonly string[] = [],
): Promise<Person> {
  const { secret, csrf_token } = await aSession(test, tenant_id, human_ref, addresses)
  const headers = { cookie: `deputy_session=${secret}`, origin: TEST_URL, 'deputy-csrf': csrf_token }
  return { human_ref, client: withHeaders(() => headers) }
}

export interface Agent {
  readonly jti: string
  readonly compact_jwt: string
  readonly provenance_ref: string
  readonly human_ref: string
  readonly key: AgentKey
  readonly client: Client
}

export interface AgentKey {
  readonly private_key: KeyObject
  readonly jwk: Record<string, unknown>
}

export function anAgentKey(): AgentKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return { private_key: privateKey, jwk: { ...publicKey.export({ format: 'jwk' }) } }
}

/** An agent whose token is bound to its key, issued by a developer. */
export async function anAgent(
  app: KeyedApp,
  developer: Client,
  changes: Record<string, unknown> = {},
): Promise<Agent> {
  const key = anAgentKey()
  const { body, status } = await developer.post(
    '/v1/vat/issue/l1',
    anIssueRequest({ actions: ['read', 'write', 'delegate'], agent_jwk: key.jwk, ...changes }),
  )
  if (status !== 200) throw new Error(JSON.stringify(body))
  return agentOf(app, body, key)
}

/** Turns the answer to an issue or delegate call into an agent that can make calls. */
export function agentOf({ test, withHeaders }: KeyedApp, issued: Answer['body'], key: AgentKey): Agent {
  const { jti, compact_jwt, provenance_ref, claims } = issued
  return {
    jti,
    compact_jwt,
    provenance_ref,
    human_ref: claims.svc_human_ref,
    key,
    client: withHeaders((method, path) => dpop(key, method, path, compact_jwt, test.clock())),
  }
}

/** The two headers of a request with proof of possession (RFC 9449). */
export function dpop(
  { private_key, jwk }: AgentKey,
  method: string,
  path: string,
  compact_jwt: string,
  now_ms: number,
  changes: Record<string, unknown> = {},
): Record<string, string> {
  const { kty, crv, x } = jwk
  const header = { typ: 'dpop+jwt', alg: 'EdDSA', jwk: { kty, crv, x } }
  const payload = {
    jti: randomUUID(),
    htm: method,
    htu: `${TEST_URL}${path.split('?')[0]}`,
    iat: Math.floor(now_ms / 1000),
    ath: createHash('sha256').update(compact_jwt).digest('base64url'),
    ...changes,
  }
  const text = [header, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const proof = `${text}.${sign(null, Buffer.from(text), private_key).toString('base64url')}`
  return { authorization: `DPoP ${compact_jwt}`, dpop: proof }
}
