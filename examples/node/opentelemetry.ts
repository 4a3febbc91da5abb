/** Actions as spans: `npm start` in one terminal, `npx node examples/node/opentelemetry.ts` in another. */
import { deputy } from '@deputize/sdk'
import { openTelemetry } from '@deputize/sdk/opentelemetry'
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'

// Your program already has this, with an exporter to your tracing backend.
const exporter = new InMemorySpanExporter()
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }))
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
const tracer = trace.getTracer('example')

const client = deputy({
  url: process.env.DEPUTY_URL ?? 'http://127.0.0.1:8420',
  tracing: openTelemetry(),
})
const token = await client.issueL1({
  developer_email: 'dev@example.com',
  agent_id: 'calendar-bot',
  resources: ['calendar:events'],
  actions: ['read'],
})
const agent = client.withAuthority(token)

const aar_id = await tracer.startActiveSpan('plan my day', async (span) => {
  const done = await agent.run(
    'read',
    'calendar:events',
    async ({ aar_id }) => {
      tracer.startSpan('ask the calendar').end() // a child of the action
      return aar_id
    },
    { tool: 'list_events' },
  )
  span.end()
  return done
})

for (const span of exporter.getFinishedSpans()) console.log(`${span.spanContext().traceId} ${span.name}`)
const { trace_id } = await client.getRecord({ id: aar_id })
console.log(`the record: ${trace_id}`)
