import { ProxyTracerProvider, type TracerProvider, trace } from '@opentelemetry/api'
import { waitAtMost } from './wait-at-most.ts'

const FLUSH_MS = 2_000

/** Waits a while until the registered OpenTelemetry SDK has exported its spans. Returns at once if there is none. */
export async function flushTraces(): Promise<void> {
  const provider = trace.getTracerProvider()
  const kept = provider instanceof ProxyTracerProvider ? provider.getDelegate() : provider
  const flushing = (kept as Partial<Flushing>).forceFlush?.() // SDKs implement it, but the API does not declare it
  if (flushing === undefined) return
  await waitAtMost(
    FLUSH_MS,
    flushing.catch(() => undefined), // a failed export must not change the exit code
  )
}

interface Flushing extends TracerProvider {
  forceFlush(): Promise<void>
}
