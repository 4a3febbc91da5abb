import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace'

/** An OpenTelemetry SDK, as a program registers it. */
export interface Tracer {
  /** The ended spans, in order. Clears them. */
  taken(): ReadableSpan[]
  stop(): Promise<void>
  /** Runs `work` in a span of the program, and returns that span with the result. */
  inside<T>(
    work: () => Promise<T>,
  ): Promise<{ readonly span_id: string; readonly trace_id: string; value: T }>
}

export function aTracer(): Tracer {
  const exporter = new InMemorySpanExporter()
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  trace.setGlobalTracerProvider(provider)
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  return {
    taken() {
      const spans = exporter.getFinishedSpans().filter(({ name }) => name !== 'the program')
      exporter.reset()
      return spans
    },
    async stop() {
      trace.disable()
      context.disable()
      await provider.shutdown()
    },
    inside: (work) =>
      trace.getTracer('a test').startActiveSpan('the program', async (span) => {
        const { spanId: span_id, traceId: trace_id } = span.spanContext()
        try {
          return { span_id, trace_id, value: await work() }
        } finally {
          span.end()
        }
      }),
  }
}
