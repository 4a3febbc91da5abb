import {
  type Approval,
  type AuthorizeResponse,
  DeputyError,
  isUnavailable,
  type Methods,
  resultHash,
} from '@deputize/sdk'
import {
  type ActionSpan,
  CANCELLED,
  errorType,
  factsOf,
  NOT_ALLOWED,
  OTHER_ERROR,
  type TraceHeaders,
  type Tracing,
} from '@deputize/sdk/opentelemetry'
import { type DeniedResult, deniedResult, refusedResult, unavailableResult } from './denied-result.ts'
import { isObject, type ToolCall } from './messages.ts'
import type { ToolRule, ToolRules } from './tool-rules.ts'
import { turns } from './turns.ts'
import { within } from './within.ts'

/** The operations that the guard needs. */
export type GateClient = Pick<
  Methods,
  'authorize' | 'authorizeBatch' | 'getApproval' | 'completeRecord' | 'cancelRecord'
>

export interface GateOptions {
  readonly client: GateClient
  readonly jti: string
  readonly agent_id: string | undefined
  readonly rules: ToolRules
  readonly tracing: Tracing
  /** Tells the operator. */
  readonly say: (text: string) => void
}

/** How a call came to the guard. */
export interface Arrival {
  readonly transport: 'pipe' | 'tcp'
  readonly session: string | undefined
}

/** A call that may go on. */
export interface Permit {
  /** Missing when it is let through although nobody could be asked. */
  readonly aar_id: string | undefined
  readonly span: ActionSpan
  /** What the server is to take for the trace that it belongs to; undefined when the client has said it already. */
  readonly trace: TraceHeaders | undefined
}

/** What is to become of a call. */
export type Verdict =
  | { readonly kind: 'allowed'; readonly permit: Permit }
  | { readonly kind: 'denied'; readonly result: DeniedResult }
  | { readonly kind: 'cancelled' }

/** The same, before its span is ended or handed on. */
type Judgement =
  | { readonly kind: 'allowed'; readonly aar_id: string | undefined }
  | { readonly kind: 'denied'; readonly result: DeniedResult; readonly error_type: string }
  | { readonly kind: 'cancelled' }

/** A call that is asked about. */
interface Question {
  readonly call: ToolCall
  readonly rule: ToolRule
  readonly span: ActionSpan
  readonly signal: AbortSignal
  readonly progress: (text: string) => void
}

/** How the server answered a call. */
export interface ToolAnswer {
  readonly result?: unknown
  readonly error?: unknown
}

export interface Gate {
  /** Asks whether a call may go on; waits for a human where the rules say so. `progress` is told while it waits. */
  ask(
    call: ToolCall,
    arrival: Arrival,
    signal: AbortSignal,
    progress: (text: string) => void,
  ): Promise<Verdict>
  /** Completes the record of a call. Answers soon, also when the service does not. */
  end(permit: Permit | undefined, answer: ToolAnswer): Promise<void>
  /** Gives up the record of a call that the server never heard of. */
  cancel(permit: Permit | undefined): Promise<void>
  /** Nobody waits for the outcome any more. The server may have done it all the same, so what it costs stays spent. */
  giveUp(permit: Permit | undefined): Promise<void>
  /** The tools that could be called now, perhaps after a human was asked. All of them when nobody can say. */
  callable(tools: readonly string[]): Promise<ReadonlySet<string>>
  /** Waits for what was not told yet, for a while. */
  settle(): Promise<void>
}

/** An answer is not held back longer than this for the sake of its record. */
const HELD_BACK_MS = 2_000
const SETTLE_MS = 5_000
const APPROVAL_POLL_S = 5
const MAX_BATCH = 500
/** More at once would only wait at the service, and the last ones would be given up there. */
const MAX_AT_ONCE = 64

export function gate({ client, jti, agent_id, rules, tracing, say }: GateOptions): Gate {
  const untold = new Set<Promise<unknown>>()
  const inTurn = turns(MAX_AT_ONCE)
  let workflow: string | undefined

  function ask(
    call: ToolCall,
    arrival: Arrival,
    signal: AbortSignal,
    progress: (text: string) => void,
  ): Promise<Verdict> {
    const asking = asked(call, arrival, signal, progress)
    untold.add(asking)
    asking.finally(() => untold.delete(asking))
    return asking
  }

  async function asked(
    call: ToolCall,
    arrival: Arrival,
    signal: AbortSignal,
    progress: (text: string) => void,
  ): Promise<Verdict> {
    const rule = rules.ruleFor(call.tool)
    const span = spanOf(call, rule, arrival)
    const judgement = await span.during(() => judge({ call, rule, span, signal, progress }))
    if (judgement.kind === 'allowed') {
      const { aar_id } = judgement
      return { kind: 'allowed', permit: { aar_id, span, trace: changedTrace(call, span) } }
    }
    span.end(judgement.kind === 'denied' ? judgement.error_type : CANCELLED)
    return judgement
  }

  function spanOf(
    { id, tool, trace }: ToolCall,
    rule: ToolRule,
    { transport, session }: Arrival,
  ): ActionSpan {
    const { action, resource } = rule
    const attributes = {
      'mcp.method.name': 'tools/call',
      ...(session !== undefined && { 'mcp.session.id': session }),
      'jsonrpc.request.id': String(id),
      'network.transport': transport,
    }
    return tracing.begin({ tool, action, resource, vat_jti: jti, agent_id, attributes }, trace)
  }

  async function judge(question: Question): Promise<Judgement> {
    const { call, rule, span } = question
    try {
      const decision = await authorize(question)
      tellWorkflow(decision.provenance_ref)
      const { approval_id } = decision
      if (decision.authorized || approval_id === undefined || rule.approval === 'refuse')
        return await judgementOf(question, decision)
      span.tell({ approval_id })
      return await afterApproval(question, decision, approval_id)
    } catch (error) {
      return failed(call, rule, error)
    }
  }

  function authorize({ call, rule, span }: Question, approval_id?: string): Promise<AuthorizeResponse> {
    const headers = { ...span.headers() }
    return inTurn(() => client.authorize({ ...requestOf(call, rule), approval_id }, { headers }))
  }

  /** Nobody lets a call through here because the service is away: a human was to be asked. */
  async function afterApproval(
    question: Question,
    asked: AuthorizeResponse,
    approval_id: string,
  ): Promise<Judgement> {
    const { call, rule, span, signal } = question
    try {
      const state = await decided(approval_id, question)
      if (state === undefined) return { kind: 'cancelled' }
      if (state === 'approved') return await judgementOf(question, await authorize(question, approval_id))
      span.tell(factsOf(asked))
      return { kind: 'denied', result: deniedResult(call, rule, asked, state), error_type: NOT_ALLOWED }
    } catch (error) {
      if (signal.aborted) return { kind: 'cancelled' }
      return denied(call, rule, error)
    }
  }

  /** Undefined when the client does not want to wait any longer. */
  async function decided(
    id: string,
    { call, rule, span, signal, progress }: Question,
  ): Promise<Approval['state'] | undefined> {
    say(`${call.tool} waits for a human to decide on ${id}.`)
    while (!signal.aborted) {
      progress(`Waiting for a human to approve ${rule.action} on ${rule.resource} (${id}).`)
      const headers = { ...span.headers() }
      const { state } = await client.getApproval({ id, wait: APPROVAL_POLL_S }, { signal, headers })
      if (state !== 'pending') return state
    }
    return undefined
  }

  async function judgementOf(
    { call, rule, span, signal }: Question,
    decision: AuthorizeResponse,
  ): Promise<Judgement> {
    span.tell(factsOf(decision))
    const { authorized, aar_id } = decision
    if (!authorized || aar_id === undefined) {
      say(`${call.tool} is denied: ${(decision.reasons ?? []).join(', ')}.`)
      return { kind: 'denied', result: deniedResult(call, rule, decision), error_type: NOT_ALLOWED }
    }
    span.tell({ spend_usd: rule.spend_usd })
    if (!signal.aborted) return { kind: 'allowed', aar_id }
    await cancelRecord(aar_id, span)
    return { kind: 'cancelled' }
  }

  function failed(call: ToolCall, rule: ToolRule, error: unknown): Judgement {
    if (!isUnavailable(error) || rules.on_unavailable === 'deny') return denied(call, rule, error)
    say(`${call.tool} goes on without a record: the service cannot be asked.`)
    return { kind: 'allowed', aar_id: undefined }
  }

  function denied(call: ToolCall, rule: ToolRule, error: unknown): Judgement {
    const result = isUnavailable(error)
      ? unavailableResult(call, rule)
      : refusedResult(call, rule, error instanceof DeputyError ? error : undefined)
    say(`${call.tool} is denied: ${error instanceof Error ? error.message : String(error)}`)
    return { kind: 'denied', result, error_type: errorType(error) }
  }

  function requestOf({ tool, arguments: given }: ToolCall, { action, resource, spend_usd }: ToolRule) {
    const arguments_hash = resultHash(given)
    const metadata = {
      mcp_server: rules.server,
      mcp_tool: tool,
      ...(arguments_hash !== undefined && { arguments_hash }),
    }
    return { vat_jti: jti, action, resource, spend_usd, metadata }
  }

  function tellWorkflow(provenance_ref: string): void {
    if (workflow === provenance_ref) return
    workflow = provenance_ref
    say(`Calls are recorded under ${provenance_ref}.`)
  }

  async function tell(what: string, work: () => Promise<unknown>): Promise<void> {
    const telling = inTurn(work).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error)
      say(`${what} could not be told: ${why} The record expires by itself.`)
    })
    untold.add(telling)
    telling.finally(() => untold.delete(telling))
    await within(HELD_BACK_MS, telling)
  }

  function cancelRecord(id: string, span: ActionSpan): Promise<void> {
    const headers = { ...span.headers() }
    return tell(`The end of ${id}`, () => span.during(() => client.cancelRecord({ id }, { headers })))
  }

  async function complete(
    permit: Permit | undefined,
    outcome: { readonly result: string; readonly result_hash?: string | undefined },
  ): Promise<void> {
    if (permit?.aar_id === undefined) return
    const { aar_id: id, span } = permit
    const headers = { ...span.headers() }
    await tell(`The outcome of ${id}`, () =>
      span.during(() => client.completeRecord({ id, ...outcome }, { headers })),
    )
  }

  return {
    ask,
    async cancel(permit) {
      if (permit === undefined) return
      const { aar_id, span } = permit
      if (aar_id !== undefined) await cancelRecord(aar_id, span)
      span.end(CANCELLED)
    },
    async giveUp(permit) {
      await complete(permit, { result: CANCELLED })
      permit?.span.end(CANCELLED)
    },
    async end(permit, answer) {
      await complete(permit, {
        result: outcomeOf(answer),
        result_hash: resultHash(answer.error ?? answer.result),
      })
      permit?.span.end(failureOf(answer))
    },
    async callable(tools) {
      const found = new Set<string>()
      for (let start = 0; start < tools.length; start += MAX_BATCH) {
        const part = tools.slice(start, start + MAX_BATCH)
        const { items } = await client.authorizeBatch({
          items: part.map((tool) => {
            const { action, resource, spend_usd } = rules.ruleFor(tool)
            return {
              vat_jti: jti,
              action,
              resource,
              dry_run: true,
              ...(spend_usd !== undefined && { spend_usd }),
            }
          }),
        })
        for (const [at, tool] of part.entries()) if (isWithinReach(items[at]?.answer)) found.add(tool)
      }
      return found
    },
    async settle() {
      await within(SETTLE_MS, Promise.all(untold))
    },
  }
}

/** What only needs a human, or some patience. */
const PASSING_REASONS = ['approval_required', 'rate_limit', 'outside_hours']

function isWithinReach(decision: AuthorizeResponse | undefined): boolean {
  if (decision === undefined) return false
  return decision.authorized || (decision.reasons ?? []).every((reason) => PASSING_REASONS.includes(reason))
}

/** A call that the server wants to be made again, with more input, has neither succeeded nor failed. */
function outcomeOf({ result, error }: ToolAnswer): string {
  if (error !== undefined || !isObject(result) || result.isError === true) return 'error'
  return result.resultType === 'input_required' ? 'cancelled' : 'success'
}

/** What went wrong, in the words of the conventions for MCP; undefined when nothing did. */
function failureOf({ result, error }: ToolAnswer): string | undefined {
  if (isObject(error)) return typeof error.code === 'number' ? String(error.code) : OTHER_ERROR
  if (error !== undefined || !isObject(result)) return OTHER_ERROR
  return result.isError === true ? 'tool_error' : undefined
}

/** The trace that the guard made of what the client said, where it made anything of it. */
function changedTrace({ trace }: ToolCall, span: ActionSpan): TraceHeaders | undefined {
  const own = span.headers()
  return idsIn(own) === idsIn(trace) ? undefined : own
}

/** Those of trace and span, without version and flags. */
function idsIn({ traceparent }: TraceHeaders): string | undefined {
  return traceparent?.slice(3, 52)
}
