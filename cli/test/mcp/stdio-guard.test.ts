import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { resultHash } from '@deputize/sdk'
import {
  aGuardedClient,
  aService,
  denialIn,
  everything,
  serverFile,
  textOf,
} from '@deputize/testing/a-guarded-client.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { CLI } from '@deputize/testing/programs.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import { runDeputy } from '../commands/run-deputy.ts'

describe('the guard on standard streams', async () => {
  const scope = { after }
  const { program, service, token, recordsOf } = await aService(scope)
  const { url } = program
  test('passes allowed calls on and records the hash of each result', async (t) => {
    const directory = temporaryDirectory(t)
    writeFileSync(join(directory, 'note.txt'), 'hello')
    const { compact_jwt, provenance_ref } = await token()
    const { client, words } = await aGuardedClient(t, {
      url,
      token: compact_jwt,
      options: ['--server', 'files'],
      command: [process.execPath, serverFile('server-filesystem'), directory],
    })
    const read = await client.callTool({
      name: 'read_text_file',
      arguments: { path: join(directory, 'note.txt') },
    })
    assert.equal(textOf(read), 'hello')
    await client.callTool({
      name: 'write_file',
      arguments: { path: join(directory, 'new.txt'), content: 'x' },
    })
    assert.equal(readFileSync(join(directory, 'new.txt'), 'utf8'), 'x')
    const missing = await client.callTool({
      name: 'read_text_file',
      arguments: { path: join(directory, 'nothing') },
    })
    assert.equal(missing.isError, true)

    const records = await recordsOf(provenance_ref)
    assert.deepEqual(
      records.map(({ action, resource, state, result, metadata }) => [
        action,
        resource,
        state,
        result,
        (metadata?.request as { tool: string } | undefined)?.tool,
      ]),
      [
        ['call', 'mcp:files', 'completed', 'success', 'read_text_file'],
        ['call', 'mcp:files', 'completed', 'success', 'write_file'],
        ['call', 'mcp:files', 'completed', 'error', 'read_text_file'],
      ],
    )
    assert.equal(records[0]?.result_hash, resultHash(read))
    const given = { path: join(directory, 'note.txt') }
    assert.deepEqual(records[0]?.metadata, {
      mcp_server: 'files',
      request: {
        tool: 'read_text_file',
        arguments: given,
        arguments_sha256: resultHash(given)?.slice('sha256:'.length),
      },
    })
    assert.ok(words().includes(provenance_ref))
  })

  test('answers a denied call with a tool result that says why, and the server never sees the call', async (t) => {
    const directory = temporaryDirectory(t)
    const config = join(directory, 'map.json')
    writeFileSync(
      config,
      JSON.stringify({
        server: 'files',
        tools: { write_file: { action: 'write' } },
        default: { action: 'read' },
      }),
    )
    const { compact_jwt } = await token({ actions: ['read'] })
    const { client } = await aGuardedClient(t, {
      url,
      token: compact_jwt,
      options: ['--config', config],
      command: [process.execPath, serverFile('server-filesystem'), directory],
    })
    const path = join(directory, 'new.txt')
    const denied = await client.callTool({ name: 'write_file', arguments: { path, content: 'x' } })
    assert.equal(denied.isError, true)
    assert.match(textOf(denied), /write_file \(write on mcp:files\) is not allowed/)
    assert.match(textOf(denied), /Ask the person who granted it/)
    assert.throws(() => readFileSync(path), { code: 'ENOENT' })
    const { reasons, denial_id } = denialIn(denied)
    assert.deepEqual(reasons, ['action_not_in_scope'])
    assert.deepEqual((await service.getDenial({ id: String(denial_id) })).reasons, ['action_not_in_scope'])
    const allowed = await client.callTool({ name: 'list_directory', arguments: { path: directory } })
    assert.notEqual(allowed.isError, true)
  })

  test('denies everything as soon as the token is revoked', async (t) => {
    const { jti, compact_jwt } = await token()
    const { client } = await everything(t, { url, token: compact_jwt })
    const echo = () => client.callTool({ name: 'echo', arguments: { message: 'hi' } })
    assert.notEqual((await echo()).isError, true)
    await service.revokeToken({ vat_jti: jti })
    assert.deepEqual(denialIn(await echo()).reasons, ['token_revoked'])
  })

  test('works with only the ID of a token in open mode', async (t) => {
    const { jti } = await token()
    const { client } = await everything(t, { url, token: jti })
    assert.match(textOf(await client.callTool({ name: 'echo', arguments: { message: 'hi' } })), /hi/)
  })

  test('waits for an approval, reports progress, and continues when it is given', async (t) => {
    const { compact_jwt, provenance_ref } = await token({
      constraints: { require_approval: { actions: ['call'] } },
    })
    const { client } = await everything(t, { url, token: compact_jwt })
    const heard: string[] = []
    const call = client.callTool(
      { name: 'echo', arguments: { message: 'approved' } },
      { onprogress: ({ message }) => heard.push(message ?? '') },
    )
    const approval_id = await eventually('a pending approval', async () => {
      const { data } = await service.listApprovals({ provenance_ref, state: 'pending' })
      return heard.length > 0 ? data[0]?.approval_id : undefined
    })
    assert.match(heard[0] ?? '', new RegExp(approval_id))
    await service.approve({ id: approval_id })
    assert.match(textOf(await call), /approved/)
    const [record] = await recordsOf(provenance_ref)
    assert.equal((await service.getApproval({ id: approval_id })).used_by, record?.aar_id)

    const second = client.callTool({ name: 'echo', arguments: { message: 'never' } })
    const other = await eventually('a pending approval', async () => {
      const { data } = await service.listApprovals({ provenance_ref, state: 'pending' })
      return data[0]?.approval_id
    })
    await service.deny({ id: other })
    assert.deepEqual(denialIn(await second).reasons, ['approval_denied'])
    assert.equal((await recordsOf(provenance_ref)).length, 1)
  })

  test('does not wait for an approval if the mapping says refuse', async (t) => {
    const config = join(temporaryDirectory(t), 'map.json')
    writeFileSync(config, JSON.stringify({ server: 'everything', default: { approval: 'refuse' } }))
    const { compact_jwt } = await token({ constraints: { require_approval: { actions: ['call'] } } })
    const { client } = await everything(t, { url, token: compact_jwt, options: ['--config', config] })
    const { reasons, approval_id } = denialIn(
      await client.callTool({ name: 'echo', arguments: { message: 'hi' } }),
    )
    assert.deepEqual(reasons, ['approval_required'])
    assert.match(String(approval_id), /^apr_/)
  })

  test('spends the cost in the mapping until the budget is used up', async (t) => {
    const config = join(temporaryDirectory(t), 'map.json')
    const tools = { echo: { action: '{tool}', resource: 'mcp:{server}', spend_usd: 0.4 } }
    writeFileSync(config, JSON.stringify({ server: 'everything', tools }))
    const { compact_jwt } = await token({ actions: ['echo'], constraints: { max_spend_usd: 1 } })
    const { client } = await everything(t, { url, token: compact_jwt, options: ['--config', config] })
    const echo = () => client.callTool({ name: 'echo', arguments: { message: 'hi' } })
    assert.notEqual((await echo()).isError, true)
    assert.notEqual((await echo()).isError, true)
    const denied = await echo()
    assert.match(
      textOf(denied),
      /Reasons: budget_exceeded \(limit: max_spend_usd, remaining_usd: 0\.2\)\.\n.+ Ask for less/,
    )
    assert.deepEqual(denialIn(denied).details, [
      { reason: 'budget_exceeded', limit: 'max_spend_usd', remaining_usd: 0.2 },
    ])
  })

  test('ends the record of a call that the client cancels', async (t) => {
    const { compact_jwt, provenance_ref } = await token()
    const { client } = await everything(t, { url, token: compact_jwt })
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

  test('withdraws a call that is cancelled while it waits for an approval', async (t) => {
    const { compact_jwt, provenance_ref } = await token({
      constraints: { require_approval: { actions: ['call'] } },
    })
    const { client } = await everything(t, { url, token: compact_jwt })
    const stop = new AbortController()
    const call = client.callTool({ name: 'echo', arguments: { message: 'hi' } }, { signal: stop.signal })
    const id = await eventually('a pending approval', async () => {
      const { data } = await service.listApprovals({ provenance_ref })
      return data[0]?.approval_id
    })
    stop.abort()
    await assert.rejects(call)
    await client.ping() // by now the guard has read the cancellation
    await service.approve({ id })
    await client.ping()
    assert.deepEqual(await recordsOf(provenance_ref), [])
  })

  test('passes results of megabytes and many concurrent calls', async (t) => {
    const directory = temporaryDirectory(t)
    // The client accepts at most ten megabytes at a time, and the server sends everything twice.
    writeFileSync(join(directory, 'large.txt'), 'ä'.repeat(2_000_000))
    const { compact_jwt, provenance_ref } = await token()
    const { client } = await aGuardedClient(t, {
      url,
      token: compact_jwt,
      options: ['--server', 'files'],
      command: [process.execPath, serverFile('server-filesystem'), directory],
    })
    const read = (name: string) =>
      client.callTool({ name: 'read_file', arguments: { path: join(directory, name) } })
    const result = await read('large.txt')
    assert.equal(textOf(result).length, 2_000_000)
    assert.equal((await recordsOf(provenance_ref))[0]?.result_hash, resultHash(result))
    for (let i = 0; i < 40; i += 1) writeFileSync(join(directory, `${i}.txt`), `number ${i}`)
    const all = await Promise.all(Array.from({ length: 40 }, (_, i) => read(`${i}.txt`)))
    assert.deepEqual(
      all.map(textOf),
      all.map((_, i) => `number ${i}`),
    )
    const records = await recordsOf(provenance_ref)
    assert.equal(
      records.filter(({ state, result }) => state === 'completed' && result === 'success').length,
      41,
    )
  })

  test('hides its credentials from the server', async (t) => {
    const { compact_jwt, jti } = await token()
    const { client } = await everything(t, { url, token: compact_jwt, env: { OTHER: 'kept' } })
    const environment = textOf(await client.callTool({ name: 'get-env', arguments: {} }))
    assert.match(environment, /"OTHER": "kept"/)
    assert.doesNotMatch(environment, /DEPUTY_/)
    assert.ok(!environment.includes(compact_jwt) && !environment.includes(jti))
  })

  test('hides the tools that the token does not allow, if configured', async (t) => {
    const config = join(temporaryDirectory(t), 'map.json')
    writeFileSync(config, JSON.stringify({ server: 'everything', default: { action: '{tool}' } }))
    const { compact_jwt, provenance_ref } = await token({ actions: ['echo', 'get-sum'] })
    const given = { url, token: compact_jwt }
    const open = await everything(t, { ...given, options: ['--config', config] })
    assert.ok((await open.client.listTools()).tools.length > 10)
    const hiding = await everything(t, { ...given, options: ['--config', config, '--hide-denied'] })
    assert.deepEqual((await hiding.client.listTools()).tools.map(({ name }) => name).sort(), [
      'echo',
      'get-sum',
    ])
    assert.deepEqual((await service.listDenials({ provenance_ref })).data, [])
  })

  test('denies calls while the service is unreachable, unless the mapping says allow', async (t) => {
    const { program, token } = await aService(t)
    const { compact_jwt } = await token()
    const config = join(temporaryDirectory(t), 'map.json')
    writeFileSync(config, JSON.stringify({ server: 'everything', on_unavailable: 'allow' }))
    const given = { url: program.url, token: compact_jwt }
    const strict = await everything(t, given)
    const lenient = await everything(t, { ...given, options: ['--config', config] })
    await program.stop()
    const echo = { name: 'echo', arguments: { message: 'hi' } }
    const denied = await strict.client.callTool(echo)
    assert.equal(denied.isError, true)
    assert.equal(denialIn(denied).code, 'unavailable')
    assert.match(textOf(await lenient.client.callTool(echo)), /hi/)
    assert.match(lenient.words(), /without a record/)
  })

  test('records the outcome of a call that ends while the service is unreachable', async (t) => {
    const line = await aLineTo(t, url)
    const { compact_jwt, provenance_ref } = await token()
    const { client } = await everything(t, { url: line.url, token: compact_jwt })
    const name = 'trigger-long-running-operation'
    const call = client.callTool({ name, arguments: { duration: 1, steps: 1 } })
    await eventually('the record of the call', async () => (await recordsOf(provenance_ref))[0])
    line.lose()
    await setTimeout(2_500) // longer than the attempts of a decision that a client waits for
    line.restore()
    assert.notEqual((await call).isError, true)
    await eventually('the end of the record', async () => {
      const [record] = await recordsOf(provenance_ref)
      return record?.state === 'completed' && record.result === 'success'
    })
  })

  test('still waits for an approval after the service was unreachable', async (t) => {
    const line = await aLineTo(t, url)
    const require_approval = { actions: ['call'] }
    const { compact_jwt, provenance_ref } = await token({ constraints: { require_approval } })
    const { client, words } = await everything(t, { url: line.url, token: compact_jwt })
    const call = client.callTool({ name: 'echo', arguments: { message: 'hi' } })
    const id = await eventually('a pending approval', async () => {
      const { data } = await service.listApprovals({ provenance_ref })
      return data[0]?.approval_id
    })
    line.lose()
    await eventually('the guard notices', async () => words().includes('still waiting'))
    await service.approve({ id })
    line.restore()
    assert.match(textOf(await call), /hi/)
  })

  test('denies calls with an unknown token, even if the mapping says allow', async (t) => {
    const config = join(temporaryDirectory(t), 'map.json')
    writeFileSync(config, JSON.stringify({ server: 'everything', on_unavailable: 'allow' }))
    const { client } = await everything(t, {
      url,
      token: 'vat_root_00000000000000000000000000000000',
      options: ['--config', config],
    })
    const denied = await client.callTool({ name: 'echo', arguments: { message: 'hi' } })
    assert.equal(denialIn(denied).code, 'token_unknown')
  })
})

/** Passes requests on to the service, as if they were sent to it, until the line is lost. */
async function aLineTo(scope: TestScope, service_url: string) {
  let isLost = false
  const { host } = new URL(service_url)
  const server = createServer((incoming, response) => {
    const { method, url = '', headers } = incoming
    const outgoing = request(`${service_url}${url}`, { method, headers: { ...headers, host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    incoming.pipe(outgoing)
  })
  server.on('connection', (socket) => isLost && socket.destroy())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  scope.after(() => void server.close())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lose() {
      isLost = true
      server.closeAllConnections()
    },
    restore() {
      isLost = false
    },
  }
}

/** Talks to the guard line by line, without a client library. */
function rawGuard(url: string, token: string, command: readonly string[], options: readonly string[] = []) {
  const child = spawn(
    process.execPath,
    [CLI, 'mcp-guard', '--url', url, '--server', 'everything', ...options, '--', ...command],
    { env: { PATH: process.env.PATH, DEPUTY_TOKEN: token }, stdio: ['pipe', 'pipe', 'pipe'] },
  )
  let output = ''
  let words = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    words += chunk
  })
  const ended = once(child, 'close')
  return {
    send: (text: string) => child.stdin.write(`${text}\n`),
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    output: () => output,
    words: () => words,
    async end() {
      child.stdin.end()
      await ended
      return { code: child.exitCode, signal: child.signalCode }
    },
    ended,
    child,
  }
}

/** A minimal server, for behavior that no published server has. */
const ODD_SERVER = `
import { createInterface } from 'node:readline'
console.log('Welcome to this server!')
const held = []
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (method === 'ping') console.log('{ "jsonrpc":"2.0",  "id":' + JSON.stringify(id) + ', "result":{} , "seen":' + JSON.stringify(line) + '}')
  if (method === 'resources/read' || params?.name === 'hold') {
    held.push(id)
    console.error('holding ' + method)
  }
  if (method !== 'tools/call' || params.name === 'hold') continue
  if (params.name === 'release')
    for (const each of held) console.log(JSON.stringify({ jsonrpc: '2.0', id: each, result: { content: [], isError: true } }))
  if (params.name === 'crash') process.exit(3)
  if (params.name === 'silence') continue
  if (params.name === 'garbage') console.log('no JSON\\n{"half":\\n[]\\n{"jsonrpc":"2.0","id":"nobody","result":{}}\\n' + String.fromCharCode(0, 27, 0x2028))
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'done' }] } }))
}
process.exitCode = 5
`

describe('the guard between two pipes', async () => {
  const scope = { after }
  const { program, token, recordsOf } = await aService(scope)
  const directory = temporaryDirectory(scope)
  const file = join(directory, 'odd-server.mjs')
  mkdirSync(directory, { recursive: true })
  writeFileSync(file, ODD_SERVER)
  const odd = [process.execPath, file]
  const callOf = (name: string, id: unknown = 1) =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } })

  async function said(guard: ReturnType<typeof rawGuard>, pattern: RegExp): Promise<string> {
    return eventually(`${pattern} in ${guard.output()} ${guard.words()}`, async () =>
      pattern.test(guard.output()) ? guard.output() : undefined,
    )
  }

  test('passes messages on unchanged, and nothing else', async () => {
    const { compact_jwt } = await token()
    const guard = rawGuard(program.url, compact_jwt, odd)
    const ping = '{"method" : "ping",  "jsonrpc":"2.0","id":"a\\u0062"}'
    guard.send(ping)
    const output = await said(guard, /seen/)
    assert.equal(output, `{ "jsonrpc":"2.0",  "id":"ab", "result":{} , "seen":${JSON.stringify(ping)}}\n`)
    assert.match(guard.words(), /Welcome to this server!/)
    assert.deepEqual(await guard.end(), { code: 5, signal: null })
    for (const line of guard.output().trim().split('\n')) assert.equal(JSON.parse(line).jsonrpc, '2.0')
  })

  test('exits with the code of a crashed server and records the call as failed', async () => {
    const { compact_jwt, provenance_ref } = await token()
    const guard = rawGuard(program.url, compact_jwt, odd)
    guard.send(callOf('crash'))
    await guard.ended
    assert.equal(guard.child.exitCode, 3)
    const items = await recordsOf(provenance_ref)
    assert.deepEqual(
      items.map(({ state, result }) => [state, result]),
      [['completed', 'error']],
    )
  })

  test('a server that dies during many calls fails them all', async () => {
    const { compact_jwt, provenance_ref } = await token()
    const guard = rawGuard(program.url, compact_jwt, odd)
    for (let id = 1; id <= 20; id += 1) guard.send(callOf('silence', id))
    await eventually('a record of every call', async () =>
      (await recordsOf(provenance_ref)).length === 20 ? true : undefined,
    )
    guard.send(callOf('crash', 'last'))
    await guard.ended
    assert.equal(guard.child.exitCode, 3)
    const ends = (await recordsOf(provenance_ref)).map(({ state, result }) => [state, result])
    assert.deepEqual(ends, Array(21).fill(['completed', 'error']))
  })

  test('other output of a server does not disturb calls', async () => {
    const { compact_jwt, provenance_ref } = await token()
    const guard = rawGuard(program.url, compact_jwt, odd)
    guard.send(callOf('garbage'))
    await said(guard, /done/)
    guard.send(callOf('anything', 2))
    await said(guard, /"id":2.*done/)
    assert.equal((await guard.end()).code, 5)
    assert.match(guard.words(), /no JSON/)
    assert.doesNotMatch(guard.output(), /no JSON/)
    const ends = (await recordsOf(provenance_ref)).map(({ state, result }) => [state, result])
    assert.deepEqual(ends, Array(2).fill(['completed', 'success']))
  })

  test('a thousand concurrent calls are all answered and recorded', async () => {
    const { compact_jwt, provenance_ref } = await token()
    const guard = rawGuard(program.url, compact_jwt, odd)
    for (let id = 1; id <= 1000; id += 1) guard.send(callOf('anything', id))
    await eventually('all answers', () => guard.output().split('\n').length > 1000)
    assert.deepEqual(await guard.end(), { code: 5, signal: null }, guard.words())
    const answered = guard
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.equal(new Set(answered.map(({ id }) => id)).size, 1000)
    assert.ok(answered.every(({ result }) => result.content[0].text === 'done'))
    const records = await recordsOf(provenance_ref)
    assert.equal(records.filter(({ result }) => result === 'success').length, 1000)
  })

  test('a client that disconnects with open calls leaves no open record', async () => {
    const { compact_jwt, provenance_ref } = await token()
    const guard = rawGuard(program.url, compact_jwt, odd)
    for (let id = 1; id <= 5; id += 1) guard.send(callOf('silence', id))
    assert.deepEqual(await guard.end(), { code: 5, signal: null })
    const ends = (await recordsOf(provenance_ref)).map(({ state, result }) => [state, result])
    assert.deepEqual(ends, Array(5).fill(['completed', 'error']))
  })

  test('answers calls sent before the client closed its end', async () => {
    const { compact_jwt } = await token()
    const guard = rawGuard(program.url, compact_jwt, odd)
    guard.send(callOf('anything'))
    assert.deepEqual(await guard.end(), { code: 5, signal: null })
    assert.match(guard.output(), /"done"/)
  })

  test('forwards a signal and ends by the same signal as the server', async () => {
    const { compact_jwt } = await token()
    const guard = rawGuard(program.url, compact_jwt, odd)
    guard.send('{"jsonrpc":"2.0","id":1,"method":"ping"}')
    await said(guard, /seen/)
    guard.kill('SIGTERM')
    await guard.ended
    assert.equal(guard.child.signalCode, 'SIGTERM')
  })

  test('rejects ambiguous messages', async () => {
    const { compact_jwt, provenance_ref } = await token()
    const guard = rawGuard(program.url, compact_jwt, odd)
    const call = '"params":{"name":"x"}'
    const tricks = [
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"ping",${call}}`,
      `{"jsonrpc":"2.0","id":1,"Method":"tools/call","method":"ping",${call}}`,
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","Name":"y"}}`,
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","param\u017f":{"name":"y"},${call}}`,
      `[{"jsonrpc":"2.0","id":1,"method":"tools/call",${call}}]`,
      `{"a":\r{"jsonrpc":"2.0","id":1,"method":"tools/call",${call}}\r}`,
      `{"jsonrpc":"2.0","method":"tools/call",${call}}`,
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`,
      'tools/call',
    ]
    for (const trick of tricks) guard.send(trick)
    await eventually('a response to every message', async () =>
      guard.output().split('\n').length > tricks.length ? true : undefined,
    )
    const answers = guard
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.equal(answers.length, tricks.length)
    for (const { error } of answers) assert.ok([-32700, -32600].includes(error.code))
    assert.equal((await guard.end()).code, 5)
    assert.deepEqual(await recordsOf(provenance_ref), [])
  })

  test('rejects a second call with an id that is still open', async () => {
    const { compact_jwt } = await token()
    const guard = rawGuard(program.url, compact_jwt, odd)
    guard.send(`${callOf('one', 7)}\n${callOf('two', 7)}`)
    await said(guard, /done/)
    assert.match(guard.output(), /"id":7,"error":\{"code":-32600/)
    await guard.end()
  })

  const PING = '{"jsonrpc":"2.0","id":7,"method":"ping"}'
  const READ = '{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"a:b"}}'
  const CANCEL = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}'

  test('takes no response to another request for that of a call with the same id', async () => {
    const { compact_jwt, provenance_ref } = await token()
    const guard = rawGuard(program.url, compact_jwt, odd)
    guard.send(callOf('hold', 7))
    await eventually('the call reaches the server', () => guard.words().includes('holding tools/call'))
    guard.send(PING)
    await said(guard, /"id":7,"error":\{"code":-32600/)
    guard.send(callOf('release', 8))
    await said(guard, /"id":8,"result"/)
    assert.doesNotMatch(guard.output(), /seen/)
    assert.equal((await guard.end()).code, 5)
    const ends = (await recordsOf(provenance_ref)).map(({ state, result }) => [state, result])
    assert.deepEqual(ends, [
      ['completed', 'error'],
      ['completed', 'success'],
    ])
  })

  test('rejects a call with the id of a request, or of a cancelled call, that the server has not answered', async () => {
    for (const first of [[READ], [callOf('hold', 7), CANCEL]]) {
      const { compact_jwt, provenance_ref } = await token()
      const guard = rawGuard(program.url, compact_jwt, odd)
      for (const line of first) {
        guard.send(line)
        await eventually('it reaches the server', () => guard.words().includes('holding'))
      }
      guard.send(callOf('silence', 7))
      await said(guard, /"id":7,"error":\{"code":-32600/)
      guard.send(callOf('release', 8))
      await said(guard, /"id":8,"result"/)
      guard.send(callOf('anything', 7)) // the id is free again
      await said(guard, /"id":7,"result":\{"content":\[\{"type":"text","text":"done"/)
      assert.equal((await guard.end()).code, 5)
      const ends = (await recordsOf(provenance_ref)).map(({ result }) => result)
      assert.deepEqual(ends.slice(-2), ['success', 'success'])
      assert.equal(ends.length, first.length + 1)
    }
  })

  test('accepts the ID of a token as an argument', async () => {
    const { jti, provenance_ref } = await token()
    const guard = rawGuard(program.url, '', odd, ['--token', jti])
    guard.send(callOf('one', 1))
    await said(guard, /done/)
    await guard.end()
    assert.equal((await recordsOf(provenance_ref)).length, 1)
  })

  test('names invalid options and exits with 2', async () => {
    const without = rawGuard(program.url, '', odd)
    await without.ended
    assert.equal(without.child.exitCode, 2)
    assert.match(without.words(), /No token/)
    const { compact_jwt } = await token()
    const shown = rawGuard(program.url, '', odd, ['--token', compact_jwt])
    await shown.ended
    assert.equal(shown.child.exitCode, 2)
    assert.match(shown.words(), /not bound to a key.*--token-file/)
    const args = ['mcp-guard', '--token', 'vat_root_1', '--url', program.url, '--', 'true']
    const unnamed = await runDeputy(args)
    assert.deepEqual([unnamed.status, unnamed.stdout], [2, ''])
    assert.match(unnamed.stderr, /The server has no name\. Pass --server/)
    assert.equal(without.output() + shown.output(), '')
  })

  test('names faults of the mapping and a missing program, and exits with 78', async () => {
    const map = join(directory, 'bad.json')
    writeFileSync(map, JSON.stringify({ tools: { a: { acton: 'x' } }, on_unavailable: 'maybe' }))
    const mapped = rawGuard(program.url, 'vat_root_1', odd, ['--config', map])
    await mapped.ended
    assert.equal(mapped.child.exitCode, 78)
    assert.match(mapped.words(), /tools\.a has an unknown member acton/)
    assert.match(mapped.words(), /on_unavailable must be/)
    const nowhere = rawGuard(program.url, 'vat_root_1', ['/no/such/program'])
    await nowhere.ended
    assert.equal(nowhere.child.exitCode, 78)
    assert.equal(mapped.output() + nowhere.output(), '')
  })
})
