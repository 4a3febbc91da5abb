/** Spans for actions and W3C Trace Context for calls, with the OpenTelemetry SDK that the program has registered. */
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

/** Options of `openTelemetry`. */
export interface OpenTelemetryOptions {
  /**
   * Whether calls carry `traceparent` and `tracestate`. Default: true. Set to false if an instrumentation of `fetch` already
   * adds them: services may reject a repeated header.
   */
  readonly headers?: boolean | undefined
}

const TRACER_NAME = '@deputize/sdk'

/**
 * Connects clients and guards to OpenTelemetry. Does nothing until an OpenTelemetry SDK is registered.
 *
 * @example
 * ```ts
 * import { deputy } from '@deputize/sdk'
 * import { openTelemetry } from '@deputize/sdk/opentelemetry'
 *
 * const client = deputy({ url: 'http://127.0.0.1:8420', tracing: openTelemetry() })
 * console.log((await client.getHealth()).status) // ok
 * ```
 */
export function openTelemetry({ headers: isPropagating = true }: OpenTelemetryOptions = {}): Tracing {
  const propagated = (span: SpanContext | undefined) => (isPropagating ? headersOf(span) : {})

  function begin(action: TracedAction, incoming: TraceHeaders = {}): ActionSpan {
    const around = context.active()
    const parent = trace.getSpan(around) === undefined ? below(around, incoming) : around
    const options = { kind: SpanKind.INTERNAL, attributes: attributesOf(action) }
    const span = trace.getTracer(TRACER_NAME).startSpan(`execute_tool ${action.tool}`, options, parent)
    const inside = trace.setSpan(parent, span)
    return {
      during: (work) => context.with(inside, work),
      headers: () => propagated(span.spanContext()),
      tell: (facts) => void span.setAttributes(factAttributes(facts)),
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
    headers: () => propagated(trace.getSpanContext(context.active())),
    rated(aar_id, rating) {
      trace.getActiveSpan()?.addEvent('gen_ai.evaluation.result', {
        'gen_ai.evaluation.name': 'human_rating',
        'gen_ai.evaluation.score.label': rating,
        'deputy.aar_id': aar_id,
      })
    },
  }
}

/** Uses the names of the GenAI conventions where they exist, and `deputy.*` otherwise. */
function attributesOf(action: TracedAction): Attributes {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': action.tool,
    ...attribute('gen_ai.tool.call.id', action.tool_call_id),
    ...attribute('gen_ai.agent.id', action.agent_id),
    'deputy.action': action.action,
    'deputy.resource': action.resource,
    'deputy.vat_jti': action.vat_jti,
    ...attribute('deputy.provenance_ref', action.provenance_ref),
    ...action.attributes,
  }
}

function factAttributes({ reasons, ...facts }: ActionFacts): Attributes {
  const named = Object.entries(facts).flatMap(([name, value]) =>
    Object.entries(attribute(`deputy.${name}`, value)),
  )
  return { ...Object.fromEntries(named), ...(reasons !== undefined && { 'deputy.reasons': [...reasons] }) }
}

function attribute<Value>(name: string, value: Value | undefined): Record<string, Value> {
  return value === undefined ? {} : { [name]: value }
}

/** Writes the headers without a propagator, which could also send baggage that is not meant for the service. */
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
