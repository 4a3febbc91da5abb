/** Spans for actions and W3C Trace Context on calls, for whatever OpenTelemetry SDK the program has registered. */
import {
  type Attributes,
  type Context,
  context,
  createTraceState,
  isSpanContextValid,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type { ActionFacts, ActionSpan, TracedAction, TraceHeaders, Tracing } from './tracing.ts'

export {
  type ActionFacts,
  type ActionSpan,
  CANCELLED,
  errorType,
  factsOf,
  NOT_ALLOWED,
  OTHER_ERROR,
  type TracedAction,
  type TraceHeaders,
  type Tracing,
  traceOf,
} from './tracing.ts'

/** What is done beside making spans. */
export interface OpenTelemetryOptions {
  /**
   * Whether calls carry `traceparent` and `tracestate`; true when absent. Say false where an instrumentation of `fetch`
   * adds them already: services may refuse to read a header that comes twice.
   */
  readonly headers?: boolean | undefined
}

const NAME = '@deputize/sdk'

/** For `deputy({ url, tracing: openTelemetry() })`, and for guards. While no SDK is registered it does nothing. */
export function openTelemetry({ headers: isPropagating = true }: OpenTelemetryOptions = {}): Tracing {
  const shown = (span: SpanContext | undefined) => (isPropagating ? headersOf(span) : {})

  function begin(action: TracedAction, incoming: TraceHeaders = {}): ActionSpan {
    const around = context.active()
    const parent = trace.getSpan(around) === undefined ? below(around, incoming) : around
    const options = { kind: SpanKind.INTERNAL, attributes: attributesOf(action) }
    const span = trace.getTracer(NAME).startSpan(`execute_tool ${action.tool}`, options, parent)
    const inside = trace.setSpan(parent, span)
    return {
      during: (work) => context.with(inside, work),
      headers: () => shown(span.spanContext()),
      tell: (facts) => void span.setAttributes(factsOf(facts)),
      end(error_type) {
        if (error_type !== undefined) {
          span.setAttribute('error.type', error_type)
          span.setStatus({ code: SpanStatusCode.ERROR })
        }
        span.end()
      },
    }
  }

  return {
    begin,
    headers: () => shown(trace.getSpanContext(context.active())),
    rated(aar_id, rating) {
      trace.getActiveSpan()?.addEvent('gen_ai.evaluation.result', {
        'gen_ai.evaluation.name': 'human_rating',
        'gen_ai.evaluation.score.label': rating,
        'deputy.aar_id': aar_id,
      })
    },
  }
}

/** Names of the GenAI conventions where they have one, of our own where they have none. */
function attributesOf(action: TracedAction): Attributes {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': action.tool,
    ...known('gen_ai.tool.call.id', action.tool_call_id),
    ...known('gen_ai.agent.id', action.agent_id),
    'deputy.action': action.action,
    'deputy.resource': action.resource,
    'deputy.vat_jti': action.vat_jti,
    ...known('deputy.provenance_ref', action.provenance_ref),
    ...action.attributes,
  }
}

function factsOf({ reasons, ...facts }: ActionFacts): Attributes {
  const told = Object.entries(facts).flatMap(([name, value]) =>
    Object.entries(known(`deputy.${name}`, value)),
  )
  return { ...Object.fromEntries(told), ...(reasons !== undefined && { 'deputy.reasons': [...reasons] }) }
}

function known<Value>(name: string, value: Value | undefined): Record<string, Value> {
  return value === undefined ? {} : { [name]: value }
}

/** Written here and not by a propagator, which may send baggage along: that is for nobody but those it is meant for. */
function headersOf(span: SpanContext | undefined): TraceHeaders {
  if (span === undefined || !isSpanContextValid(span)) return {}
  const flags = span.traceFlags.toString(16).padStart(2, '0')
  const tracestate = span.traceState?.serialize() ?? ''
  return {
    traceparent: `00-${span.traceId}-${span.spanId}-${flags}`,
    ...(tracestate !== '' && { tracestate }),
  }
}

function below(around: Context, { traceparent, tracestate }: TraceHeaders): Context {
  if (traceparent === undefined) return around
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-')
  return trace.setSpanContext(around, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  })
}
