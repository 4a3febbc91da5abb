import { type AgentKey, checkAgentKey } from './agent-key.ts'
import { type Authority, type AuthorityOptions, authorityOf, type TokenLike } from './authority.ts'
import { call, type Input, type Row } from './call.ts'
import type { CallOptions } from './call-types.ts'
import { bearer, type Credential, NO_CREDENTIAL, proven } from './credential.ts'
import { type Methods, OPERATIONS, type OperationId } from './generated/operations.ts'
import { checkOptions } from './options.ts'
import { everyEntry } from './pages.ts'
import type { Connection } from './request.ts'
import type { Tracing } from './tracing.ts'

/** Where the service is, who calls, and how. An option that is not here is refused. */
export interface DeputyOptions {
  /** The address of the service, such as `http://127.0.0.1:8420`. */
  readonly url: string
  /** An API key (`dk_...`). In open mode, on one machine, nothing is needed. */
  readonly key?: string | undefined
  /** The token of an agent as a compact JWT, to call as that agent. */
  readonly token?: string | undefined
  /** The key that the token is bound to: every call is then signed with it. */
  readonly agent_key?: AgentKey | undefined
  /** Another one than that of the runtime. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** For each attempt; 20 seconds when absent. */
  readonly timeout_ms?: number | undefined
  /** How often a call is made again when the service was not reached or says to come back; 3 when absent. */
  readonly retries?: number | undefined
  /** Sends credentials over http to other machines. Whoever is on the way can read them. */
  readonly allow_http?: boolean | undefined
  /** Makes a span of every action, and tells services which trace a call belongs to: `openTelemetry()`. */
  readonly tracing?: Tracing | undefined
}

/** The service. Its methods are its operations: path, query and body go into one object. */
export interface Deputy extends Methods {
  readonly url: string
  /** Acts with a token: asks before, records after. */
  withAuthority(token: TokenLike, options?: AuthorityOptions): Authority
}

const TIMEOUT_MS = 20_000
const RETRIES = 3
const OPTIONS: Record<keyof DeputyOptions, true> = {
  url: true,
  key: true,
  token: true,
  agent_key: true,
  fetch: true,
  timeout_ms: true,
  retries: true,
  allow_http: true,
  tracing: true,
}

/** The client of a service. Nothing is called yet. Throws a TypeError when the options do not fit. */
export function deputy(options: DeputyOptions): Deputy {
  checkOptions(options, OPTIONS)
  const connection = connectionOf(options)
  return {
    ...methodsOf(connection),
    url: connection.url,
    withAuthority: (token, more = {}) =>
      authorityOf({ connection, methodsOf }, token, { agent_key: options.agent_key, ...more }),
  }
}

/** The methods of a connection, made from the table. */
export function methodsOf(connection: Connection): Methods {
  const ids = Object.keys(OPERATIONS) as OperationId[] // the names are the keys of the table
  const methods = Object.fromEntries(ids.map((id) => [id, methodOf(connection, id)]))
  return methods as unknown as Methods // both are written from the same table
}

function methodOf(connection: Connection, id: OperationId) {
  const method = async (input?: Input, options?: CallOptions) => {
    const answer = await call(connection, id, input, options)
    if (id === 'rateRecord') connection.tracing?.rated(String(input?.id), String(input?.rating))
    return answer
  }
  const { pages }: Row = OPERATIONS[id]
  if (pages === undefined) return method
  return Object.assign(method, {
    all: (input?: Input, options?: CallOptions) => everyEntry(connection, id, input, options),
  })
}

export function connectionOf(options: DeputyOptions): Connection {
  const { fetch = globalThis.fetch, timeout_ms = TIMEOUT_MS, retries = RETRIES } = options
  const credential = credentialOf(options)
  return {
    url: baseOf(options, credential !== NO_CREDENTIAL),
    // Called by itself: browsers refuse a fetch that is called as a member of something else.
    fetch: (...request) => fetch(...request),
    timeout_ms,
    retries,
    credential,
    tracing: options.tracing,
  }
}

function credentialOf({ key, token, agent_key }: DeputyOptions): Credential {
  if (key !== undefined && token !== undefined) throw new TypeError('Give an API key or a token, not both.')
  if (key !== undefined) return bearer(key)
  if (agent_key !== undefined) checkAgentKey(agent_key)
  if (token === undefined) return NO_CREDENTIAL
  return agent_key === undefined ? bearer(token) : proven(token, agent_key)
}

function baseOf({ url, allow_http = false }: DeputyOptions, has_credential: boolean): string {
  const { protocol, hostname, origin, pathname } = addressOf(url)
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
  if (has_credential && protocol !== 'https:' && !isLocal && !allow_http)
    throw new TypeError(
      `Credentials are sent over https only, and ${url} is not. allow_http: true does it all the same.`,
    )
  return `${origin}${pathname.replace(/\/+$/, '')}`
}

function addressOf(url: unknown): URL {
  const address = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined
  if (address?.protocol === 'http:' || address?.protocol === 'https:') return address
  throw new TypeError(
    `url has to be the address of the service, such as http://127.0.0.1:8420, and is ${JSON.stringify(url)}.`,
  )
}
