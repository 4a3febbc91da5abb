import { type AgentKey, checkAgentKey } from '../calls/agent-key.ts'
import { bearer, proven } from '../calls/credential.ts'
import { fetchWithCredential } from '../calls/fetch-with-credential.ts'
import type { Connection } from '../calls/request.ts'
import { readTokenLike, type TokenLike } from '../calls/token-like.ts'
import type { DelegateInput, Methods } from '../generated/operations.ts'
import { checkOptions } from '../options.ts'
import { type AllowedAction, type BegunAction, CompletionFailed, type RunOptions } from './action.ts'
import { type ActingAgent, beginAction } from './begin-action.ts'

/** Options of `withAuthority`. Unknown options are rejected by name. */
export interface AuthorityOptions {
  /** The key that the token is bound to. */
  readonly agent_key?: AgentKey | undefined
}

const AUTHORITY_OPTIONS: Record<keyof AuthorityOptions, true> = { agent_key: true }

/** The limits of the sub-agent. It inherits what you leave out, except the action `delegate`. */
export interface DelegateOptions extends Omit<DelegateInput, 'vat_jti'> {
  /**
   * The key that the new token is bound to. If only the sub-agent has it, pass its public part as `agent_jwk` instead.
   * Default: none, or the agent's own key if it delegates to itself.
   */
  readonly agent_key?: AgentKey | undefined
}

/** An agent with its token. Each action is authorized before it runs and recorded after. */
export interface Authority {
  readonly jti: string
  readonly compact_jwt: string | undefined
  /** The agent that the token was issued to. Undefined if only the ID of the token is known. */
  readonly agent_id: string | undefined
  /**
   * Authorizes the action, does the work, and completes the action record with the result and the hash of the return value.
   * If the work throws, the record is completed with `error`, or `cancelled` if `signal` was aborted, and the same error is
   * thrown. If the action is denied, throws `AuthorityDenied` without doing the work.
   *
   * @example
   * ```ts
   * import { AuthorityDenied, deputy } from '@deputize/sdk'
   *
   * const client = deputy({ url: 'http://127.0.0.1:8420' })
   * const token = await client.issueL1({
   *   developer_email: 'dev@example.com',
   *   agent_id: 'calendar-bot',
   *   resources: ['calendar:events'],
   *   actions: ['read'],
   * })
   * const agent = client.withAuthority(token)
   * console.log(await agent.run('read', 'calendar:events', async () => 3)) // 3
   *
   * try {
   *   await agent.run('delete', 'calendar:events', async () => 0)
   * } catch (error) {
   *   if (error instanceof AuthorityDenied) console.log(error.reasons) // [ 'action_not_in_scope' ]
   * }
   * ```
   */
  run<T>(
    action: string,
    resource: string,
    work: (allowed: AllowedAction) => T | Promise<T>,
    options?: RunOptions,
  ): Promise<T>
  /**
   * Authorizes the action and leaves the work to you. Throws `AuthorityDenied` if it is denied.
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
   * const action = await client.withAuthority(token).begin('read', 'calendar:events')
   * try {
   *   const lines = ['stand-up', 'lunch'] // for instance a stream
   *   await action.succeed(lines)
   * } catch (error) {
   *   await action.fail(error)
   *   throw error
   * }
   * console.log((await client.getRecord({ id: action.aar_id })).result) // success
   * ```
   */
  begin(action: string, resource: string, options?: RunOptions): Promise<BegunAction>
  /**
   * Delegates part of this authority to a sub-agent.
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
   *   actions: ['read', 'write', 'delegate'],
   * })
   * const agent = client.withAuthority(token)
   * const reader = await agent.delegate({ agent_id: 'reader', actions: ['read'] })
   * console.log(reader.agent_id) // agent:reader
   * ```
   */
  delegate(options: DelegateOptions): Promise<Authority>
  /**
   * Calls a service that accepts the token, with a proof if the token is bound to a key. Throws a TypeError if the token would
   * be sent to another machine over http, unless the client allows it with `allow_http`. Redirects to another origin are
   * followed without the token, as `fetch` does, and others with a new proof. Browsers hide the address of a redirect, so
   * there a redirect throws a TypeError if the token is bound to a key.
   */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>
  /** The operations, called with this token as the credential. */
  readonly client: Methods
}

/** Dependencies of an authority. */
export interface AuthorityContext {
  readonly connection: Connection
  readonly methodsOf: (connection: Connection) => Methods
}

export function authorityOf(
  context: AuthorityContext,
  token_like: TokenLike,
  options: AuthorityOptions,
): Authority {
  checkOptions(options, AUTHORITY_OPTIONS)
  const { agent_key } = options
  if (agent_key !== undefined) checkAgentKey(agent_key)
  const token = readTokenLike(token_like)
  const { jti, compact_jwt, agent_id } = token
  if (agent_key !== undefined && compact_jwt === undefined)
    throw new TypeError('agent_key needs the token itself. Pass its compact_jwt, not only its ID.')
  const connection = connectionWith(context.connection, compact_jwt, agent_key)
  const client = context.methodsOf(connection)
  const agent: ActingAgent = { token, client, tracing: connection.tracing }
  return {
    jti,
    compact_jwt,
    agent_id,
    client,
    begin: async (action, resource, options = {}) => beginAction(agent, { action, resource }, options),
    async run(action, resource, work, options = {}) {
      if (typeof work !== 'function')
        throw new TypeError('The third argument must be a function: run(action, resource, async () => ...).')
      if (isGenerator(work)) throw new TypeError(RUNS_LATER)
      return completeWork(await beginAction(agent, { action, resource }, options), work, options.signal)
    },
    async delegate({ agent_key: child_key, ...request }) {
      if ('vat_jti' in request)
        throw new TypeError('vat_jti cannot be set. An agent delegates its own token.')
      if (child_key !== undefined && request.agent_jwk !== undefined)
        throw new TypeError(
          'agent_key and agent_jwk cannot both be set. agent_jwk is for a key that you do not have.',
        )
      if (child_key !== undefined) checkAgentKey(child_key)
      const { agent_jwk = child_key?.jwk } = request
      const child = await client.delegate({ ...request, vat_jti: jti, agent_jwk })
      // A token that an agent delegates to itself is bound to the same key.
      const own_key = child.claims.cnf?.jkt === agent_key?.jkt ? agent_key : undefined
      return authorityOf(context, child, { agent_key: child_key ?? own_key })
    },
    async fetch(url, init) {
      // The connection would send the client's API key instead.
      if (compact_jwt === undefined)
        throw new TypeError('fetch needs the token itself. Pass its compact_jwt, not only its ID.')
      return fetchWithCredential(connection, url, init)
    },
  }
}

async function completeWork<T>(
  begun: BegunAction,
  work: (allowed: AllowedAction) => T | Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const value = await workOrFail(begun, work, signal)
  await begun.succeed(value).catch((cause) => {
    throw new CompletionFailed(begun.aar_id, value, cause)
  })
  return value
}

/** Does the work. If it throws, the record is completed with `error` first, or with `cancelled` if the caller has aborted. */
async function workOrFail<T>(
  begun: BegunAction,
  work: (allowed: AllowedAction) => T | Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  try {
    const value = await begun.during(async () => work(begun))
    if (isGenerator(value)) throw new TypeError(RUNS_LATER)
    return value
  } catch (error) {
    // If completing fails, the record expires by itself; the error of the work matters more.
    const ended = signal?.aborted === true ? begun.giveUp() : begun.fail(error)
    await ended.catch(() => undefined)
    throw error
  }
}

const RUNS_LATER =
  'A generator has not run when it is returned, so its record would be completed too early. Use begin() for a stream.'

/** Whether this is a generator, or a function that returns one. */
function isGenerator(value: unknown): boolean {
  return /^\[object (Async)?Generator(Function)?\]$/.test(Object.prototype.toString.call(value))
}

/**
 * Makes the token the credential of the connection. With only the ID of its token, an agent can call only in open mode.
 */
function connectionWith(
  connection: Connection,
  compact_jwt: string | undefined,
  agent_key: AgentKey | undefined,
): Connection {
  if (compact_jwt === undefined) return connection
  return {
    ...connection,
    credential: agent_key === undefined ? bearer(compact_jwt) : proven(compact_jwt, agent_key),
  }
}
