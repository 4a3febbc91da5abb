import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { type Deputy, deputy, newAgentKey, resultHash } from '@deputize/sdk'
import { aCertificate } from '@deputize/testing/a-certificate.ts'
import { aService, denialIn, textOf } from '@deputize/testing/a-guarded-client.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { freePort } from '@deputize/testing/free-port.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { aGuard, connected } from './a-listening-guard.ts'
import { aRemoteServer } from './a-remote-server.ts'

const ECHO = { name: 'echo', arguments: { message: 'hi' } }
const waiting = (ms: number) => ({ name: 'wait', arguments: { ms } })
const LEGACY = { versionNegotiation: { mode: 'legacy' } } as const

/** The official client, with connections that can be cut, like on a failing network. */
async function aClientOnABadLine(scope: TestScope, guard: string) {
  let line = new AbortController()
  const client = new Client({ name: 'a-test', version: '1.0.0' }, LEGACY)
  const transport = new StreamableHTTPClientTransport(new URL(guard), {
    fetch: (url, { signal, ...init } = {}) =>
      fetch(url, { ...init, signal: AbortSignal.any([line.signal, ...(signal ? [signal] : [])]) }),
    reconnectionOptions: {
      initialReconnectionDelay: 100,
      maxReconnectionDelay: 200,
      reconnectionDelayGrowFactor: 1,
      maxRetries: 20,
    },
  })
  scope.after(() => client.close())
  await client.connect(transport)
  return {
    client,
    transport,
    cut() {
      const before = line
      line = new AbortController()
      before.abort(new Error('the line was cut'))
    },
  }
}

describe('the guard in front of a remote server', async () => {
  const scope = { after }
  const { program, service, token, recordsOf } = await aService(scope)
  const { url } = program

  async function endsOf(provenance_ref: string): Promise<unknown[]> {
    return (await recordsOf(provenance_ref)).map(({ state, result }) => [state, result])
  }

  async function settled(provenance_ref: string): Promise<unknown[]> {
    return eventually('the end of every record', async () => {
      const ends = (await recordsOf(provenance_ref)).map(({ state, result }) => [state, result])
      return ends.length > 0 && ends.every(([state]) => state !== 'pending') ? ends : undefined
    })
  }

  /** A call that the server works on. */
  async function begun(provenance_ref: string, calls: readonly string[]): Promise<void> {
    await eventually('the call reaches the server', async () =>
      calls.includes('wait') && (await recordsOf(provenance_ref)).length > 0 ? true : undefined,
    )
  }

  test('a redirect of the server to itself is followed by the guard, so that calls are recorded', async (t) => {
    const remote = await aRemoteServer(t, { redirected: (host) => `http://${host}/mcp` })
    const { compact_jwt, provenance_ref } = await token()
    const { guard } = await aGuard(t, url, remote.url.replace('/mcp', '/old'), compact_jwt)
    const client = await connected(t, guard)
    const { _meta, ...result } = await client.callTool(ECHO)
    const [record] = await recordsOf(provenance_ref)
    assert.deepEqual([record?.result, record?.result_hash], ['success', resultHash(result)])
    assert.deepEqual(remote.called, ['echo'])
  })

  test('a redirect to another address is refused with that address, and no message passes the guard by', async (t) => {
    const other = await aRemoteServer(t)
    const remote = await aRemoteServer(t, { redirected: () => other.url })
    const { compact_jwt, provenance_ref } = await token()
    const { guard, words } = await aGuard(t, url, remote.url.replace('/mcp', '/old'), compact_jwt)
    const text = `The server redirects to ${other.url}. Start the guard with --upstream ${other.url}`
    const answer = await fetch(guard, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: ECHO }),
    })
    assert.equal(answer.status, 502)
    const { id, error } = (await answer.json()) as { id: number; error: { message: string } }
    assert.deepEqual([id, error.message], [7, text])
    assert.ok(words().includes(text), words())
    assert.deepEqual(await settled(provenance_ref), [['completed', 'error']])
    assert.deepEqual(other.called, [])
  })

  test('the response to another request with the id of a call is not recorded as that of the call', async (t) => {
    const remote = await aRemoteServer(t)
    const { compact_jwt, provenance_ref } = await token()
    const { guard } = await aGuard(t, url, remote.url, compact_jwt)
    const ending = new AbortController()
    t.after(() => ending.abort())
    const post = (message: object, headers: Record<string, string> = {}) =>
      fetch(guard, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
        signal: ending.signal,
      })
    const clientInfo = { name: 'a-test', version: '1.0.0' }
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
    const begin = await post({ id: 1, method: 'initialize', params: hello })
    const session = { 'mcp-session-id': begin.headers.get('mcp-session-id') ?? '' }
    await begin.text()
    await (await post({ method: 'notifications/initialized' }, session)).text()
    post({ id: 70, method: 'tools/call', params: waiting(600_000) }, session).catch(() => undefined)
    await begun(provenance_ref, remote.called)
    const ping = await post({ id: 70, method: 'ping' }, session)
    assert.match(await ping.text(), /"id":70,"error":\{"code":-32600/)
    assert.deepEqual(await endsOf(provenance_ref), [['pending', undefined]])
    assert.equal((await post({ id: 71, method: 'ping' }, session)).status, 200)
  })

  test('an id is not free for a call while the server may still answer a request, or a cancelled call, with it', async (t) => {
    const held: ServerResponse[] = []
    const server = createServer(async (request, response) => {
      const { id, method, params } = JSON.parse(Buffer.concat(await request.toArray()).toString() || '{}')
      if (id === undefined) return response.writeHead(202).end()
      const answer = JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } })
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      if (method !== 'resources/read' && params.name !== 'hold') return response.end(`data: ${answer}\n\n`)
      held.push(response)
      response.once('finished', () => response.end(`data: ${answer}\n\n`))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    t.after(() => server.close().closeAllConnections())
    const { port } = server.address() as AddressInfo
    const call = { method: 'tools/call', params: ECHO }
    for (const first of [
      { method: 'resources/read', params: { uri: 'a:b' } },
      { method: 'tools/call', params: { name: 'hold' } },
    ]) {
      const { compact_jwt, provenance_ref } = await token()
      const { guard } = await aGuard(t, url, `http://127.0.0.1:${port}/mcp`, compact_jwt)
      const post = (message: object) =>
        fetch(guard, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-session-id': 'one',
          },
          body: JSON.stringify({ jsonrpc: '2.0', ...message }),
        })
      const waits = await post({ id: 7, ...first })
      await post({ method: 'notifications/cancelled', params: { requestId: 7 } })
      assert.match(await (await post({ id: 7, ...call })).text(), /"id":7,"error":\{"code":-32600/)
      held.pop()?.emit('finished')
      assert.match(await waits.text(), /"id":7,"result"/)
      assert.match(await (await post({ id: 7, ...call })).text(), /"id":7,"result"/)
      const ends = await settled(provenance_ref)
      assert.deepEqual(ends.at(-1), ['completed', 'success'])
      assert.equal(ends.length, first.method === 'tools/call' ? 2 : 1)
    }
  })

  test('a client that reconnects during a call gets its result once, and the record is completed once', async (t) => {
    const { called, ...remote } = await aRemoteServer(t, { is_resumable: true })
    const { compact_jwt, provenance_ref } = await token()
    const { guard, words } = await aGuard(t, url, remote.url, compact_jwt)
    const { client, cut } = await aClientOnABadLine(t, guard)
    const heard: unknown[] = []
    const call = client.callTool(waiting(1500), { onprogress: (progress) => heard.push(progress) })
    await eventually('progress', async () => heard[0])
    cut()
    assert.equal(textOf(await call), 'done')
    assert.deepEqual(called, ['wait'])
    assert.deepEqual(await endsOf(provenance_ref), [['completed', 'success']])
    assert.equal(heard.length, 1)
    assert.doesNotMatch(words(), /could not be told/)
    assert.match(textOf(await client.callTool(ECHO)), /hi/)
  })

  test('a client that reconnects after the end gets the result that the guard has recorded', async (t) => {
    const { called, ...remote } = await aRemoteServer(t, { is_resumable: true })
    const { compact_jwt, provenance_ref } = await token()
    const { guard } = await aGuard(t, url, remote.url, compact_jwt)
    const { client, transport, cut } = await aClientOnABadLine(t, guard)
    let last_event = ''
    const heard: unknown[] = []
    const call = client.callTool(waiting(600), {
      onprogress: (progress) => heard.push(progress),
      onresumptiontoken: (event) => {
        last_event = event
      },
    })
    call.catch(() => undefined)
    await eventually('progress', async () => heard[0])
    const { sessionId = '' } = transport
    await transport.close() // it does not reconnect by itself
    cut()
    assert.deepEqual(await settled(provenance_ref), [['completed', 'success']])
    const back = await fetch(guard, {
      headers: { accept: 'text/event-stream', 'mcp-session-id': sessionId, 'last-event-id': last_event },
      signal: AbortSignal.timeout(2000),
    })
    assert.equal(back.status, 200)
    let events = ''
    try {
      for await (const chunk of back.body ?? []) events += Buffer.from(chunk).toString()
    } catch {
      // the stream stays open, and the test has waited long enough
    }
    assert.equal(events.split('"done"').length, 2, events)
    assert.deepEqual(called, ['wait'])
    assert.deepEqual(await endsOf(provenance_ref), [['completed', 'success']])
  })

  test('the client resumes after the connection to the server breaks', async (t) => {
    const { cut, ...remote } = await aRemoteServer(t, { is_resumable: true })
    const { compact_jwt, provenance_ref } = await token()
    const { guard } = await aGuard(t, url, remote.url, compact_jwt)
    const { client } = await aClientOnABadLine(t, guard)
    const heard: unknown[] = []
    const call = client.callTool(waiting(1500), { onprogress: (progress) => heard.push(progress) })
    await eventually('progress', async () => heard[0])
    cut()
    assert.equal(textOf(await call), 'done')
    assert.deepEqual(await endsOf(provenance_ref), [['completed', 'success']])
  })

  test('a call is recorded as failed if its server has forgotten the session', async (t) => {
    const { forget, cut, ...remote } = await aRemoteServer(t, { is_resumable: true })
    const { compact_jwt, provenance_ref } = await token()
    const { guard } = await aGuard(t, url, remote.url, compact_jwt)
    const { client } = await aClientOnABadLine(t, guard)
    const heard: unknown[] = []
    const call = client.callTool(waiting(60_000), { onprogress: (progress) => heard.push(progress) })
    call.catch(() => undefined)
    await eventually('progress', async () => heard[0])
    forget()
    cut()
    assert.deepEqual(await settled(provenance_ref), [['completed', 'error']])
  })

  test('ending a session ends its calls, on the server and in the records', async (t) => {
    const { called, sessions, ...remote } = await aRemoteServer(t)
    const { compact_jwt, provenance_ref } = await token()
    const { guard } = await aGuard(t, url, remote.url, compact_jwt)
    const { client, transport } = await aClientOnABadLine(t, guard)
    client.callTool(waiting(60_000)).catch(() => undefined)
    await begun(provenance_ref, called)
    assert.equal(sessions.size, 1)
    await transport.terminateSession()
    assert.equal(sessions.size, 0)
    const [[state] = []] = (await settled(provenance_ref)) as string[][]
    assert.equal(state, 'completed')
  })

  test('reaches a server over https only if it trusts the certificate', async (t) => {
    const tls = aCertificate('localhost')
    const remote = await aRemoteServer(t, { tls })
    const upstream = remote.url.replace('127.0.0.1', 'localhost')
    const ca = join(temporaryDirectory(t), 'ca.pem')
    writeFileSync(ca, tls.cert)
    const { compact_jwt } = await token()
    const told = await aGuard(t, url, upstream, compact_jwt, ['--upstream-ca', ca])
    assert.match(textOf(await (await connected(t, told.guard)).callTool(ECHO)), /hi/)
    const everywhere = await aGuard(t, url, upstream, compact_jwt, [], { NODE_EXTRA_CA_CERTS: ca })
    assert.match(textOf(await (await connected(t, everywhere.guard)).callTool(ECHO)), /hi/)
    const untold = await aGuard(t, url, upstream, compact_jwt)
    await assert.rejects(connected(t, untold.guard), /could not be reached/)
    assert.match(untold.words(), /pass its certificate with --upstream-ca/)
    const other = join(temporaryDirectory(t), 'other.pem')
    writeFileSync(other, aCertificate('localhost').cert)
    const wrong = await aGuard(t, url, upstream, compact_jwt, ['--upstream-ca', other])
    await assert.rejects(connected(t, wrong.guard), /could not be reached/)
  })

  test('a call fails if the server dies, and the next one works once it is back', async (t) => {
    const first = await aRemoteServer(t)
    const { compact_jwt, provenance_ref } = await token()
    const { guard } = await aGuard(t, url, first.url, compact_jwt)
    const client = await connected(t, guard, LEGACY)
    const call = client.callTool(waiting(60_000), { timeout: 4000 })
    call.catch(() => undefined)
    await begun(provenance_ref, first.called)
    await first.stop()
    assert.deepEqual(await settled(provenance_ref), [['completed', 'error']])
    await assert.rejects(call)
    await assert.rejects(client.callTool(ECHO), /The server could not be reached/)
    await aRemoteServer(t, { port: Number(new URL(first.url).port) })
    const again = await connected(t, guard, LEGACY)
    assert.match(textOf(await again.callTool(ECHO)), /hi/)
    assert.deepEqual(await endsOf(provenance_ref), [
      ['completed', 'error'],
      ['completed', 'error'],
      ['completed', 'success'],
    ])
  })

  test('a slow call does not delay others, and a token revoked meanwhile denies the next', async (t) => {
    const remote = await aRemoteServer(t)
    const { compact_jwt, jti, provenance_ref } = await token()
    const { guard } = await aGuard(t, url, remote.url, compact_jwt)
    const client = await connected(t, guard, LEGACY)
    const slow = client.callTool(waiting(4000))
    await begun(provenance_ref, remote.called)
    assert.match(textOf(await client.callTool(ECHO)), /hi/)
    assert.deepEqual((await endsOf(provenance_ref)).sort(), [
      ['completed', 'success'],
      ['pending', undefined],
    ])
    await service.revokeToken({ vat_jti: jti })
    assert.deepEqual(denialIn(await client.callTool(ECHO)).reasons, ['token_revoked'])
    assert.equal(textOf(await slow), 'done')
    const [record] = await recordsOf(provenance_ref)
    assert.deepEqual([record?.state, record?.completed_after_revocation], ['completed', true])
  })

  test('passes a result of 20 MB on without copying it many times', async (t) => {
    const remote = await aRemoteServer(t)
    const { compact_jwt, provenance_ref } = await token()
    const { guard, child } = await aGuard(t, url, remote.url, compact_jwt)
    const client = await connected(t, guard, LEGACY)
    await client.callTool(ECHO)
    const peakMb = () =>
      Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024
    const before = process.platform === 'linux' ? peakMb() : 0
    const large = await client.callTool({ name: 'large', arguments: { bytes: 20_000_000 } })
    assert.equal(textOf(large).length, 20_000_000)
    assert.equal((await recordsOf(provenance_ref))[1]?.result_hash, resultHash(large))
    // Only Linux reports the peak memory of another process.
    const grown = process.platform === 'linux' ? peakMb() - before : 0
    t.diagnostic(`the guard grew by ${Math.round(grown)} MB`)
    assert.ok(grown < 220, `it grew by ${Math.round(grown)} MB`)
  })

  test('a client that never returns leaves no open record', async (t) => {
    const { called, ...remote } = await aRemoteServer(t)
    const { compact_jwt, provenance_ref } = await token()
    const { guard } = await aGuard(t, url, remote.url, compact_jwt)
    const { client, cut } = await aClientOnABadLine(t, guard)
    client.callTool(waiting(700)).catch(() => undefined)
    await begun(provenance_ref, called)
    cut()
    await client.close()
    assert.deepEqual(await settled(provenance_ref), [['completed', 'success']], 'as the server answered')
  })

  test('a call that is cancelled after it reached the server stays spent', async (t) => {
    const config = join(temporaryDirectory(t), 'map.json')
    writeFileSync(config, JSON.stringify({ default: { spend_usd: 1 } }))
    for (const is_modern of [false, true]) {
      const { called, ...remote } = await aRemoteServer(t, { is_modern })
      const { compact_jwt, jti, provenance_ref } = await token({ constraints: { max_spend_usd: 1 } })
      const { guard } = await aGuard(t, url, remote.url, compact_jwt, ['--config', config])
      const client = await connected(t, guard, { versionNegotiation: { mode: 'auto' } })
      assert.equal(client.getNegotiatedProtocolVersion() === '2026-07-28', is_modern)
      const stop = new AbortController()
      const call = client.callTool(waiting(60_000), { signal: stop.signal })
      await begun(provenance_ref, called)
      stop.abort()
      await assert.rejects(call)
      assert.deepEqual(await settled(provenance_ref), [['completed', 'cancelled']])
      assert.equal((await service.getTokenBudget({ jti })).remaining_usd, 0)
      assert.deepEqual(denialIn(await client.callTool(ECHO)).reasons, ['budget_exceeded'])
    }
  })

  test('a guard completes open records before it exits', async (t) => {
    const { called, ...remote } = await aRemoteServer(t)
    const { compact_jwt, provenance_ref } = await token()
    const { guard, child } = await aGuard(t, url, remote.url, compact_jwt)
    const client = await connected(t, guard, LEGACY)
    client.callTool(waiting(60_000), { timeout: 2000 }).catch(() => undefined)
    await begun(provenance_ref, called)
    child.kill('SIGTERM')
    assert.deepEqual(await settled(provenance_ref), [['completed', 'cancelled']])
  })

  test('keeps clients with the same call ids apart', async (t) => {
    const { called, sessions, ...remote } = await aRemoteServer(t)
    const { compact_jwt, provenance_ref } = await token()
    const { guard } = await aGuard(t, url, remote.url, compact_jwt)
    const [one, other] = [await connected(t, guard, LEGACY), await connected(t, guard, LEGACY)]
    assert.equal(sessions.size, 2)
    const stop = new AbortController()
    const cancelled = one.callTool(waiting(60_000), { signal: stop.signal })
    const kept = other.callTool(waiting(1500))
    await eventually('both calls reach the server', async () => called[1])
    stop.abort()
    await assert.rejects(cancelled)
    assert.equal(textOf(await kept), 'done')
    assert.deepEqual((await settled(provenance_ref)).sort(), [
      ['completed', 'cancelled'],
      ['completed', 'success'],
    ])
  })

  test('supports every protocol revision of the clients', async (t) => {
    const [old, modern] = [await aRemoteServer(t), await aRemoteServer(t, { is_modern: true })]
    const { compact_jwt, provenance_ref } = await token()
    const ways = [
      ['2025-06-18', old, { supportedProtocolVersions: ['2025-06-18'] }],
      ['2025-11-25', old, LEGACY],
      ['2026-07-28', modern, { versionNegotiation: { mode: 'auto' } }],
    ] as const
    for (const [version, remote, { ...options }] of ways) {
      const { guard } = await aGuard(t, url, remote.url, compact_jwt)
      const client = await connected(t, guard, options as object)
      assert.equal(client.getNegotiatedProtocolVersion(), version)
      assert.equal((await client.listTools()).tools.length, 3)
      assert.match(textOf(await client.callTool(ECHO)), /hi/)
    }
    assert.deepEqual(await endsOf(provenance_ref), Array(3).fill(['completed', 'success']))
  })

  test('rejects a message whose headers name another call', async (t) => {
    const remote = await aRemoteServer(t, { is_modern: true })
    const { compact_jwt, provenance_ref } = await token()
    const { guard } = await aGuard(t, url, remote.url, compact_jwt)
    const statusOf = async (headers: Record<string, string>, message: object) => {
      const response = await fetch(guard, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
      })
      return response.status
    }
    const call = { method: 'tools/call', params: ECHO }
    assert.equal(await statusOf({ 'mcp-method': 'tools/call' }, { method: 'ping' }), 400)
    assert.equal(await statusOf({ 'mcp-method': 'ping' }, call), 400)
    assert.equal(await statusOf({ 'mcp-method': 'tools/call', 'mcp-name': 'wait' }, call), 400)
    assert.equal(await statusOf({ 'mcp-name': `=?base64?${btoa('wait')}?=` }, call), 400)
    assert.deepEqual([remote.called, await recordsOf(provenance_ref)], [[], []])
  })
})

describe('the guard over HTTP, and the service', () => {
  async function keyedService(scope: TestScope) {
    const { url, output } = await aProgram(scope, temporaryDirectory({ after }), {
      DEPUTY_ACCESS: 'keyed',
      PORT: String(await freePort()),
    })
    const [setup_secret = ''] = /dsu_[\w-]+/.exec(output()) ?? []
    const { key: operator } = await deputy({ url }).setUp({ setup_secret })
    const { key } = await deputy({ url, key: operator }).createKey({ name: 'backend', role: 'developer' })
    return { url, developer: deputy({ url, key }) }
  }

  async function endsIn(service: Deputy, provenance_ref: string): Promise<unknown[]> {
    const { data } = await service.listRecords({ provenance_ref })
    return data.map(({ state, result }) => [state, result])
  }

  test('acts in keyed mode only with the key of its token', async (t) => {
    const { url, developer } = await keyedService(t)
    const remote = await aRemoteServer(t)
    const agent_key = await newAgentKey()
    const { compact_jwt, jti, provenance_ref } = await developer.issueL1({
      developer_email: 'dev@example.com',
      agent_id: 'mcp-bot',
      resources: ['mcp:everything'],
      actions: ['call'],
      agent_jwk: agent_key.jwk,
    })
    const file = join(temporaryDirectory(t), 'agent.jwk')
    writeFileSync(file, JSON.stringify(await agent_key.exportJwk()))
    const { guard } = await aGuard(t, url, remote.url, compact_jwt, ['--agent-key-file', file])
    const client = await connected(t, guard, LEGACY)
    assert.match(textOf(await client.callTool(ECHO)), /hi/)
    assert.deepEqual(await endsIn(developer, provenance_ref), [['completed', 'success']])
    const other = JSON.stringify(await (await newAgentKey()).exportJwk())
    const stolen = await aGuard(t, url, remote.url, compact_jwt, [], { DEPUTY_AGENT_KEY: other })
    const denied = await (await connected(t, stolen.guard, LEGACY)).callTool(ECHO)
    assert.equal(denialIn(denied).code, 'credential_invalid')
    await developer.revokeToken({ vat_jti: jti })
    assert.equal((await client.callTool(ECHO)).isError, true)
    assert.deepEqual(remote.called, ['echo'])
  })

  test('denies while the service is unreachable, or allows if the mapping says so, and recovers', async (t) => {
    const [directory, PORT] = [temporaryDirectory({ after }), String(await freePort())]
    const first = await aProgram(t, directory, { PORT })
    const service = deputy({ url: first.url })
    const { jti, provenance_ref } = await service.issueL1({
      developer_email: 'dev@example.com',
      agent_id: 'mcp-bot',
      resources: ['mcp:everything'],
      actions: ['call'],
    })
    const remote = await aRemoteServer(t)
    const config = join(temporaryDirectory(t), 'map.json')
    writeFileSync(config, JSON.stringify({ on_unavailable: 'allow' }))
    const strict = await aGuard(t, first.url, remote.url, jti)
    const lenient = await aGuard(t, first.url, remote.url, jti, ['--config', config])
    const [one, other] = [await connected(t, strict.guard, LEGACY), await connected(t, lenient.guard, LEGACY)]
    const slow = one.callTool(waiting(3000))
    await eventually('the call reaches the server', async () => remote.called[0])
    await first.stop()
    assert.equal(denialIn(await one.callTool(ECHO)).code, 'unavailable')
    assert.match(textOf(await other.callTool(ECHO)), /hi/)
    assert.match(lenient.words(), /without a record/)
    assert.equal(textOf(await slow), 'done', 'what was allowed is answered')
    await aProgram(t, directory, { PORT })
    assert.match(textOf(await one.callTool(ECHO)), /hi/)
    assert.match(textOf(await other.callTool(ECHO)), /hi/)
    assert.equal(
      (await endsIn(service, provenance_ref)).filter((end) => String(end) === 'completed,success').length >=
        2,
      true,
    )
    assert.deepEqual(remote.called, ['wait', 'echo', 'echo', 'echo'])
  })
})
