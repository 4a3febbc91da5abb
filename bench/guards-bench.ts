import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { deputy } from '@deputize/sdk'
import { freePort } from '@deputize/testing/free-port.ts'
import { type Program, startProgram } from '@deputize/testing/program.ts'
import { newIdempotencyKey } from '../sdk/node/src/calls/idempotency-key.ts'
import { type Case, pick, requestsOf, requestText } from './cases.ts'
import { alternate, type Figures, leastToMost, type Settings } from './compare.ts'
import { AUDIENCE, dpopProofOf, type KeyedService, startKeyed } from './keyed-service.ts'
import { type Generator, startGenerator } from './load.ts'
import { INTERVAL_US, now_us, printThread } from './profile.ts'
import { type Columns, tableOf, writeReport } from './report.ts'
import { builtSdk } from './sdk-package.ts'
import { pathOf, startDeputyProgram, withDirectory } from './servers.ts'

const FRAMEWORKS = ['Express', 'Fastify', 'Hono']
const AGENTS = 256
/** More requests per second than any of these routes can answer, for requests that may be sent only once. */
const MOST_PER_S = 6_000
/** In the first seconds of a process, proofs need a nonce. */
const SETTLED_MS = 6_000

/** The services that the APIs call, and the tokens of the callers. */
interface Services {
  readonly open: Program
  readonly open_tokens: readonly { readonly jti: string; readonly compact_jwt: string }[]
  readonly keyed: KeyedService
}

/** A route under load, and with only one caller. */
interface RouteFigures {
  readonly name: string
  readonly loaded: Figures
  readonly alone: Figures
  /** With only one caller, compared with the bare route just before and after it. */
  readonly added_ms: number
}

/** Measures what a guard costs: the bare route, the guarded one, and only the service for the same two calls. */
export async function guardsBench(settings: Settings, isProfiled: boolean): Promise<void> {
  await withDirectory(async (directory) => {
    const generator = startGenerator()
    const sdk = await builtSdk(directory)
    const open = await startDeputyProgram(directory)
    const keyed = await startKeyed(directory)
    const services = { open, keyed, open_tokens: await openTokens(open.url) }
    const apis: Program[] = []
    try {
      const chosen = FRAMEWORKS.filter((name) => settings.only.length === 0 || settings.only.includes(name))
      for (const name of chosen) apis.push(await startApi(directory, sdk, services, name, isProfiled))
      await new Promise((resolve) => setTimeout(resolve, SETTLED_MS))
      if (isProfiled) return await profiled(generator, directory, services, apis, chosen, settings)
      const figures: RouteFigures[] = []
      for (const [at, api] of apis.entries())
        figures.push(
          ...(await measured(generator, routeCases(chosen[at] ?? '', api, services, settings), settings)),
        )
      writeReport('guards', settings, { figures }, tableOf(figures, COLUMNS))
    } finally {
      generator.stop()
      for (const program of [...apis, open, keyed.program])
        if (program.process.exitCode === null) await program.kill()
    }
  })
}

async function openTokens(url: string) {
  const client = deputy({ url })
  return Promise.all(
    Array.from({ length: AGENTS }, (_, index) =>
      client.issueL1({
        developer_email: `dev${index % 16}@example.com`,
        agent_id: `bench-agent-${index}`,
        resources: ['calendar:events'],
        actions: ['read'],
      }),
    ),
  )
}

async function startApi(
  directory: string,
  sdk: string,
  { open, keyed }: Services,
  framework: string,
  isProfiled: boolean,
): Promise<Program> {
  const flags = [
    '--cpu-prof',
    `--cpu-prof-interval=${INTERVAL_US}`,
    `--cpu-prof-dir=${join(directory, framework)}`,
  ]
  const env = {
    FRAMEWORK: framework,
    SDK: sdk,
    OPEN_URL: open.url,
    KEYED_URL: keyed.url,
    KEYED_KEY: keyed.server_key,
    AUDIENCE,
    PORT: String(await freePort()),
    NODE_ENV: 'production',
  }
  return startProgram(directory, env, [
    process.execPath,
    ...(isProfiled ? flags : []),
    pathOf('./guarded-api.ts'),
  ])
}

function routeCases(framework: string, { url, process }: Program, services: Services, settings: Settings) {
  const { open, keyed, open_tokens } = services
  const processes = [process.pid ?? 0]
  const shown = open_tokens.map(({ compact_jwt }) => [`Authorization: Bearer ${compact_jwt}`])
  const route = (name: string, path: string, credentials: readonly (readonly string[])[]): Case => ({
    name: `${framework}, ${name}`,
    url,
    expects: '"data":[',
    processes,
    requests: credentials.map((headers) => requestText('GET', url, path, headers)),
  })
  const proven: Case = {
    ...route('guarded online, keyed mode, DPoP', '/keyed', []),
    requests: () => {
      const made_for = { htm: 'GET', htu: `${url}/keyed`, iat: Math.floor(Date.now() / 1000) }
      return Array.from({ length: Math.ceil(settings.seconds * MOST_PER_S) }, (_, index) => {
        const token = pick(keyed.tokens, index)
        const credentials = [
          `Authorization: DPoP ${token.compact_jwt}`,
          `DPoP: ${dpopProofOf(token, made_for)}`,
        ]
        return requestText('GET', url, '/keyed', credentials)
      })
    },
  }
  const key = `Authorization: Bearer ${keyed.server_key}`
  return {
    bare: route('bare route', '/bare', [[]]),
    others: [
      route('guarded offline', '/offline', shown),
      route('guarded online, open mode', '/open', shown),
      pairCase('  the service alone, open mode', open, settings, (index) => ({
        jti: pick(open_tokens, index).jti,
        credentials: [],
      })),
      proven,
      pairCase(
        '  the service alone, keyed mode',
        keyed.program,
        settings,
        (index) => ({
          jti: pick(keyed.tokens, index).jti,
          credentials: [key, `Deputy-Token: ${pick(keyed.tokens, index).compact_jwt}`],
        }),
        [key],
      ),
    ],
  }
}

/** `authorize`, then `complete` for the record it created: the two calls that a guard makes per request. */
function pairCase(
  name: string,
  { url, process }: Program,
  { seconds }: Settings,
  tokenAt: (index: number) => { readonly jti: string; readonly credentials: readonly string[] },
  follow_up_credentials: readonly string[] = [],
): Case {
  const completion = JSON.stringify({ result: 'success', result_hash: `sha256:${'9f86d081'.repeat(8)}` })
  return {
    name,
    url,
    expects: '"authorized":true',
    processes: [process.pid ?? 0],
    follow_up: {
      finds: '"aar_id":"(aar_[^"]+)"',
      request: requestText(
        'POST',
        url,
        '/v1/vat/aar/{}/complete',
        [...follow_up_credentials, 'Idempotency-Key: {}'],
        completion,
      ),
      expects: '"state":"completed"',
    },
    requests: () =>
      Array.from({ length: Math.ceil(seconds * MOST_PER_S) }, (_, index) => {
        const { jti, credentials } = tokenAt(index)
        const body = JSON.stringify({ vat_jti: jti, action: 'read', resource: 'calendar:events' })
        const key = `Idempotency-Key: ${newIdempotencyKey()}`
        return requestText('POST', url, '/v1/vat/authorize', [...credentials, key], body)
      }),
  }
}

/** Measures throughput under load and latency with one caller, because the latency of a full server is mostly queueing. */
async function measured(
  generator: Generator,
  { bare, others }: ReturnType<typeof routeCases>,
  settings: Settings,
): Promise<RouteFigures[]> {
  const loaded = await alternate(generator, bare, others, settings)
  const alone = await alternate(generator, bare, others, { ...settings, connections: 1 })
  const bare_ms = alone[0]?.p50_ms ?? Number.NaN
  return loaded.flatMap((one, at) => {
    const by_itself = alone[at]
    if (by_itself === undefined) return []
    return [{ name: one.name, loaded: one, alone: by_itself, added_ms: by_itself.p50_ms - bare_ms }]
  })
}

/** Prints where an API spends its time while its guarded routes are under load. */
async function profiled(
  generator: Generator,
  directory: string,
  services: Services,
  apis: readonly Program[],
  names: readonly string[],
  settings: Settings,
): Promise<void> {
  const { seconds, connections, warm_up_seconds } = settings
  for (const [at, api] of apis.entries()) {
    const name = names[at] ?? ''
    const { others } = routeCases(name, api, services, settings)
    const routes = others.filter((one) => one.url === api.url)
    const windows: { name: string; from_us: number; to_us: number; answered: number }[] = []
    for (const { name, requests, ...load } of routes) {
      const asked = { ...load, requests: requestsOf(requests), connections }
      await generator.measure({ ...asked, requests: requestsOf(requests), seconds: warm_up_seconds })
      const from_us = now_us()
      const { answered } = await generator.measure({ ...asked, requests: requestsOf(requests), seconds })
      windows.push({ name, from_us, to_us: now_us(), answered })
    }
    await api.stop()
    const [file = ''] = readdirSync(join(directory, name)).filter((one) => one.endsWith('.cpuprofile'))
    for (const { name: route, answered, ...window } of windows)
      printThread(route, join(directory, name, file), window, answered)
  }
}

const COLUMNS: Columns<RouteFigures> = {
  route: ({ name }) => name,
  'requests/s': ({ loaded }) => loaded.requests_per_s.toFixed(0),
  'of the bare route': ({ loaded }) => loaded.of_floor.median.toFixed(3),
  'least to most': ({ loaded }) => leastToMost(loaded.of_floor, 3),
  'p50 ms': ({ loaded }) => loaded.p50_ms.toFixed(1),
  'p99 ms': ({ loaded }) => loaded.p99_ms.toFixed(1),
  'processor us': ({ loaded }) => loaded.processor_us.toFixed(0),
  'alone p50 ms': ({ alone }) => alone.p50_ms.toFixed(2),
  'alone p99 ms': ({ alone }) => alone.p99_ms.toFixed(2),
  'added ms': ({ added_ms }) => added_ms.toFixed(2),
}
