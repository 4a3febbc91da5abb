import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { AuthorityDenied, deputy } from '@deputize/sdk'
import { governed } from '@deputize/sdk/ai'
import { openTelemetry } from '@deputize/sdk/opentelemetry'
import { anOpenDeployment } from '@deputize/testing/a-deployment.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { aTracer, type Tracer } from './a-tracer.ts'
import { anApi, FRAMEWORKS, type Framework } from './an-api.ts'

const open = await anOpenDeployment({ after })
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const INCOMING = `00-${TRACE}-${PARENT}-01`

/** Returns a client whose request headers are recorded. */
function aSeenClient(options: Parameters<typeof openTelemetry>[0] = {}) {
  const seen: Headers[] = []
  const client = deputy({
    url: open.url,
    tracing: openTelemetry(options),
    fetch: (url, init) => {
      seen.push(new Headers(init?.headers))
      return fetch(url, init)
    },
  })
  return { client, seen, traceparents: () => seen.map((headers) => headers.get('traceparent')) }
}

const recordOf = async (provenance_ref: string) =>
  eventually(
    'a completed record',
    async () => (await open.client.listRecords({ provenance_ref, state: 'completed' })).data[0],
  )

describe('without an OpenTelemetry SDK', () => {
  test('calls carry no trace headers, and actions run normally', async () => {
    const { client, seen, traceparents } = aSeenClient()
    const issued = await open.token()
    const value = await client.withAuthority(issued).run('read', 'calendar:events', () => 7)
    assert.equal(value, 7)
    assert.deepEqual(traceparents(), [null, null])
    assert.ok(seen.every((headers) => headers.get('tracestate') === null && headers.get('baggage') === null))
    assert.equal((await recordOf(issued.provenance_ref)).trace_id, undefined)
  })

  for (const framework of Object.keys(FRAMEWORKS) as Framework[])
    for (const tracing of [undefined, openTelemetry()])
      test(`the guard for ${framework} passes a caller's trace on, ${tracing === undefined ? 'without' : 'with'} tracing`, async (t) => {
        const api = await anApi(t, framework, { url: open.url, tracing })
        const issued = await open.token({ constraints: { max_spend_usd: 1 } })
        const headers = { authorization: `Bearer ${issued.compact_jwt}`, traceparent: INCOMING }
        assert.equal((await fetch(`${api.url}/events`, { method: 'POST', headers })).status, 200)
        assert.equal((await recordOf(issued.provenance_ref)).trace_id, TRACE)
      })

  test('a guard ignores a malformed traceparent', async (t) => {
    const api = await anApi(t, 'Express', { url: open.url })
    for (const traceparent of [
      `00-${'0'.repeat(32)}-${PARENT}-01`,
      `00-${TRACE}-${'0'.repeat(16)}-01`,
      `ff-${TRACE}-${PARENT}-01`,
      `${INCOMING}, ${INCOMING}`,
      `00-${TRACE.toUpperCase()}-${PARENT}-01`,
      'x',
    ]) {
      const issued = await open.token({ constraints: { max_spend_usd: 1 } })
      const headers = { authorization: `Bearer ${issued.compact_jwt}`, traceparent }
      assert.equal((await fetch(`${api.url}/events`, { method: 'POST', headers })).status, 200)
      assert.equal((await recordOf(issued.provenance_ref)).trace_id, undefined, traceparent)
    }
  })
})

describe('with an OpenTelemetry SDK', () => {
  let tracer: Tracer
  before(() => {
    tracer = aTracer()
  })
  after(() => tracer.stop())

  test('an action has a span that follows the conventions, and its record has the trace ID', async () => {
    const { client, traceparents } = aSeenClient()
    const issued = await open.token({ constraints: { max_spend_usd: 5 } })
    const { span_id, trace_id, value } = await tracer.inside(() =>
      client.withAuthority(issued).run(
        'read',
        'calendar:events',
        async ({ aar_id, outcome }) => {
          await new Promise((resolve) => setTimeout(resolve, 5))
          trace.getTracer('a test').startSpan('the work').end()
          outcome({ spend_usd: 0.2 })
          return aar_id
        },
        { spend_usd: 0.5, tool: 'list_events', tool_call_id: 'call_1', metadata: { secret: 'hunter2' } },
      ),
    )
    const [child, span, ...others] = tracer.taken()
    assert.ok(child !== undefined && span !== undefined)
    assert.deepEqual(others, [])
    assert.deepEqual([span.name, span.kind], ['execute_tool list_events', SpanKind.INTERNAL])
    assert.equal(span.parentSpanContext?.spanId, span_id)
    assert.deepEqual(span.attributes, {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'list_events',
      'gen_ai.tool.call.id': 'call_1',
      'gen_ai.agent.id': 'agent:calendar-bot',
      'deputy.action': 'read',
      'deputy.resource': 'calendar:events',
      'deputy.vat_jti': issued.jti,
      'deputy.provenance_ref': issued.provenance_ref,
      'deputy.authorized': true,
      'deputy.aar_id': value,
      'deputy.spend_usd': 0.2,
    })
    assert.equal(span.status.code, SpanStatusCode.UNSET)
    assert.equal(child.parentSpanContext?.spanId, span.spanContext().spanId)
    const carried = `00-${trace_id}-${span.spanContext().spanId}-01`
    assert.deepEqual(traceparents(), [carried, carried])
    assert.equal((await open.client.getRecord({ id: value })).trace_id, trace_id)
  })

  test('a denial is recorded as an error with its reasons and the trace ID', async () => {
    const { client } = aSeenClient()
    const issued = await open.token()
    const denied = await client
      .withAuthority(issued)
      .run('delete', 'calendar:events', () => assert.fail('it ran'))
      .catch((error: unknown) => error)
    assert.ok(denied instanceof AuthorityDenied)
    const [span] = tracer.taken()
    assert.equal(span?.name, 'execute_tool delete')
    assert.deepEqual(span.status, { code: SpanStatusCode.ERROR })
    assert.equal(span.attributes['error.type'], 'not_allowed')
    assert.equal(span.attributes['deputy.authorized'], false)
    assert.deepEqual(span.attributes['deputy.reasons'], ['action_not_in_scope'])
    assert.equal(span.attributes['deputy.denial_id'], denied.denial_id)
    const { trace_id } = await open.client.getDenial({ id: denied.denial_id ?? '' })
    assert.equal(trace_id, span.spanContext().traceId)
  })

  test('a governed tool call has a span with its name, and a cancelled call is marked as cancelled', async () => {
    const { client } = aSeenClient()
    const issued = await open.token({ resources: ['tool:*'], actions: ['call'] })
    const leaving = new AbortController()
    const { look, stay } = governed(
      {
        look: { execute: async (_: object, options: object) => Object.keys(options) },
        stay: {
          execute: async (_: object, _options: object): Promise<never> => {
            leaving.abort()
            throw new Error('interrupted')
          },
        },
      },
      client.withAuthority(issued),
    )
    await look.execute({}, { toolCallId: 'call_7' })
    await assert.rejects(stay.execute({}, { toolCallId: 'call_8', abortSignal: leaving.signal }))
    const [looked, stayed, ...others] = tracer.taken()
    assert.deepEqual(others, [])
    assert.equal(looked?.name, 'execute_tool look')
    assert.equal(looked.attributes['gen_ai.tool.call.id'], 'call_7')
    assert.equal(looked.attributes['deputy.action'], 'call')
    assert.equal(looked.status.code, SpanStatusCode.UNSET)
    assert.equal(stayed?.attributes['error.type'], 'cancelled')
  })

  test('work that throws ends its span with the name of the error, not its message', async () => {
    const { client } = aSeenClient()
    const cause = new RangeError('dev@example.com is on fire')
    const work = client.withAuthority(await open.token()).run('write', 'calendar:events', () => {
      throw cause
    })
    await assert.rejects(work, cause)
    const [span] = tracer.taken()
    assert.equal(span?.attributes['error.type'], 'RangeError')
    assert.deepEqual(span.status, { code: SpanStatusCode.ERROR })
    assert.deepEqual(span.events, [])
    assert.doesNotMatch(JSON.stringify(span.attributes), /on fire|@|eyJ[\w-]+\./)
  })

  test('an error without a plain name is _OTHER in its span', async () => {
    const { client } = aSeenClient()
    const agent = client.withAuthority(await open.token())
    const named = Object.assign(new Error('x'), { name: 'Error of dev@example.com' })
    for (const thrown of [named, 'a text'])
      await agent.run('write', 'calendar:events', () => Promise.reject(thrown)).catch(() => undefined)
    assert.deepEqual(
      tracer.taken().map(({ attributes }) => attributes['error.type']),
      ['_OTHER', '_OTHER'],
    )
  })

  test("an unreachable service appears with the client's error code", async () => {
    const client = deputy({ url: 'http://127.0.0.1:9', retries: 0, tracing: openTelemetry() })
    await assert.rejects(client.withAuthority('vat_x').run('read', 'a:b', () => undefined))
    const [span] = tracer.taken()
    assert.deepEqual(
      [span?.attributes['error.type'], span?.attributes['deputy.aar_id']],
      ['unreachable', undefined],
    )
  })

  test('nested actions and actions of sub-agents have nested spans', async () => {
    const { client } = aSeenClient()
    const agent = client.withAuthority(await open.token())
    await agent.run('read', 'calendar:events', async () => {
      const helper = await agent.delegate({ agent_id: 'mail-bot', actions: ['write'] })
      await helper.run('write', 'calendar:events', () => undefined)
    })
    const [inner, outer] = tracer.taken()
    assert.equal(inner?.parentSpanContext?.spanId, outer?.spanContext().spanId)
    assert.equal(inner?.attributes['gen_ai.agent.id'], 'agent:mail-bot')
  })

  test('every call carries the active span and never baggage', async (t) => {
    const heard: IncomingHttpHeaders[] = []
    const other = createServer((request, response) => {
      heard.push(request.headers)
      response.end()
    }).listen(0, '127.0.0.1')
    t.after(() => other.close())
    await new Promise((resolve) => other.once('listening', resolve))
    const address = other.address()
    assert.ok(typeof address === 'object' && address !== null)
    const { client, seen, traceparents } = aSeenClient()
    const agent = client.withAuthority(await open.token())
    const baggage = propagation.createBaggage({ user: { value: 'dev@example.com' } })
    const { span_id, trace_id } = await tracer.inside(() =>
      context.with(propagation.setBaggage(context.active(), baggage), async () => {
        await client.getHealth()
        await agent.fetch(`http://127.0.0.1:${address.port}/`)
        await agent.fetch(`http://127.0.0.1:${address.port}/`, { headers: { Traceparent: INCOMING } })
      }),
    )
    const carried = `00-${trace_id}-${span_id}-01`
    assert.deepEqual(traceparents(), [carried, carried, INCOMING])
    assert.deepEqual(
      heard.map((headers) => [headers.traceparent, headers.baggage]),
      [
        [carried, undefined],
        [INCOMING, undefined],
      ],
    )
    assert.ok(seen.every((headers) => headers.get('baggage') === null))
  })

  test('trace headers can be left to an instrumentation of fetch', async () => {
    const { client, traceparents } = aSeenClient({ headers: false })
    await client.withAuthority(await open.token()).run('read', 'calendar:events', () => undefined)
    assert.deepEqual(traceparents(), [null, null])
    assert.equal(tracer.taken().length, 1)
  })

  test('a rating is an event of the active span, without its note', async () => {
    const { client } = aSeenClient()
    const agent = client.withAuthority(await open.token())
    await agent.run('read', 'calendar:events', async () => {
      const id = await agent.run('write', 'calendar:events', ({ aar_id }) => aar_id)
      await client.rateRecord({ id, rating: 'flagged', note: 'ask dev@example.com' })
    })
    const [rated, span] = tracer.taken()
    assert.deepEqual(
      span?.events.map(({ name, attributes }) => [name, attributes]),
      [
        [
          'gen_ai.evaluation.result',
          {
            'gen_ai.evaluation.name': 'human_rating',
            'gen_ai.evaluation.score.label': 'flagged',
            'deputy.aar_id': rated?.attributes['deputy.aar_id'],
          },
        ],
      ],
    )
  })

  for (const framework of Object.keys(FRAMEWORKS) as Framework[])
    describe(`the guard for ${framework}`, async () => {
      const api = await anApi({ after }, framework, { url: open.url, tracing: openTelemetry() })
      const call = (path: string, compact_jwt: string, more = {}) =>
        fetch(`${api.url}${path}`, {
          method: path === '/events' || path === '/fails' ? 'POST' : 'GET',
          headers: { authorization: `Bearer ${compact_jwt}`, ...more },
        })
      const ended = () =>
        eventually('the spans', async () => {
          const spans = tracer.taken()
          return spans.length === 0 ? undefined : spans
        })

      test("creates a span under the caller's, with the handler inside", async () => {
        const issued = await open.token({ constraints: { max_spend_usd: 1 } })
        const tracestate = 'congo=t61rcWkgMzE'
        const response = await call('/events', issued.compact_jwt, { traceparent: INCOMING, tracestate })
        assert.equal(response.status, 200)
        const { active_span } = (await response.json()) as { active_span?: string }
        const [span] = await ended()
        assert.equal(span?.name, 'execute_tool write')
        assert.deepEqual(
          [span.spanContext().traceId, span.parentSpanContext?.spanId, span.parentSpanContext?.isRemote],
          [TRACE, PARENT, true],
        )
        assert.equal(span.spanContext().traceState?.serialize(), tracestate)
        assert.equal(active_span, span.spanContext().spanId)
        assert.equal(span.attributes['gen_ai.agent.id'], 'agent:calendar-bot')
        assert.equal(span.attributes['deputy.spend_usd'], 0.3)
        const record = await recordOf(issued.provenance_ref)
        assert.deepEqual([record.trace_id, record.aar_id], [TRACE, span.attributes['deputy.aar_id']])
      })

      test('marks failed handlers, denials and offline decisions', async () => {
        const issued = await open.token({ actions: ['read', 'write'] })
        await call('/fails', issued.compact_jwt)
        const [failed] = await ended()
        assert.deepEqual(
          [failed?.status.code, failed?.attributes['error.type']],
          [SpanStatusCode.ERROR, '_OTHER'],
        )
        await call('/calendars/private', issued.compact_jwt)
        const [denied] = await ended()
        assert.equal(denied?.attributes['error.type'], 'not_allowed')
        assert.deepEqual(denied.attributes['deputy.reasons'], ['resource_not_in_scope'])
        await (await call('/calendars/events', issued.compact_jwt)).text()
        const [alone] = await ended()
        assert.deepEqual(
          [alone?.attributes['deputy.authorized'], alone?.attributes['deputy.aar_id'], alone?.status.code],
          [true, undefined, SpanStatusCode.UNSET],
        )
      })

      test('creates no span without a valid token', async () => {
        await (await call('/events', 'eyJ.x.y', { traceparent: INCOMING })).text()
        assert.deepEqual(tracer.taken(), [])
      })
    })
})
