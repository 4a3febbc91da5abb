/** A program with an OpenTelemetry SDK: node opentelemetry.mjs <url> <token>. */
import { deputy } from '@deputize/sdk'
import { openTelemetry } from '@deputize/sdk/opentelemetry'
import { trace } from '@opentelemetry/api'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'

const [, , url, token] = process.argv
const exporter = new InMemorySpanExporter()
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }))
const client = deputy({ url, tracing: openTelemetry() })
const id = await client.withAuthority(token).run('read', 'calendar:events', ({ aar_id }) => aar_id)
const [span] = exporter.getFinishedSpans()
const { trace_id: recorded } = await client.getRecord({ id })
console.log(JSON.stringify({ name: span.name, trace_id: span.spanContext().traceId, recorded }))
