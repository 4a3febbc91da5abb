import { DeputyError } from './errors.ts'
import type { AuthorizeResponse } from './generated/operations.ts'

/** The trace that a call belongs to, in the words of W3C Trace Context. Empty when it belongs to none. */
export interface TraceHeaders {
  readonly traceparent?: string
  readonly tracestate?: string
}

/** What is known of an action before anybody was asked. */
export interface TracedAction {
  /** The tool that is called, where it has a name of its own; the action otherwise. */
  readonly tool: string
  readonly action: string
  readonly resource: string
  readonly vat_jti: string
  readonly agent_id?: string | undefined
  readonly provenance_ref?: string | undefined
  /** How the model called this very call. */
  readonly tool_call_id?: string | undefined
  /** What only the caller knows of, such as the session of a protocol. */
  readonly attributes?: Readonly<Record<string, string>> | undefined
}

/** What is learned of it later. */
export interface ActionFacts {
  readonly authorized?: boolean | undefined
  readonly reasons?: readonly string[] | undefined
  readonly aar_id?: string | undefined
  readonly denial_id?: string | undefined
  readonly approval_id?: string | undefined
  readonly provenance_ref?: string | undefined
  readonly spend_usd?: number | undefined
}

/** The span of one action, from the question until its record is complete. */
export interface ActionSpan {
  /** Runs `work`; spans that it begins are children of this one, where the runtime can tell. */
  during<T>(work: () => T): T
  /** For calls that belong to it. */
  headers(): TraceHeaders
  tell(facts: ActionFacts): void
  /** Ends it, once. `error_type` is the short name of what went wrong. */
  end(error_type?: string): void
}

/** Whoever follows traces. `openTelemetry()` of `@deputize/sdk/opentelemetry` makes one. */
export interface Tracing {
  /** Begins a span below the active one; where there is none, below the one that `incoming` names. */
  begin(action: TracedAction, incoming?: TraceHeaders): ActionSpan
  /** Of the active span. */
  headers(): TraceHeaders
  /** A human has rated an action. */
  rated(aar_id: string, rating: string): void
}

/** Without tracing there is a span all the same: one that does nothing. */
export function noSpan(incoming: TraceHeaders = {}): ActionSpan {
  return {
    during: (work) => work(),
    headers: () => incoming,
    tell: () => undefined,
    end: () => undefined,
  }
}

/** What a decision says that a trace may hold. */
export function factsOf(decision: AuthorizeResponse): ActionFacts {
  const { authorized, reasons, aar_id, denial_id, approval_id, provenance_ref } = decision
  return { authorized, reasons, aar_id, denial_id, approval_id, provenance_ref }
}

/** The type of a no of the rules. */
export const NOT_ALLOWED = 'not_allowed'
/** Of an action that nothing came of. */
export const CANCELLED = 'cancelled'
/** What OpenTelemetry calls an error that has no name. */
export const OTHER_ERROR = '_OTHER'

/** A code or the name of a class. Never the message of an error: it may hold anything. */
export function errorType(error: unknown): string {
  if (error instanceof DeputyError) return error.code
  const name = error instanceof Error ? error.name : ''
  if (name === 'AuthorityDenied') return NOT_ALLOWED
  return /^[\w.]{1,64}$/.test(name) ? name : OTHER_ERROR
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/
const TRACESTATE = /^[\x20-\x7e]{1,512}$/

/** The trace that somebody says they belong to. What is not well formed is as good as absent; baggage is never read. */
export function traceOf(header: (name: string) => unknown): TraceHeaders {
  const traceparent = header('traceparent')
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return {}
  const tracestate = header('tracestate')
  const hasState = typeof tracestate === 'string' && TRACESTATE.test(tracestate)
  return { traceparent, ...(hasState && { tracestate }) }
}
