import type { AuthorizeDecision } from './actions/authorize-decision.ts'
import { DeputyError } from './errors.ts'

/** The trace of a call, as W3C Trace Context headers. Empty if the call belongs to no trace. */
export interface TraceHeaders {
  readonly traceparent?: string
  readonly tracestate?: string
}

/** Facts about an action that are known before it is authorized. */
export interface TracedAction {
  /** The name of the tool, or the action if the tool has no name of its own. */
  readonly tool: string
  readonly action: string
  readonly resource: string
  readonly vat_jti: string
  readonly agent_id?: string | undefined
  readonly provenance_ref?: string | undefined
  /** The model's id for this tool call. */
  readonly tool_call_id?: string | undefined
  /** Attributes that only the caller knows, such as a protocol session. */
  readonly attributes?: Readonly<Record<string, string>> | undefined
}

/** Facts that are known later. */
export interface ActionFacts {
  readonly authorized?: boolean | undefined
  readonly reasons?: readonly string[] | undefined
  readonly aar_id?: string | undefined
  readonly denial_id?: string | undefined
  readonly approval_id?: string | undefined
  readonly provenance_ref?: string | undefined
  readonly spend_usd?: number | undefined
}

/** The span of one action, from the authorization until its record is complete. */
export interface ActionSpan {
  /** Runs `work`. Spans that it begins are children of this one, if the runtime can track them. */
  during<T>(work: () => T): T
  /** Headers for calls that belong to this span. */
  headers(): TraceHeaders
  tell(facts: ActionFacts): void
  /** Ends the span, once. `error_type` is the short name of the failure. */
  end(error_type?: string): void
}

/** Receives spans. `openTelemetry()` in `@deputize/sdk/opentelemetry` implements it. */
export interface Tracing {
  /** Begins a span below the active one or, if there is none, below the one in `incoming`. */
  begin(action: TracedAction, incoming?: TraceHeaders): ActionSpan
  /** Headers of the active span. */
  headers(): TraceHeaders
  /** A person has rated an action. */
  rated(aar_id: string, rating: string): void
}

/** Returns a span that does nothing, for use without tracing. */
export function noSpan(incoming: TraceHeaders = {}): ActionSpan {
  return {
    during: (work) => work(),
    headers: () => incoming,
    tell: () => undefined,
    end: () => undefined,
  }
}

/** Returns the facts of a decision that a trace may contain. */
export function factsOf(decision: AuthorizeDecision): ActionFacts {
  const { authorized, reasons, aar_id, denial_id, approval_id, provenance_ref } = decision
  return { authorized, reasons, aar_id, denial_id, approval_id, provenance_ref }
}

/** The error type of a denied action. */
export const NOT_ALLOWED = 'not_allowed'
/** The error type of a cancelled action. */
export const CANCELLED = 'cancelled'
/** OpenTelemetry's error type for an error without a name. */
export const OTHER_ERROR = '_OTHER'

/** Returns an error code or the name of an error class. Never the message, which may contain secrets. */
export function errorType(error: unknown): string {
  if (error instanceof DeputyError) return error.code
  const name = error instanceof Error ? error.name : ''
  return /^[\w.]{1,64}$/.test(name) ? name : OTHER_ERROR
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/
const TRACESTATE = /^[\x20-\x7e]{1,512}$/

/** Returns the caller's trace. Malformed headers are ignored; baggage is never read. */
export function traceOf(header: (name: string) => unknown): TraceHeaders {
  const traceparent = header('traceparent')
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return {}
  const tracestate = header('tracestate')
  const hasState = typeof tracestate === 'string' && TRACESTATE.test(tracestate)
  return { traceparent, ...(hasState && { tracestate }) }
}
