import { ProxyTracerProvider, type TracerProvider, trace } from '@opentelemetry/api'
import { within } from './within.ts'

const FLUSH_MS = 2_000

/** Waits, for a while, until whoever was registered to keep spans has kept them. Without anybody it answers at once. */
export async function flushTraces(): Promise<void> {
  const provider = trace.getTracerProvider()
  const kept = provider instanceof ProxyTracerProvider ? provider.getDelegate() : provider
  const flushing = (kept as Partial<Flushing>).forceFlush?.() // SDKs have it, the API does not say so
  if (flushing === undefined) return
  await within(
    FLUSH_MS,
    flushing.catch(() => undefined), // spans are a courtesy
  )
}

interface Flushing extends TracerProvider {
  forceFlush(): Promise<void>
}
