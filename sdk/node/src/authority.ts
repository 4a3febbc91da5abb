import { decodeCompact } from '../../../protocol/src/token/jws.ts'
import { type AgentKey, checkAgentKey } from './agent-key.ts'
import type { CallOptions } from './call-types.ts'
import { bearer, proven } from './credential.ts'
import { currentAction, duringAction } from './current-action.ts'
import type { AuthorizeInput, AuthorizeResponse, DelegateInput, Methods } from './generated/operations.ts'
import { checkOptions } from './options.ts'
import type { Connection } from './request.ts'
import { resultHash } from './result-hash.ts'
import { type ActionSpan, CANCELLED, errorType, factsOf, noSpan } from './tracing.ts'

/** A token: what an issue or delegate call answered, its compact JWT, or, in open mode, its id alone. */
export type TokenLike = string | { readonly jti: string; readonly compact_jwt?: string | undefined }

/** How an agent acts with its token. */
export interface AuthorityOptions {
  /** The key that the token is bound to. */
  readonly agent_key?: AgentKey | undefined
}

/** What is said about an action when it begins. */
export interface RunOptions {
  /** An estimate. It is reserved while the action runs, and spent when it ends, unless `outcome` says otherwise. */
  readonly spend_usd?: number | undefined
  /** Facts of your own, kept with the record. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  /** The action that caused this one; that of the surrounding `run` when absent, where the runtime can tell. */
  readonly parent?: string | { readonly aar_id: string } | undefined
  /** Waits while a human decides: for as long as the question stays open, or for so many milliseconds. */
  readonly wait_for_approval?: boolean | number | undefined
  /** An approval of exactly this that a human has given before. */
  readonly approval_id?: string | undefined
  /** Ends the asking and the waiting. A yes that comes too late is cancelled. */
  readonly signal?: AbortSignal | undefined
  /** For traces: the tool that the action is, where it has a name of its own. */
  readonly tool?: string | undefined
  /** For traces: how the model called this call. */
  readonly tool_call_id?: string | undefined
}

/** What is said about an action when it ends. */
export interface Outcome {
  /** `success` when absent, and `error` when the work throws. */
  readonly result?: string | undefined
  readonly spend_usd?: number | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

/** An action that was allowed and is under way. */
export interface AllowedAction {
  readonly aar_id: string
  readonly provenance_ref: string
  readonly trust_score: number
  /** Says how it ended, in other words than those that are chosen otherwise. */
  outcome(outcome: Outcome): void
}

/** An action whose end its caller tells, once. For work that is no single function, such as a stream. */
export interface BegunAction extends AllowedAction {
  /** Runs a part of the work. What it starts finds this action as its cause, where the runtime can tell. */
  during<T>(work: () => T): T
  /** Completes the record with `success`, or what `outcome` says, and the hash of `value`. */
  succeed(value?: unknown): Promise<void>
  /** Completes the record with `error`, or what `outcome` says. Of `error` only traces learn, and only its name. */
  fail(error?: unknown): Promise<void>
  /** Completes the record with `cancelled`: the work was left, and may have been done. What it costs stays spent. */
  giveUp(): Promise<void>
  /** The work was not begun, and nothing is spent. */
  cancel(): Promise<void>
}

/** What the sub-agent gets. What is left out is inherited, but for the action `delegate`. */
export interface DelegateOptions extends Omit<DelegateInput, 'vat_jti' | 'agent_jwk'> {
  /** The key of the sub-agent. The new token is bound to it. */
  readonly agent_key?: AgentKey | undefined
}

/** An agent with its token. What it does is asked about before and recorded after. */
export interface Authority {
  readonly jti: string
  readonly compact_jwt: string | undefined
  /** Whose token it is; unknown where there is only its id. */
  readonly agent_id: string | undefined
  /**
   * Asks whether the action is allowed, does the work, and completes the record with its outcome and the hash of what it
   * returned; also when the work throws, and then throws the same. A no throws `AuthorityDenied` and does no work.
   */
  run<T>(
    action: string,
    resource: string,
    work: (allowed: AllowedAction) => T | Promise<T>,
    options?: RunOptions,
  ): Promise<T>
  /** Asks whether the action is allowed and leaves the work to the caller. A no throws `AuthorityDenied`. */
  begin(action: string, resource: string, options?: RunOptions): Promise<BegunAction>
  /** Passes a part of it on to a sub-agent. */
  delegate(options: DelegateOptions): Promise<Authority>
  /** Calls a service that asks for the token, with a proof if the token is bound to a key. */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>
  /** The operations, called with this token as the credential. */
  readonly client: Methods
}

/** The rules say no. Nothing was done, and the no is kept as evidence. */
export class AuthorityDenied extends Error {
  readonly action: string
  readonly resource: string
  readonly reasons: readonly string[]
  readonly denial_id: string | undefined
  /** What a human was asked, when the reason is `approval_required`. */
  readonly approval_id: string | undefined
  readonly decision: AuthorizeResponse

  constructor(action: string, resource: string, decision: AuthorizeResponse) {
    const reasons = decision.reasons ?? []
    super(`${action} on ${resource} is not allowed: ${reasons.join(', ')}.`)
    this.name = 'AuthorityDenied'
    this.action = action
    this.resource = resource
    this.reasons = reasons
    this.denial_id = decision.denial_id
    this.approval_id = decision.approval_id
    this.decision = decision
  }
}

/** The work was done, but its record could not be completed: it stays pending and expires by itself. */
export class CompletionFailed extends Error {
  readonly aar_id: string
  /** What the work returned. */
  readonly value: unknown

  constructor(aar_id: string, value: unknown, cause: unknown) {
    super(`The work was done, but the record ${aar_id} could not be completed.`, { cause })
    this.name = 'CompletionFailed'
    this.aar_id = aar_id
    this.value = value
  }
}

/** What an authority is made from. */
export interface AuthorityContext {
  readonly connection: Connection
  readonly methodsOf: (connection: Connection) => Methods
}

export function authorityOf(
  context: AuthorityContext,
  token: TokenLike,
  options: AuthorityOptions,
): Authority {
  checkOptions(options, AUTHORITY_OPTIONS)
  const { agent_key } = options
  if (agent_key !== undefined) checkAgentKey(agent_key)
  const { jti, compact_jwt, workflow, agent_id } = readToken(token)
  if (agent_key !== undefined && compact_jwt === undefined)
    throw new TypeError('With an agent_key the token itself is needed (compact_jwt), not its id alone.')
  const connection = connectionWith(context.connection, compact_jwt, agent_key)
  const { tracing } = connection
  const client = context.methodsOf(connection)

  async function authorize(
    action: string,
    resource: string,
    options: RunOptions,
    span: ActionSpan,
  ): Promise<AuthorizeResponse> {
    const { spend_usd, metadata, approval_id: given, signal } = options
    const request = {
      vat_jti: jti,
      action,
      resource,
      spend_usd,
      approval_id: given,
      metadata: metadata === undefined ? undefined : { ...metadata },
      parent_aar_id: parentOf(options),
    }
    const headers = { ...span.headers() }
    const answer = await ask(request, { signal, headers })
    const { approval_id } = answer
    if (answer.authorized || approval_id === undefined || !isWaiting(options)) return answer
    span.tell({ approval_id })
    if (!(await isApproved(approval_id, options))) return answer
    return ask({ ...request, approval_id }, { signal, headers })
  }

  /** Whoever stops waiting may never hear of a yes, so it is cancelled then. */
  async function ask(request: AuthorizeInput, { signal, headers }: CallOptions): Promise<AuthorizeResponse> {
    signal?.throwIfAborted()
    const asking = client.authorize(request, { headers })
    try {
      return await untilAborted(asking, signal)
    } catch (error) {
      if (signal?.aborted === true) asking.then(cancelRecord).catch(() => undefined) // it expires by itself
      throw error
    }
  }

  async function cancelRecord({ aar_id }: AuthorizeResponse): Promise<void> {
    if (aar_id !== undefined) await client.cancelRecord({ id: aar_id })
  }

  /** Until the human has decided, the question has expired, or the time is up. */
  async function isApproved(id: string, { wait_for_approval, signal }: RunOptions): Promise<boolean> {
    const ends_at_ms = typeof wait_for_approval === 'number' ? Date.now() + wait_for_approval : Infinity
    for (;;) {
      const left_s = Math.ceil((ends_at_ms - Date.now()) / 1000)
      const { state } = await client.getApproval(
        { id, wait: Math.max(0, Math.min(LONG_POLL_S, left_s)) },
        { signal },
      )
      if (state !== 'pending') return state === 'approved'
      if (Date.now() >= ends_at_ms) return false
    }
  }

  async function begin(action: string, resource: string, options: RunOptions = {}): Promise<BegunAction> {
    checkOptions(options, RUN_OPTIONS)
    const span = spanOf(action, resource, options)
    try {
      return begun(await span.during(() => allowed(action, resource, options, span)), options, span)
    } catch (error) {
      span.end(errorType(error))
      throw error
    }
  }

  async function allowed(
    action: string,
    resource: string,
    options: RunOptions,
    span: ActionSpan,
  ): Promise<AuthorizeResponse & { readonly aar_id: string }> {
    const decision = await authorize(action, resource, options, span)
    span.tell(factsOf(decision))
    const { authorized, aar_id } = decision
    if (!authorized || aar_id === undefined) throw new AuthorityDenied(action, resource, decision)
    return { ...decision, aar_id }
  }

  function begun(
    decision: AuthorizeResponse & { readonly aar_id: string },
    options: RunOptions,
    span: ActionSpan,
  ): BegunAction {
    const { aar_id, provenance_ref, trust_score } = decision
    let told: Outcome = {}
    const complete = (result: string, result_hash?: string) => {
      span.tell({ spend_usd: told.spend_usd ?? options.spend_usd })
      const outcome = { id: aar_id, ...completion({ result, ...told }), result_hash }
      return client.completeRecord(outcome, { headers: { ...span.headers() } })
    }
    /** The span ends when the record has, or cannot. */
    const ending = async (telling: () => Promise<unknown>, error_type?: string): Promise<void> => {
      try {
        await span.during(telling)
        span.end(error_type)
      } catch (error) {
        span.end(error_type ?? 'CompletionFailed')
        throw error
      }
    }
    return {
      aar_id,
      provenance_ref,
      trust_score,
      outcome: (outcome) => {
        told = { ...told, ...outcome }
      },
      during: (work) => span.during(() => duringAction({ aar_id, provenance_ref }, work)),
      succeed: (value) => ending(() => complete('success', resultHash(value))),
      fail: (error) => ending(() => complete('error'), errorType(error)),
      giveUp: () => ending(() => complete('cancelled'), CANCELLED),
      cancel: () => ending(() => cancelRecord(decision), CANCELLED),
    }
  }

  return {
    jti,
    compact_jwt,
    agent_id,
    client,
    begin,
    async run(action, resource, work, options = {}) {
      if (typeof work !== 'function')
        throw new TypeError('The work has to be a function: run(action, resource, async () => ...).')
      const begun = await begin(action, resource, options)
      const value = await attempt(
        () => begun.during(async () => work(begun)),
        (error) => begun.fail(error),
      )
      await begun.succeed(value).catch((cause) => {
        throw new CompletionFailed(begun.aar_id, value, cause)
      })
      return value
    },
    async delegate({ agent_key, ...request }) {
      const child = await client.delegate({ ...request, vat_jti: jti, agent_jwk: agent_key?.jwk })
      return authorityOf(context, child, { agent_key })
    },
    fetch: (url, init) => fetchWith(connection, url, init),
  }

  function spanOf(action: string, resource: string, { tool = action, tool_call_id }: RunOptions): ActionSpan {
    const known = { vat_jti: jti, agent_id, provenance_ref: workflow, tool_call_id }
    return tracing?.begin({ tool, action, resource, ...known }) ?? noSpan()
  }

  function parentOf({ parent }: RunOptions): string | undefined {
    if (parent !== undefined) return typeof parent === 'string' ? parent : parent.aar_id
    const around = currentAction()
    // An action of another workflow causes many things, but nothing that this one could name.
    return around !== undefined && workflow !== undefined && around.provenance_ref !== workflow
      ? undefined
      : around?.aar_id
  }
}

const LONG_POLL_S = 25
const AUTHORITY_OPTIONS: Record<keyof AuthorityOptions, true> = { agent_key: true }
const RUN_OPTIONS: Record<keyof RunOptions, true> = {
  spend_usd: true,
  metadata: true,
  parent: true,
  wait_for_approval: true,
  approval_id: true,
  signal: true,
  tool: true,
  tool_call_id: true,
}

function isWaiting({ wait_for_approval = false }: RunOptions): boolean {
  return wait_for_approval !== false
}

/** What was promised, or the reason of the signal if that comes first. */
function untilAborted<T>(promised: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promised
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    promised.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/** Does the work; if it fails, `onError` has its turn before the same is thrown on, whatever becomes of it. */
async function attempt<T>(work: () => Promise<T>, onError: (error: unknown) => Promise<unknown>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await onError(error).catch(() => undefined) // the record expires by itself, and the error of the work matters more
    throw error
  }
}

export function completion({ result = 'success', spend_usd, metadata }: Outcome) {
  return { result, spend_usd, metadata: metadata === undefined ? undefined : { ...metadata } }
}

interface ReadToken {
  readonly jti: string
  readonly compact_jwt: string | undefined
  /** Both only where the token itself says it. */
  readonly workflow: string | undefined
  readonly agent_id: string | undefined
}

function readToken(token: TokenLike): ReadToken {
  checkToken(token)
  const compact_jwt = typeof token === 'string' && token.includes('.') ? token : compactOf(token)
  if (compact_jwt === undefined) {
    const jti = typeof token === 'string' ? token : token.jti
    return { jti, compact_jwt, workflow: undefined, agent_id: undefined }
  }
  const { jti, sub, svc_provenance_ref } = decodeCompact(compact_jwt).payload
  if (typeof jti !== 'string') throw new TypeError('The token has no id (jti).')
  return {
    jti,
    compact_jwt,
    workflow: typeof svc_provenance_ref === 'string' ? svc_provenance_ref : undefined,
    agent_id: typeof sub === 'string' ? sub : undefined,
  }
}

function checkToken(token: unknown): void {
  if (token instanceof Promise)
    throw new TypeError('The token is still a promise: await the call that issues it.')
  const id = typeof token === 'object' && token !== null && 'jti' in token ? token.jti : token
  if (typeof id !== 'string' || id === '')
    throw new TypeError('The token has to be what an issue call answered, or its compact JWT, or its id.')
}

function compactOf(token: TokenLike): string | undefined {
  return typeof token === 'string' ? undefined : token.compact_jwt
}

/** The agent calls with its own token. With its id alone it can only call in open mode, where nobody is asked. */
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

/** A call to somebody else's service. It is made once; only a nonce that is asked for makes it go out again. */
async function fetchWith(
  { credential, fetch, tracing }: Connection,
  url: string | URL,
  init: RequestInit = {},
): Promise<Response> {
  const address = String(url)
  const method = (init.method ?? 'GET').toUpperCase()
  const attempt = async () => {
    const headers = new Headers({ ...tracing?.headers() })
    new Headers(init.headers).forEach((value, name) => {
      headers.set(name, value)
    })
    for (const [name, value] of Object.entries(await credential.headers(method, address)))
      headers.set(name, value)
    return fetch(address, { ...init, method, headers })
  }
  const response = await attempt()
  const isAskedAgain = credential.learn(response, address) && !(init.body instanceof ReadableStream)
  if (!isAskedAgain) return response
  await response.body?.cancel()
  return attempt()
}
