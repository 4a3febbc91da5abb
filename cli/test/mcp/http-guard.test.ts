import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { resultHash } from '@deputize/sdk'
import { aService, denialIn, serverFile, textOf } from '@deputize/testing/a-guarded-client.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { freePort } from '@deputize/testing/free-port.ts'
import { CLI } from '@deputize/testing/programs.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { aGuard, aListener, connected } from './a-listening-guard.ts'

describe('the guard over streamable HTTP', async () => {
  const scope = { after }
  const { program, service, token, recordsOf } = await aService(scope)
  const { url } = program
  const port = await freePort()
  const upstream = `http://127.0.0.1:${port}/mcp`
  await aListener(scope, [serverFile('server-everything'), 'streamableHttp'], { PORT: String(port) })
  const echo = { name: 'echo', arguments: { message: 'hi' } }

  test('allows and records calls, and denies them once the token is revoked', async (t) => {
    const { compact_jwt, jti, provenance_ref } = await token()
    const { guard } = await aGuard(t, url, upstream, compact_jwt)
    const client = await connected(t, guard)
    const result = await client.callTool(echo)
    assert.match(textOf(result), /hi/)
    const many = await Promise.all(
      Array.from({ length: 10 }, (_, a) => client.callTool({ name: 'get-sum', arguments: { a, b: 1 } })),
    )
    assert.match(textOf(many[9] ?? assert.fail()), /10/)
    const records = await eventually('completed records', async () => {
      const all = await recordsOf(provenance_ref)
      return all.every(({ state }) => state === 'completed') && all
    })
    assert.equal(records.length, 11)
    for (const record of records) assert.equal(record.result, 'success')
    assert.equal(records[0]?.result_hash, resultHash(result))
    const large = await client.callTool({ name: 'echo', arguments: { message: 'ä'.repeat(1_500_000) } })
    assert.ok(textOf(large).length >= 1_500_000)
    const largeHash = async () => (await recordsOf(provenance_ref))[11]?.result_hash
    assert.equal(await eventually('the record of the large call', largeHash), resultHash(large))
    await service.revokeToken({ vat_jti: jti })
    const denied = await client.callTool(echo)
    assert.equal(denied.isError, true)
    assert.deepEqual(denialIn(denied).reasons, ['token_revoked'])
  })

  test('passes progress on as it arrives and ends the record of a cancelled call', async (t) => {
    const { compact_jwt, provenance_ref } = await token()
    const { guard } = await aGuard(t, url, upstream, compact_jwt)
    const client = await connected(t, guard)
    const stop = new AbortController()
    const progress: number[] = []
    const call = client.callTool(
      { name: 'trigger-long-running-operation', arguments: { duration: 20, steps: 100 } },
      { signal: stop.signal, onprogress: (heard) => progress.push(heard.progress) },
    )
    await eventually('progress through the guard', async () => progress[1])
    assert.equal((await recordsOf(provenance_ref))[0]?.state, 'pending')
    stop.abort()
    await assert.rejects(call)
    await eventually('the end of the record', async () =>
      (await recordsOf(provenance_ref))[0]?.result === 'cancelled' ? true : undefined,
    )
  })

  test('waits for an approval and reports progress on a stream', async (t) => {
    const { compact_jwt, provenance_ref } = await token({
      constraints: { require_approval: { actions: ['call'] } },
    })
    const { guard } = await aGuard(t, url, upstream, compact_jwt)
    const client = await connected(t, guard)
    const heard: string[] = []
    const call = client.callTool(echo, { onprogress: ({ message }) => heard.push(message ?? '') })
    const id = await eventually('a pending approval', async () => {
      const { data } = await service.listApprovals({ provenance_ref, state: 'pending' })
      return heard.length > 0 ? data[0]?.approval_id : undefined
    })
    await service.approve({ id })
    assert.match(textOf(await call), /hi/)
    assert.equal((await recordsOf(provenance_ref))[0]?.result, 'success')
  })

  test('hides the tools that the token does not allow, if configured', async (t) => {
    const config = join(temporaryDirectory(t), 'map.json')
    writeFileSync(config, JSON.stringify({ default: { action: '{tool}' } }))
    const { compact_jwt } = await token({ actions: ['echo'] })
    const { guard } = await aGuard(t, url, upstream, compact_jwt, ['--config', config, '--hide-denied'])
    const client = await connected(t, guard)
    assert.deepEqual(
      (await client.listTools()).tools.map(({ name }) => name),
      ['echo'],
    )
  })

  test('rejects web pages, other host names and other content types', async (t) => {
    const { compact_jwt, provenance_ref } = await token()
    const { guard } = await aGuard(t, url, upstream, compact_jwt)
    const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: echo })
    const statusOf = (headers: Record<string, string>, text = body, method = 'POST') =>
      new Promise<number | undefined>((resolve, reject) => {
        const outgoing = request(guard, { method, headers }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        outgoing.on('error', reject)
        outgoing.end(text)
      })
    assert.equal(await statusOf({ ...json, origin: 'https://evil.example' }), 403)
    assert.equal(await statusOf({ ...json, host: 'evil.example' }), 403)
    assert.equal(await statusOf({ ...json, 'content-type': 'text/plain' }), 415)
    assert.equal(await statusOf({ ...json, 'content-type': 'application/json; charset=utf-7' }), 415)
    assert.equal(await statusOf(json, `[${body}]`), 400)
    assert.equal(await statusOf(json, body.replace('"id"', '"ID"')), 400)
    assert.equal(await statusOf(json, body, 'PUT'), 405)
    assert.deepEqual(await recordsOf(provenance_ref), [])
  })

  test('reports an unreachable server and records the call as failed', async (t) => {
    const { compact_jwt, provenance_ref } = await token()
    const anonymous = `http://127.0.0.1:${await freePort()}/mcp`
    const { guard } = await aGuard(t, url, anonymous, compact_jwt)
    const response = await fetch(guard, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params: echo }),
    })
    assert.equal(response.status, 502)
    assert.equal(((await response.json()) as { id: string }).id, 'x')
    assert.deepEqual(
      (await recordsOf(provenance_ref)).map(({ state, result }) => [state, result]),
      [['completed', 'error']],
    )
  })

  test('listens on loopback only', async () => {
    const child = spawn(
      process.execPath,
      [CLI, 'mcp-guard', '--server', 'x', '--listen', '0.0.0.0:0', '--upstream', upstream],
      { env: { PATH: process.env.PATH, DEPUTY_TOKEN: 'vat_root_1' }, stdio: 'ignore' },
    )
    const [code] = await once(child, 'exit')
    assert.equal(code, 2)
  })
})
