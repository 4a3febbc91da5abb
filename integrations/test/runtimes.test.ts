import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type AgentKey, deputy, newAgentKey } from '@deputize/sdk'
import { aKeyedDeployment, anOpenDeployment } from '@deputize/testing/a-deployment.ts'
import { anInstalledPackage } from '@deputize/testing/a-package.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import { CONTEXT, OPTIONS, protocolVerdict, TOKENS } from '@deputize/testing/sdk-vectors.ts'
import { build } from 'esbuild'
import type { Settings } from './runtimes/consumer.ts'

const SCRIPTS = fileURLToPath(new URL('runtimes/', import.meta.url))
const EXAMPLE = fileURLToPath(new URL('../../examples/node/worker.ts', import.meta.url))
const HONO = fileURLToPath(new URL('../../node_modules/hono', import.meta.url))
const program = (name: string) => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url))

/** The newest compatibility date that this workerd supports. */
const TODAY = '2026-10-01'
/** The time limit for every runtime. */
const LIMIT_MS = 60_000
const BOUNDED = { timeout: LIMIT_MS }
const run = promisify(execFile)
const scope: TestScope = { after }
const { folder } = anInstalledPackage(scope)
cpSync(HONO, join(folder, 'node_modules/hono'), { recursive: true })
cpSync(SCRIPTS, folder, { recursive: true, filter: (path) => !path.endsWith('.d.ts') })

const AUDIENCE = 'https://calendar.example'
const [open, keyed] = await Promise.all([anOpenDeployment(scope), aKeyedDeployment(scope)])
const developer = await keyed.operator.createKey({ name: 'runtimes', role: 'developer' })
const settings: Settings = {
  vectors_url: await someVectors(),
  url: open.url,
  keyed: { url: keyed.url, key: developer.key },
  silent_url: await listening(
    createServer((socket) => void socket.on('error', () => socket.destroy()).resume()),
  ),
  moved_url: await answering((_, response) => void response.writeHead(302, { location: open.url }).end()),
  closed_url: await closedUrl(),
}
const guards = {
  '/': { url: open.url },
  '/keyed': { url: keyed.url, key: await keyed.resourceServerKey(AUDIENCE), audience: AUDIENCE },
}

/** The expected result of the consumer, in every runtime. */
const EXPECTED = {
  verdicts: JSON.parse(JSON.stringify(TOKENS.map((jwt) => protocolVerdict(jwt, CONTEXT)))),
  acting: {
    found: ['stand-up', 'lunch'],
    record: ['completed', 'success', true],
    written: [1, 2, 3],
    thrown: true,
    denied: ['action_not_in_scope'],
    widening: 'scope_widening',
  },
  causes: { found: true, told: true },
  pages: { entries: 5, lines: 5 },
  repeated: { lost: 1, total_records: 2, is_same: true },
  followed: {
    told: ['token.issued', 'action.completed', 'action.completed', 'action.completed'],
    is_cut: true,
  },
  verified: {
    agent_id: 'agent:runtime-bot',
    has_standing: true,
    forged: 'bad_signature',
    revoked: 'token_revoked',
  },
  receipt: { entries: ['created', 'completed'], pinned: true, refused: true },
  proofs: Object.fromEntries(
    ['EdDSA', 'ES256'].map((alg) => [
      alg,
      { acted: 'seen', passed_on: 'done', bound: true, stolen: 'credential_invalid', is_kept: true },
    ]),
  ),
  default_key: 'EdDSA',
  aborted: { with_reason: true, soon: true },
  failures: { silent: 'timed_out', moved: 'unexpected_answer', closed: 'unreachable' },
}

/** Deno may reach only these addresses: no files, no environment, no other network. */
const denoWith = (...urls: readonly string[]) => [
  program('deno'),
  'run',
  '--no-prompt',
  '--no-remote',
  '--cached-only',
  '--no-lock',
  '--node-modules-dir=manual',
  `--allow-net=${urls.map((url) => new URL(url).host).join(',')}`,
]
const BUN = [program('bun'), 'run', '--no-install']
const ENV = { PATH: process.env.PATH ?? '', HOME: temporaryDirectory(scope), DENO_NO_UPDATE_CHECK: '1' }

const addresses = Object.values(settings).map((one) => (typeof one === 'string' ? one : one.url))
const COMMANDS = {
  Node: [process.execPath, '--no-warnings'],
  Deno: denoWith(...addresses),
  Bun: BUN,
}

for (const [name, [executable = '', ...args]] of Object.entries(COMMANDS))
  test(`${name} gets the same results from the package as every runtime`, BOUNDED, async () => {
    const { stdout, stderr } = await run(
      executable,
      [...args, join(folder, 'main.ts'), JSON.stringify(settings)],
      { cwd: folder, env: ENV, timeout: LIMIT_MS, maxBuffer: 2 ** 26 },
    )
    assert.equal(stderr, '')
    assert.deepEqual(JSON.parse(stdout), EXPECTED)
  })

test('Deno accepts the types of the package', BOUNDED, async () => {
  // If the package had no types, nothing would be wrong here, and Deno would report the unused directives.
  writeFileSync(
    join(folder, 'wrong.ts'),
    `import { deputy } from '@deputize/sdk'
// @ts-expect-error: a part of the path is missing
await deputy({ url: '' }).getRecord({})
`,
  )
  const args = ['check', '--no-remote', '--no-lock', '--node-modules-dir=manual']
  const files = ['consumer.ts', 'serve-deno.ts', 'wrong.ts']
  await run(program('deno'), [...args, ...files], { cwd: folder, env: ENV, timeout: LIMIT_MS })
})

/** A worker's compatibility date and flags decide which parts of Node it has. */
const WORKERS = {
  'as of today': { date: TODAY, flags: [], found: true },
  'of a day when nothing of Node was there by itself': { date: '2025-09-01', flags: [], found: false },
  'of that day, with nodejs_als': { date: '2025-09-01', flags: ['nodejs_als'], found: false },
  'of that day, with nodejs_compat': { date: '2025-09-01', flags: ['nodejs_compat'], found: true },
} as const

describe('a worker', () => {
  test('passes the same checks as every runtime', BOUNDED, async (t) => {
    const url = await aWorker(t, { guards })
    assert.deepEqual(await asked(`${url}/consume`), EXPECTED)
  })

  for (const [name, { date, flags, found }] of Object.entries(WORKERS))
    test(
      `${name} ${found ? 'finds the cause of an action' : 'needs the cause of an action as an option'}`,
      BOUNDED,
      async (t) => {
        const url = await aWorker(t, { guards, date, flags })
        assert.deepEqual(await asked(`${url}/causes`), { found, told: true })
      },
    )
})

async function asked(url: string): Promise<unknown> {
  const body = JSON.stringify(settings)
  const response = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(LIMIT_MS) })
  assert.equal(response.status, 200)
  return response.json()
}

const APIS: Readonly<Record<string, (scope: TestScope) => Promise<string>>> = {
  Deno: (scope) => serving(scope, ...denoWith(open.url, keyed.url, 'http://127.0.0.1:0'), 'serve-deno.ts'),
  Bun: (scope) => serving(scope, ...BUN, 'serve-bun.ts'),
  workerd: (scope) => aWorker(scope, { guards }),
}

for (const [name, start] of Object.entries(APIS))
  describe(`the guard for Hono on ${name}`, async () => {
    const older = await aBoundAgent('EdDSA', async () => new Response())
    await older.agent.fetch(`${AUDIENCE}/keyed/events`, { method: 'POST' })
    const api = await start(scope)
    const call = (path: string, compact_jwt: string, method = 'POST') =>
      fetch(`${api}${path}`, {
        method,
        headers: { authorization: `Bearer ${compact_jwt}` },
        signal: AbortSignal.timeout(LIMIT_MS),
      })

    test('admits an allowed request and records its response', BOUNDED, async () => {
      const { compact_jwt, provenance_ref } = await open.token()
      const response = await call('/events', compact_jwt)
      const body = await response.text()
      assert.deepEqual([response.status, body], [200, '{"agent_id":"agent:calendar-bot"}'])
      const record = await eventually(
        'the action record',
        async () => (await open.client.listRecords({ provenance_ref, state: 'completed' })).data[0],
      )
      const digest = createHash('sha256').update(body).digest('hex')
      assert.deepEqual([record.result, record.result_hash], ['success', `sha256:${digest}`])
      assert.equal((await call('/calendars/events', compact_jwt, 'GET')).status, 200)
    })

    test('refuses requests out of scope, with revoked tokens, and without a token', BOUNDED, async () => {
      const { compact_jwt, jti } = await open.token({ actions: ['read'] })
      const denied = await call('/events', compact_jwt)
      const { reasons } = (await denied.json()) as { reasons: string[] }
      assert.deepEqual([denied.status, reasons], [403, ['action_not_in_scope']])
      assert.equal((await call('/calendars/private', compact_jwt, 'GET')).status, 403)
      const writer = await open.token()
      await open.client.revokeToken({ vat_jti: writer.jti })
      const revoked = await call('/events', writer.compact_jwt)
      assert.match(await revoked.text(), /token_revoked/)
      assert.equal(revoked.status, 403)
      await open.client.revokeToken({ vat_jti: jti })
      assert.equal((await fetch(`${api}/events`, { method: 'POST' })).status, 401)
    })

    for (const alg of ['EdDSA', 'ES256'] as const)
      test(`accepts a proof with ${alg} only once`, BOUNDED, async () => {
        const { agent, compact_jwt, proofs } = await aBoundAgent(alg, (path, init) =>
          fetch(`${api}${path}`, init),
        )
        const good = await agent.fetch(`${AUDIENCE}/keyed/events`, { method: 'POST' })
        assert.deepEqual([good.status, await good.json()], [200, { agent_id: 'agent:calendar-bot' }])
        const replayed = await shown(compact_jwt, proofs.at(-1))
        assert.deepEqual([replayed.status, await codeIn(replayed)], [401, 'credential_invalid'])
        assert.equal((await call('/keyed/events', compact_jwt)).status, 401)
      })

    test('requires a nonce if a proof may have been used before the guard started', BOUNDED, async () => {
      const response = await shown(older.compact_jwt, older.proofs[0])
      assert.equal(response.status, 401)
      assert.match(response.headers.get('www-authenticate') ?? '', /use_dpop_nonce/)
    })

    const shown = (compact_jwt: string, dpop = '') =>
      fetch(`${api}/keyed/events`, {
        method: 'POST',
        headers: { authorization: `DPoP ${compact_jwt}`, dpop },
      })
  })

const codeIn = async (response: Response) => ((await response.json()) as { code: string }).code

/** An agent whose token is bound to a key, and the proofs that it sends. */
async function aBoundAgent(
  alg: AgentKey['alg'],
  answer: (path: string, init: RequestInit | undefined) => Promise<Response>,
) {
  const agent_key = await newAgentKey({ alg })
  const { compact_jwt } = await keyed.token({ audience: AUDIENCE, agent_jwk: agent_key.jwk })
  const proofs: string[] = []
  const watched: typeof fetch = (input, init) => {
    proofs.push(new Headers(init?.headers).get('dpop') ?? '')
    return answer(new URL(String(input)).pathname, init)
  }
  const agent = deputy({ url: keyed.url, fetch: watched }).withAuthority(compact_jwt, { agent_key })
  return { agent, compact_jwt, proofs }
}

test('the worker example admits and refuses requests', BOUNDED, async (t) => {
  cpSync(EXAMPLE, join(folder, 'example.ts'))
  const url = await aWorker(t, { entry: 'example.ts' })
  const { compact_jwt } = await open.token()
  const headers = { authorization: `Bearer ${compact_jwt}` }
  const created = await fetch(`${url}/events`, { method: 'POST', headers })
  assert.deepEqual(await created.json(), { created: true, by: 'agent:calendar-bot' })
  assert.equal((await fetch(`${url}/calendars/events`, { headers })).status, 200)
  assert.equal((await fetch(`${url}/calendars/private`, { headers })).status, 403)
  assert.equal((await fetch(`${url}/events`, { method: 'POST' })).status, 401)
})

test('a worker request whose caller disconnects does not block others', BOUNDED, async (t) => {
  const door = await aDoor(t, open.url, '/jwks.json')
  const url = await aWorker(t, { guards: { '/': { url: door.url } } })
  const { compact_jwt } = await open.token()
  const gone = connect(Number(new URL(url).port), '127.0.0.1')
  t.after(() => gone.destroy())
  gone.write(
    `POST /events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${compact_jwt}\r\ncontent-length: 0\r\n\r\n`,
  )
  await door.asked
  gone.resetAndDestroy()
  const response = await fetch(`${url}/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${compact_jwt}` },
    signal: AbortSignal.timeout(4_000),
  })
  assert.equal(response.status, 200)
})

test('a worker responds without waiting for the completion, which still happens', BOUNDED, async (t) => {
  const door = await aDoor(t, open.url, '/complete')
  const url = await aWorker(t, { guards: { '/': { url: door.url } } })
  const { compact_jwt, provenance_ref } = await open.token()
  const headers = { authorization: `Bearer ${compact_jwt}` }
  const response = await fetch(`${url}/events`, { method: 'POST', headers })
  assert.deepEqual(await response.json(), { agent_id: 'agent:calendar-bot' })
  await door.asked
  assert.equal((await open.client.listRecords({ provenance_ref })).data[0]?.state, 'pending')
  door.release()
  await eventually(
    'the completed record',
    async () => (await open.client.listRecords({ provenance_ref, state: 'completed' })).data[0],
  )
})

async function serving(scope: TestScope, ...command: readonly string[]): Promise<string> {
  const script = command.at(-1) ?? ''
  const whole = [...command.slice(0, -1), join(folder, script), JSON.stringify(guards)]
  return (await soon(aProgram(scope, '/nowhere', ENV, whole))).url
}

/** Fails if the result takes too long. */
function soon<T>(promise: Promise<T>): Promise<T> {
  const late = setTimeout(LIMIT_MS, undefined, { ref: false }).then(() => {
    throw new Error('it never came')
  })
  return Promise.race([promise, late])
}

interface WorkerSettings {
  readonly entry?: string
  readonly guards?: Readonly<Record<string, { readonly url: string }>>
  readonly date?: string
  readonly flags?: readonly string[]
}

/** A worker, bundled like by the tools for workers, with the address of the service in its variable. */
async function aWorker(
  scope: TestScope,
  { entry = 'worker.ts', guards = {}, date = TODAY, flags = [] }: WorkerSettings,
): Promise<string> {
  const place = temporaryDirectory(scope)
  await build({
    absWorkingDir: folder,
    entryPoints: [entry],
    outfile: join(place, 'worker.js'),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'browser'],
    define: { GUARDS: JSON.stringify(guards) },
  })
  const config = join(place, 'worker.capnp')
  writeFileSync(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "internet", network = (allow = ["private"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "${date}",
  compatibilityFlags = ${JSON.stringify(flags)},
  bindings = [(name = "DEPUTY_URL", text = "${open.url}")],
);
`,
  )
  const child = spawn(program('workerd'), ['serve', '--control-fd=3', config], {
    cwd: place,
    env: ENV,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  })
  // SIGKILL, because on SIGTERM it waits for requests that never end.
  scope.after(() => void child.kill('SIGKILL'))
  const port = new Promise<string>((resolve, reject) => {
    child.stdio[3]?.on('data', (chunk) => {
      const [, found] = /"port":\s*(\d+)/.exec(String(chunk)) ?? []
      if (found !== undefined) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`workerd ended with ${code}`)))
  })
  return `http://127.0.0.1:${await soon(port)}`
}

/** A proxy to the service that holds the first request whose path ends with `held` until it is released. */
async function aDoor(scope: TestScope, service: string, held: string) {
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let isHeld = false
  const url = await answering(async (request, response) => {
    if (!isHeld && request.url?.endsWith(held) === true) {
      isHeld = true
      asked.resolve()
      await released.promise
    }
    const body = await text(request)
    const { host: _, connection: __, ...headers } = request.headers
    const answer = await fetch(`${service}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>, // the worker sends each header once
      ...(body !== '' && { body }),
    })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(await answer.text())
  }, scope)
  return { url, asked: asked.promise, release: released.resolve }
}

function someVectors(): Promise<string> {
  const { clock: _, ...options } = OPTIONS
  const body = JSON.stringify({ tokens: TOKENS, options, now_s: CONTEXT.now_s })
  return answering((_, response) => void response.end(body))
}

async function answering(listener: RequestListener, within: TestScope = scope): Promise<string> {
  const server = createHttpServer(listener)
  within.after(() => void server.closeAllConnections())
  return listening(server, within)
}

async function listening(server: Server, within: TestScope = scope): Promise<string> {
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  within.after(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The URL of a server that was closed. */
async function closedUrl(): Promise<string> {
  const server = createServer()
  const url = await listening(server)
  server.close()
  await once(server, 'close')
  return url
}
