import { type Authority, type AuthorityOptions, authorityOf } from './actions/authority.ts'
import { type AgentKey, checkAgentKey } from './calls/agent-key.ts'
import { type CallInput, call, type OperationRow } from './calls/call.ts'
import type { CallOptions } from './calls/call-types.ts'
import { bearer, NO_CREDENTIAL, proven } from './calls/credential.ts'
import { type EventsOptions, followEvents } from './calls/events.ts'
import { everyEntry } from './calls/pages.ts'
import { type Connection, type Credential, checkConfidential } from './calls/request.ts'
import type { TokenLike } from './calls/token-like.ts'
import { type DeputyEvent, type Methods, OPERATIONS, type OperationId } from './generated/operations.ts'
import { checkLimits, checkOptions } from './options.ts'
import type { Tracing } from './tracing.ts'

/** Options of the client. Unknown options are rejected by name. */
export interface DeputyOptions {
  /** The URL of the service, such as `http://127.0.0.1:8420`. */
  readonly url: string
  /** An API key (`dk_...`). Not needed in open mode. */
  readonly key?: string | undefined
  /** The token of an agent, as a compact JWT, to call as that agent. */
  readonly token?: string | undefined
  /** The key that the token is bound to. Every call is signed with it. */
  readonly agent_key?: AgentKey | undefined
  /** Replaces the `fetch` of the runtime. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** The time limit of each attempt. Default: 20 seconds. */
  readonly timeout_ms?: number | undefined
  /** The number of retries if the service is unreachable or asks to try later. Default: 6, over about six seconds. */
  readonly retries?: number | undefined
  /** Allows sending credentials to other machines over http. Anyone on the network path can read them. */
  readonly allow_http?: boolean | undefined
  /** Creates a span for every action and sends the trace context with every call. Pass `openTelemetry()`. */
  readonly tracing?: Tracing | undefined
}

/** The client. Each operation of the API is a method; path, query and body parameters go into one object. */
export interface Deputy extends Methods {
  readonly url: string
  /** Acts with a token: authorizes each action before it runs and records it after. */
  withAuthority(token: TokenLike, options?: AuthorityOptions): Authority
  /**
   * Iterates over events as they happen, in the order of the log. Reconnects automatically and misses nothing. Without
   * `after`, it starts now. Ends when you leave the loop. Throws the reason of `signal` when you abort it, and a
   * `DeputyError` when the service refuses.
   *
   * @example
   * ```ts
   * import { deputy } from '@deputize/sdk'
   *
   * const client = deputy({ url: 'http://127.0.0.1:8420' })
   * await client.issueL1({
   *   developer_email: 'dev@example.com',
   *   agent_id: 'calendar-bot',
   *   resources: ['calendar:events'],
   *   actions: ['read'],
   * })
   * for await (const event of client.events({ after: -1, types: ['token.issued'] })) {
   *   console.log(event.type) // token.issued
   *   break
   * }
   * ```
   */
  events<T extends DeputyEvent['type'] = DeputyEvent['type']>(
    options?: EventsOptions<T>,
  ): AsyncGenerator<Extract<DeputyEvent, { type: T }>, void>
}

const CLIENT_TIMEOUT_MS = 20_000
/** Together, the retries take about six seconds, longer than the service usually needs to restart. */
const CLIENT_RETRIES = 6
const CLIENT_OPTIONS: Record<keyof DeputyOptions, true> = {
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

/**
 * Creates a client without making a call. Throws a TypeError if an option is invalid.
 *
 * @example
 * ```ts
 * import { deputy } from '@deputize/sdk'
 *
 * const client = deputy({ url: 'http://127.0.0.1:8420' })
 * const token = await client.issueL1({
 *   developer_email: 'dev@example.com',
 *   agent_id: 'calendar-bot',
 *   resources: ['calendar:events'],
 *   actions: ['read'],
 * })
 * const agent = client.withAuthority(token)
 * const events = await agent.run('read', 'calendar:events', async () => ['stand-up'])
 * console.log(events) // [ 'stand-up' ]
 * ```
 */
export function deputy(options: DeputyOptions): Deputy {
  checkOptions(options, CLIENT_OPTIONS)
  const connection = connectionOf(options)
  return {
    ...methodsOf(connection),
    url: connection.url,
    withAuthority: (token, { agent_key = options.agent_key, ...more } = {}) =>
      authorityOf({ connection, methodsOf }, token, { agent_key, ...more }),
    events: (events_options) => followEvents(connection, events_options),
  }
}

/** Returns one method for each operation. */
export function methodsOf(connection: Connection): Methods {
  const ids = Object.keys(OPERATIONS) as OperationId[] // OperationId is the key type of OPERATIONS
  const methods = Object.fromEntries(ids.map((id) => [id, operationMethod(connection, id)]))
  return methods as unknown as Methods // Methods and OPERATIONS are generated from the same rows
}

function operationMethod(connection: Connection, id: OperationId) {
  const method = async (input?: CallInput, options?: CallOptions) => {
    const answer = await call(connection, id, input, options)
    if (id === 'rateRecord') connection.tracing?.rated(String(input?.id), String(input?.rating))
    return answer
  }
  const { pages }: OperationRow = OPERATIONS[id]
  if (pages === undefined) return method
  return Object.assign(method, {
    all: (input?: CallInput, options?: CallOptions) => everyEntry(connection, id, input, options),
  })
}

export function connectionOf(options: DeputyOptions): Connection {
  const { fetch = globalThis.fetch, timeout_ms = CLIENT_TIMEOUT_MS, retries = CLIENT_RETRIES } = options
  checkLimits(options)
  const credential = credentialOf(options)
  return {
    url: baseOf(options, credential !== NO_CREDENTIAL),
    // Called as a plain function: browsers throw if fetch is called as a method of another object.
    fetch: (...request) => fetch(...request),
    timeout_ms,
    retries,
    credential,
    allow_http: options.allow_http ?? false,
    tracing: options.tracing,
  }
}

function credentialOf({ key, token, agent_key }: DeputyOptions): Credential {
  if (key !== undefined && token !== undefined)
    throw new TypeError('key and token cannot both be set. Pass an API key or a token.')
  checkSecret('key', key, 'an API key, such as dk_...')
  checkSecret('token', token, 'the compact JWT of a token')
  if (key !== undefined) return bearer(key)
  if (agent_key !== undefined) checkAgentKey(agent_key)
  if (token === undefined) return NO_CREDENTIAL
  return agent_key === undefined ? bearer(token) : proven(token, agent_key)
}

/** Throws a TypeError if the text can't be sent as a credential, such as an empty variable. It is never shown. */
function checkSecret(name: string, text: unknown, expected: string): void {
  if (text === undefined || (typeof text === 'string' && /^[\x21-\x7e]+$/.test(text))) return
  const what =
    typeof text === 'string' ? 'empty, or contains spaces or other invalid characters' : `a ${typeof text}`
  throw new TypeError(`${name} must be ${expected}. It is ${what}.`)
}

function baseOf({ url, allow_http = false }: DeputyOptions, has_credential: boolean): string {
  const address = httpUrl(url)
  if (has_credential) checkConfidential(address, allow_http)
  return `${address.origin}${address.pathname.replace(/\/+$/, '')}`
}

function httpUrl(url: unknown): URL {
  const address = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined
  if (address?.protocol === 'http:' || address?.protocol === 'https:') return address
  throw new TypeError(
    `url must be the URL of the service, such as http://127.0.0.1:8420. It is ${JSON.stringify(url)}.`,
  )
}
