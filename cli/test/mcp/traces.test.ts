import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { aGuardedClient, aService, denialIn, textOf } from '@deputize/testing/a-guarded-client.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { readClientMessage, withTrace } from '../../src/mcp/messages.ts'
import { aGuard } from './a-listening-guard.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const TELLING = fileURLToPath(new URL('a-telling-server.ts', import.meta.url))
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const META = {
  traceparent: `00-${TRACE}-${PARENT}-01`,
  tracestate: 'congo=t61rcWkgMzE',
  baggage: 'user=alice',
}

interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parent?: string
  readonly attributes: Readonly<Record<string, unknown>>
}

/** The file that the guide tells a user to save, in a folder where the packages are installed. */
function theFileOfTheGuide(scope: TestScope): string {
  const guide = readFileSync(join(ROOT, 'docs/guides/opentelemetry.md'), 'utf8')
  const [, block = ''] = /^```js\n([\s\S]*?)^```$/m.exec(guide) ?? []
  const folder = temporaryDirectory(scope)
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'otel.mjs'), block)
  return join(folder, 'otel.mjs')
}

const spansIn = (words: string): Span[] =>
  words
    .split('\n')
    .filter((line) => line.startsWith('{"name":"execute_tool'))
    .map((line) => JSON.parse(line))

describe('the trace of a tool call, on standard streams', async () => {
  const { program, token, recordsOf } = await aService({ after })
  const { url } = program
  const options = ['--server', 'everything']
  const command = [process.execPath, TELLING]

  test('passes through unchanged without an OpenTelemetry SDK, and the record has its ID', async (t) => {
    const { compact_jwt, provenance_ref } = await token()
    const { client } = await aGuardedClient(t, { url, token: compact_jwt, options, command })
    const heard = async (_meta: Record<string, unknown>) => {
      const told = JSON.parse(textOf(await client.callTool({ name: 'tell', _meta })))
      return [told._meta?.traceparent, told._meta?.tracestate, told._meta?.baggage]
    }
    assert.deepEqual(await heard(META), [META.traceparent, META.tracestate, META.baggage])
    assert.deepEqual(await heard({}), [undefined, undefined, undefined])
    assert.deepEqual(await heard({ traceparent: 'x', tracestate: 'y' }), ['x', 'y', undefined])
    const records = await recordsOf(provenance_ref)
    assert.deepEqual(
      records.map(({ trace_id }) => trace_id),
      [TRACE, undefined, undefined],
    )
  })

  test("contains the guard's span once the guide's file is imported", async (t) => {
    const { compact_jwt, jti, provenance_ref } = await token()
    const env = { NODE_OPTIONS: `--import ${theFileOfTheGuide(t)}` }
    const { client, words } = await aGuardedClient(t, { url, token: compact_jwt, options, command, env })
    const told = JSON.parse(
      textOf(await client.callTool({ name: 'tell', arguments: { amount: 1.5 }, _meta: META })),
    )
    await client.callTool({ name: 'fail' })
    const [span, failed] = await eventually('the spans', async () => {
      const spans = spansIn(words())
      return spans.length < 2 ? undefined : spans
    })
    assert.ok(span !== undefined && failed !== undefined)
    assert.deepEqual([span.name, span.traceId, span.parent], ['execute_tool tell', TRACE, PARENT])
    const [record, other] = await recordsOf(provenance_ref)
    const { 'jsonrpc.request.id': id, ...attributes } = span.attributes
    assert.match(String(id), /^\d+$/)
    assert.deepEqual(attributes, {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'tell',
      'gen_ai.agent.id': 'agent:mcp-bot',
      'mcp.method.name': 'tools/call',
      'network.transport': 'pipe',
      'deputy.action': 'call',
      'deputy.resource': 'mcp:everything',
      'deputy.vat_jti': jti,
      'deputy.provenance_ref': provenance_ref,
      'deputy.authorized': true,
      'deputy.aar_id': record?.aar_id,
    })
    assert.equal(told._meta.traceparent, `00-${TRACE}-${span.spanId}-01`)
    assert.deepEqual([told._meta.tracestate, told._meta.baggage], [META.tracestate, META.baggage])
    assert.deepEqual(told.arguments, { amount: 1.5 })
    assert.equal(failed.attributes['error.type'], 'tool_error')
    assert.deepEqual([record?.trace_id, other?.trace_id], [TRACE, failed.traceId])
  })

  test('is exported before the guard exits, even with a batching exporter', async (t) => {
    const { compact_jwt } = await token()
    const file = theFileOfTheGuide(t)
    const waiting = readFileSync(file, 'utf8').replaceAll('SimpleSpanProcessor', 'BatchSpanProcessor')
    assert.match(waiting, /BatchSpanProcessor/)
    writeFileSync(file, waiting)
    const env = { NODE_OPTIONS: `--import ${file}` }
    const { client, words } = await aGuardedClient(t, { url, token: compact_jwt, options, command, env })
    await client.callTool({ name: 'tell', _meta: META })
    assert.deepEqual(spansIn(words()), [])
    await client.close()
    const span = await eventually('the span', async () => spansIn(words())[0])
    assert.deepEqual([span.name, span.traceId], ['execute_tool tell', TRACE])
  })

  test('contains a denial and its reasons', async (t) => {
    const { compact_jwt } = await token({ actions: ['read'] })
    const env = { NODE_OPTIONS: `--import ${theFileOfTheGuide(t)}` }
    const { client, words } = await aGuardedClient(t, { url, token: compact_jwt, options, command, env })
    const denied = await client.callTool({ name: 'tell', _meta: META })
    const span = await eventually('the span', async () => spansIn(words())[0])
    assert.deepEqual(
      [span.parent, span.attributes['error.type'], span.attributes['deputy.reasons']],
      [PARENT, 'not_allowed', ['action_not_in_scope']],
    )
    assert.equal(span.attributes['deputy.denial_id'], denialIn(denied).denial_id)
  })

  test('leaves the rest of the message unchanged, including long numbers', () => {
    const text =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","arguments":' +
      '{"b":[1.0,-0,1e3],"c":"é\\u0000😀"},"_meta":{"k":1.50,"n":12345678901234567890,"tracestate":"old"}}}'
    const changed = withTrace(Buffer.from(text), { traceparent: META.traceparent })
    assert.equal(changed, text.replace('"tracestate":"old"', `"traceparent":"${META.traceparent}"`))
    const read = readClientMessage(Buffer.from(changed), [])
    assert.ok(read.kind === 'call')
    assert.deepEqual(read.call.trace, { traceparent: META.traceparent })
  })
})

/** A server that speaks streamable HTTP with a session, and records what it was called with. */
async function aTellingHttpServer(scope: TestScope) {
  const calls: { headers: IncomingHttpHeaders; params: Record<string, unknown> }[] = []
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
    if (id === undefined) return void response.writeHead(202).end()
    if (method === 'tools/call') calls.push({ headers: request.headers, params })
    const result =
      method === 'initialize'
        ? {
            protocolVersion: params.protocolVersion,
            capabilities: { tools: {} },
            serverInfo: { name: 'telling', version: '1.0.0' },
          }
        : { content: [{ type: 'text', text: 'heard' }] }
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'session-1' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  }).listen(0, '127.0.0.1')
  scope.after(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return { calls, upstream: `http://127.0.0.1:${address.port}/mcp` }
}

describe('the trace of a tool call, over HTTP', async () => {
  const { program, token, recordsOf } = await aService({ after })

  async function connected(
    scope: TestScope,
    guard: string,
    headers: Record<string, string>,
  ): Promise<Client> {
    const client = new Client({ name: 'a-test', version: '1.0.0' })
    scope.after(() => client.close())
    await client.connect(new StreamableHTTPClientTransport(new URL(guard), { requestInit: { headers } }))
    return client
  }

  test('passes through unchanged without an OpenTelemetry SDK, in the message and in headers', async (t) => {
    const { calls, upstream } = await aTellingHttpServer(t)
    const { compact_jwt, provenance_ref } = await token()
    const { guard } = await aGuard(t, program.url, upstream, compact_jwt, [], {})
    const other = META.traceparent.replace(TRACE, '4bf92f3577b34da6a3ce929d0e0e4736')
    const client = await connected(t, guard, { traceparent: other })
    await client.callTool({ name: 'tell' })
    await client.callTool({ name: 'tell', _meta: META })
    assert.deepEqual(
      calls.map(({ headers, params }) => [
        headers.traceparent,
        (params._meta as Record<string, unknown> | undefined)?.traceparent,
      ]),
      [
        [other, undefined],
        [other, META.traceparent],
      ],
    )
    const records = await recordsOf(provenance_ref)
    assert.deepEqual(
      records.map(({ trace_id }) => trace_id),
      ['4bf92f3577b34da6a3ce929d0e0e4736', TRACE],
    )
  })

  test("contains the guard's span and session if an SDK is registered", async (t) => {
    const { calls, upstream } = await aTellingHttpServer(t)
    const { compact_jwt, provenance_ref } = await token()
    const env = { NODE_OPTIONS: `--import ${theFileOfTheGuide(t)}` }
    const { guard, words } = await aGuard(t, program.url, upstream, compact_jwt, [], env)
    const client = await connected(t, guard, { traceparent: META.traceparent, tracestate: META.tracestate })
    await client.callTool({ name: 'tell' })
    const span = await eventually('the span', async () => spansIn(words())[0])
    assert.deepEqual([span.name, span.traceId, span.parent], ['execute_tool tell', TRACE, PARENT])
    assert.equal(span.attributes['mcp.session.id'], 'session-1')
    assert.equal(span.attributes['network.transport'], 'tcp')
    const [{ headers, params } = { headers: {}, params: {} }] = calls
    const passed = { traceparent: `00-${TRACE}-${span.spanId}-01`, tracestate: META.tracestate }
    assert.deepEqual({ traceparent: headers.traceparent, tracestate: headers.tracestate }, passed)
    const { traceparent, tracestate } = params._meta as Record<string, unknown>
    assert.deepEqual({ traceparent, tracestate }, passed)
    assert.equal((await recordsOf(provenance_ref))[0]?.trace_id, TRACE)
  })
})
