import { type AuthorizeResponse, type Methods, resultHash } from '@deputize/sdk'
import { type ActionSpan, CANCELLED, type TraceHeaders, type Tracing } from '@deputize/sdk/opentelemetry'
import { callRecords } from './call-records.ts'
import { decideCall } from './decide-call.ts'
import { type DeniedResult, unmappedResult } from './denied-result.ts'
import type { McpToolCall } from './messages.ts'
import type { MappedTool, ToolMapping } from './tool-mapping.ts'
import { failureOf, resultOf, type ToolAnswer } from './tool-outcome.ts'
import { turns } from './turns.ts'

/** The operations that the guard uses. */
export type AuthorizerClient = Pick<
  Methods,
  'authorize' | 'authorizeBatch' | 'getApproval' | 'completeRecord' | 'cancelRecord'
>

export interface AuthorizerOptions {
  readonly client: AuthorizerClient
  readonly jti: string
  readonly agent_id: string | undefined
  readonly mapping: ToolMapping
  readonly tracing: Tracing
  /** Prints a line for the operator. */
  readonly say: (text: string) => void
}

/** How a call reached the guard. */
export interface CallTransport {
  readonly transport: 'pipe' | 'tcp'
  readonly session: string | undefined
}

/** A call that may go to the server. */
export interface AllowedCall {
  /** Undefined if the call is allowed without a record, because the service is unavailable. */
  readonly aar_id: string | undefined
  readonly span: ActionSpan
  /** The trace context to send to the server. Undefined if the client's own trace context stays. */
  readonly trace: TraceHeaders | undefined
}

/** The decision about a call. */
export type CallDecision =
  | { readonly kind: 'allowed'; readonly allowed: AllowedCall }
  | { readonly kind: 'denied'; readonly result: DeniedResult }
  | { readonly kind: 'cancelled' }

/** Authorizes tool calls and keeps their action records. It doesn't depend on the transport. */
export interface CallAuthorizer {
  /** Decides about a call; waits for an approval if the mapping says so, and calls `progress` while it waits. */
  authorize(
    call: McpToolCall,
    transport: CallTransport,
    signal: AbortSignal,
    progress: (text: string) => void,
  ): Promise<CallDecision>
  /** Completes the record of a call. Returns after two seconds even if the service does not answer. */
  end(allowed: AllowedCall | undefined, answer: ToolAnswer): Promise<void>
  /** Cancels the record of a call that was never sent to the server. */
  cancel(allowed: AllowedCall | undefined): Promise<void>
  /** Completes the record as cancelled. The server may have executed the call, so its cost stays spent. */
  giveUp(allowed: AllowedCall | undefined): Promise<void>
  /** The tools that could be called now, perhaps after an approval. */
  callable(tools: readonly string[]): Promise<ReadonlySet<string>>
  /** Waits a while for records that are still being completed. */
  settle(): Promise<void>
}

/** More concurrent calls would only queue in the service and be rejected there. */
const MAX_CONCURRENT = 64

export function callAuthorizer(options: AuthorizerOptions): CallAuthorizer {
  const { client, say } = options
  const inTurn = turns(MAX_CONCURRENT)
  const records = callRecords(client, inTurn, say)
  const onWorkflow = workflowNotice(say)

  async function decided(
    call: McpToolCall,
    transport: CallTransport,
    signal: AbortSignal,
    progress: (text: string) => void,
  ): Promise<CallDecision> {
    const rule = options.mapping.ruleFor(call.tool)
    if (rule === undefined) {
      say(`A call is denied: the mapping has no rule for ${JSON.stringify(call.tool)}.`)
      return { kind: 'denied', result: unmappedResult(call) }
    }
    const span = beginSpan(options, call, rule, transport)
    const parts = { ...options, inTurn, records, onWorkflow }
    const decision = await span.during(() => decideCall(parts, { call, rule, span, signal, progress }))
    if (decision.kind === 'allowed') {
      const { aar_id } = decision
      return { kind: 'allowed', allowed: { aar_id, span, trace: changedTrace(call, span) } }
    }
    span.end(decision.kind === 'denied' ? decision.error_type : CANCELLED)
    return decision
  }

  return {
    authorize: (...asked) => records.track(decided(...asked)),
    async cancel(allowed) {
      if (allowed === undefined) return
      const { aar_id, span } = allowed
      if (aar_id !== undefined) await records.cancel(aar_id, span)
      span.end(CANCELLED)
    },
    async giveUp(allowed) {
      if (allowed !== undefined) await records.complete(allowed, { result: CANCELLED })
      allowed?.span.end(CANCELLED)
    },
    async end(allowed, answer) {
      const result_hash = resultHash(answer.error ?? answer.result)
      if (allowed !== undefined) await records.complete(allowed, { result: resultOf(answer), result_hash })
      allowed?.span.end(failureOf(answer))
    },
    callable: (tools) => callableTools(options, tools),
    settle: records.settle,
  }
}

/** Prints the workflow of the calls whenever it changes. */
function workflowNotice(say: (text: string) => void): (provenance_ref: string) => void {
  let last: string | undefined
  return (provenance_ref) => {
    if (last === provenance_ref) return
    last = provenance_ref
    say(`Calls are recorded in the workflow ${provenance_ref}.`)
  }
}

function beginSpan(
  { jti, agent_id, tracing }: AuthorizerOptions,
  { id, tool, trace }: McpToolCall,
  { action, resource }: MappedTool,
  { transport, session }: CallTransport,
): ActionSpan {
  const attributes = {
    'mcp.method.name': 'tools/call',
    ...(session !== undefined && { 'mcp.session.id': session }),
    'jsonrpc.request.id': String(id),
    'network.transport': transport,
  }
  return tracing.begin({ tool, action, resource, vat_jti: jti, agent_id, attributes }, trace)
}

/** The trace context of the guard's span. Undefined if it is the one that the client sent. */
function changedTrace({ trace }: McpToolCall, span: ActionSpan): TraceHeaders | undefined {
  const own = span.headers()
  return traceIds(own) === traceIds(trace) ? undefined : own
}

/** Trace and span ID, without version and flags. */
function traceIds({ traceparent }: TraceHeaders): string | undefined {
  return traceparent?.slice(3, 52)
}

const MAX_BATCH_ITEMS = 500

async function callableTools(
  { client, jti, mapping }: AuthorizerOptions,
  tools: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const mapped = tools.flatMap((tool) => {
    const rule = mapping.ruleFor(tool)
    return rule === undefined ? [] : [{ tool, rule }]
  })
  for (let start = 0; start < mapped.length; start += MAX_BATCH_ITEMS) {
    const part = mapped.slice(start, start + MAX_BATCH_ITEMS)
    const { items } = await client.authorizeBatch({
      items: part.map(({ rule: { action, resource, spend_usd } }) => {
        const spend = spend_usd !== undefined && { spend_usd }
        return { vat_jti: jti, action, resource, dry_run: true, ...spend }
      }),
    })
    for (const [at, { tool }] of part.entries()) if (isCallable(items[at]?.answer)) found.add(tool)
  }
  return found
}

/** Reasons that an approval, some time or other arguments can remove. */
const TEMPORARY_REASONS = ['approval_required', 'rate_limit', 'outside_hours', 'argument_not_allowed']

function isCallable(decision: AuthorizeResponse | undefined): boolean {
  if (decision === undefined) return false
  return decision.authorized || (decision.reasons ?? []).every((reason) => TEMPORARY_REASONS.includes(reason))
}
