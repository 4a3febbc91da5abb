import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace'

/** The SDK of OpenTelemetry, as a program registers it. */
export interface Tracer {
  /** Spans that have ended, in that order; they are forgotten afterwards. */
  taken(): ReadableSpan[]
  stop(): Promise<void>
  /** Runs `work` in a span of the program itself, and answers that span with what came of it. */
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
