import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine } from '@deputize/biometrics'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import type { AccessControl } from '../server/src/access/access-control.ts'
import { assemble } from '../server/src/assembly/assemble.ts'
import type { Clerk, ExecuteBatch } from '../server/src/clerk/clerk.ts'
import { runBatch } from '../server/src/clerk/run-batch.ts'
import type { ServiceClock } from '../server/src/clock.ts'
import { type Config, readConfig } from '../server/src/config.ts'
import { countFrom } from '../server/src/deployment/deployment.ts'
import { type KeyRing, openKeyRing } from '../server/src/keys/key-ring.ts'
import type { OperationContext } from '../server/src/operations/operation-context.ts'
import type { ReadStore } from '../server/src/store/port.ts'
import type { Row } from '../server/src/store/values.ts'
import { arriveAt } from './arrive-at.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'
import { type TestScope, temporaryDirectory, whenEnded } from './scope.ts'
import { isOnPostgres, someStores } from './test-stores.ts'

/** The address of the service that tests inject requests into. */
export const TEST_URL = 'http://localhost'

export interface TestApp {
  readonly app: FastifyInstance
  readonly context: OperationContext
  /** What another node of the same deployment shares with this one. */
  readonly shared: SharedDeployment
  /** Opens a socket, for requests from another program. After that, nothing can be injected. */
  listen(): Promise<string>
  readonly clock: ManualClock
  readonly directory: string
  readonly accessControl: AccessControl
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  delete(path: string, headers?: Record<string, string>): Promise<Answer>
  /** The reading side of the store, which closes with the service. */
  readonly reader: ReadStore
  /** Runs a query on the store, bypassing the service. */
  rows(sql: string): Promise<Row[]>
  /** Runs SQL on the table of ephemeral data, bypassing the service. */
  ephemeralRows(sql: string): Promise<Row[]>
  /** Changes the store behind the service's back. */
  damage(sql: string): Promise<void>
  /** Number of leaves in the log. */
  logSize(): Promise<number>
  /** The leaves of the log, oldest first. */
  leafTexts(): Promise<string[]>
  /** Submits a command that no operation submits. */
  submit: Clerk['submit']
  /** Starts sending events to webhooks. Retries follow the test's clock. */
  startDeliveries(): void
  /** Expires overdue approvals and actions, as the running service does every few seconds. */
  sweep(): Promise<void>
  /** Evaluates every alert rule once, as the running service does about once a second. */
  watchAlerts(): Promise<void>
  /** Ends the service before its scope ends. Its directory stays until the scope ends. */
  close(): Promise<void>
}

export interface Answer {
  readonly status: number
  readonly headers: Record<string, unknown>
  // Tests access answers freely; a wrong guess fails the test.
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test asserts
  readonly body: any
}

type SharedDeployment = Parameters<typeof assemble>[1]['deployment']

export interface TestAppOptions {
  /** The restores that the deployment has gone through. */
  readonly restores?: KeyRing['restores']
  /** Another node of this one's deployment: the same store, keys and clock. */
  readonly node_of?: TestApp
  readonly access?: Config['access']
  /** An address other than `TEST_URL`. */
  readonly public_url?: string
  readonly rate_limit?: number
  readonly queue_limit?: number
  /** Threads that speak HTTP once the service listens. */
  readonly http_threads?: number
  /** The longest expected wait of a call. By default, no call is refused: a test must pass on a slow machine. */
  readonly longest_wait_ms?: number
  readonly trusted_proxies?: readonly string[]
  /** Sign-in providers, in the form of DEPUTY_OIDC_FILE. */
  readonly providers?: readonly object[]
  /** External identity providers, in the form of DEPUTY_IDV_FILE. Texts in `secrets` become files with their names. */
  readonly idv?: {
    readonly providers: readonly object[]
    readonly secrets?: Readonly<Record<string, string>>
  }
  /** Cosignatures that a checkpoint needs. Without witnesses, any number above 0 prevents publication. */
  readonly quorum?: number
  /** Witnesses, in the form of DEPUTY_WITNESSES. */
  readonly witnesses?: string
  readonly clock?: ManualClock
  /** Bounds the clock, as in the running service. It must read `clock` as its wall clock. */
  readonly service_clock?: ServiceClock
  /** The most proofs of possession that the service remembers. */
  readonly proof_limit?: number
  /** Receives every log line. */
  readonly onLog?: (line: string) => void
  /** Judges captures. Without an engine, captures get `engine_unavailable`. */
  readonly engine?: Engine
  /** Whether a verification needs a passkey. */
  readonly l3_passkey?: 'required' | 'optional'
  /** Sites whose pages embed the widget. */
  readonly widget_origins?: readonly string[]
  /** The target of alerts about coercion, which are signed with `SAFETY_SECRET`. */
  readonly safety_url?: string
  /** The port of a mail server on this machine. */
  readonly mail_port?: number
  /** Private targets of webhooks, in the form of DEPUTY_OUTBOUND_ALLOW. */
  readonly outbound_allow?: string
  /** The vital signs that the node reports. Measured by default. */
  readonly vitals?: OperationContext['node']['vitals']
  /** An empty database to use instead of the store that the environment names. */
  readonly database_url?: string
}

/**
 * The service as the program assembles it, on a real store in this thread and with a clock that the test advances.
 * Requests are injected. The scope fails if a command hit a bug or a checkpoint could not be signed.
 */
export async function aTestApp(scope: TestScope, options: TestAppOptions = {}): Promise<TestApp> {
  let close: (() => Promise<void>) | undefined
  // Removed after the service has ended: without its files, a store refuses its last writes.
  const directory = temporaryDirectory({
    after: (remove) => whenEnded(scope, () => (close?.() ?? Promise.resolve()).finally(remove)),
  })
  const clock = options.clock ?? options.node_of?.clock ?? manualClock()
  const keys: KeyRing = { ...openKeyRing(directory, clock(), true), restores: options.restores ?? [] }
  const { database_url, service_clock } = options
  const now = service_clock?.now ?? clock
  const stores = await someStores({
    directory,
    ...keys,
    clock: now,
    log_clock: service_clock?.logTime,
    database_url,
  })
  const failures: unknown[] = []
  const shared = options.node_of?.shared ?? {
    keys,
    reader: stores.reader,
    ephemeral: stores.ephemeral,
    deliveries: stores.deliveries,
    execute: oneAtATime((commands, lane) =>
      runBatch(stores.writer, commands, (cause) => failures.push(cause), lane),
    ),
    statusIndexes: countFrom(0),
    peers: isOnPostgres ? absentPeers(failures) : undefined,
  }
  const service = await assemble(testConfig(scope, directory, options), {
    deployment: shared,
    clock: now,
    clockFault: service_clock?.fault,
    clockAhead: service_clock?.ahead,
    logger: testLogger(options.onLog),
    batch_limits: { batch_limit: 512, batches_in_flight: 1 },
    proof_limit: options.proof_limit,
    engine: options.engine,
    vitals: options.vitals,
    onTrouble: (cause) => (options.quorum === undefined ? failures.push(cause) : undefined),
  })
  close = once(async () => {
    await service.close()
    await stores.close()
    if (failures.length > 0) throw failures[0]
  })
  const { app, context } = service
  const { rows, ephemeralRows, damage, reader } = stores
  const { submit } = context.clerk
  const call = callerInto(app)
  return {
    app,
    context,
    shared,
    clock,
    directory,
    accessControl: context.accessControl,
    async listen() {
      await service.listen()
      return context.public_url()
    },
    get: (path) => call('GET', path),
    post: (path, body, headers) => call('POST', path, body, headers),
    delete: (path, headers) => call('DELETE', path, undefined, headers),
    reader,
    rows,
    ephemeralRows,
    damage,
    logSize: async () => Number((await rows('SELECT count(*) AS size FROM leaves'))[0]?.size),
    leafTexts: async () =>
      (await rows('SELECT leaf FROM leaves ORDER BY log_index')).map(({ leaf }) => String(leaf)),
    submit,
    startDeliveries: service.startDeliveries,
    watchAlerts: service.watchAlerts,
    async sweep() {
      await submit({ kind: 'sweep', limit: 500 })
    },
    close,
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= work()
    return done
  }
}

/** The store in this thread takes one batch at a time. */
function oneAtATime(execute: ExecuteBatch): ExecuteBatch {
  let last: Promise<unknown> = Promise.resolve()
  return (commands, lane) => {
    const result = last.then(() => execute(commands, lane))
    last = result.catch(() => {})
    return result
  }
}

/** The settings that an operator could make, and some that only tests can. */
function testConfig(scope: TestScope, directory: string, options: TestAppOptions): Config {
  const { access = 'open', rate_limit = 0, queue_limit = 10_000, trusted_proxies = [] } = options
  const config = readConfig({
    PORT: '0',
    DEPUTY_PUBLIC_URL: options.public_url ?? `${TEST_URL}:0`,
    DEPUTY_DATA_DIR: directory,
    DEPUTY_ACCESS: access,
    DEPUTY_RATE_LIMIT: String(rate_limit),
    DEPUTY_QUEUE_LIMIT: String(queue_limit),
    DEPUTY_MAX_WAIT_MS: String(options.longest_wait_ms ?? 0),
    DEPUTY_HTTP_THREADS: String(options.http_threads ?? 1),
    DEPUTY_WITNESSES: options.witnesses,
    DEPUTY_TRUSTED_PROXIES: trusted_proxies.join(','),
    DEPUTY_ENGINE: 'off',
    DEPUTY_OUTBOUND_ALLOW: options.outbound_allow,
    DEPUTY_WIDGET_ORIGINS: options.widget_origins?.join(','),
    DEPUTY_L3_PASSKEY: options.l3_passkey ?? 'required',
    ...(options.safety_url !== undefined && {
      DEPUTY_SAFETY_URL: options.safety_url,
      DEPUTY_SAFETY_SECRET_FILE: safetySecretFile(scope),
    }),
    ...(options.mail_port !== undefined && {
      DEPUTY_SMTP_URL: `smtp://127.0.0.1:${options.mail_port}`,
      DEPUTY_MAIL_FROM: 'deputy@example.com',
    }),
    DEPUTY_OIDC_FILE: options.providers && providersFile(scope, options.providers),
    DEPUTY_IDV_FILE: options.idv && identityFile(scope, options.idv),
  })
  // The clock stands still, so the interval is 0 to sign a checkpoint whenever one is requested.
  return { ...config, checkpoint_interval_ms: 0, witness_quorum: options.quorum ?? 0 }
}

/** The secret that signs alerts in tests. */
export const SAFETY_SECRET: Buffer = Buffer.alloc(32, 7)

function safetySecretFile(scope: TestScope): string {
  const file = join(temporaryDirectory(scope), 'safety.secret')
  writeFileSync(file, `whsec_${SAFETY_SECRET.toString('base64')}\n`)
  return file
}

/** Writes the file outside the data directory, where an operator keeps it. */
function providersFile(scope: TestScope, providers: readonly object[]): string {
  const file = join(temporaryDirectory(scope), 'oidc.json')
  writeFileSync(file, JSON.stringify({ providers }))
  return file
}

function identityFile(
  scope: TestScope,
  { providers, secrets = {} }: NonNullable<TestAppOptions['idv']>,
): string {
  const directory = temporaryDirectory(scope)
  for (const [name, text] of Object.entries(secrets))
    writeFileSync(join(directory, name), text, { mode: 0o600 })
  const file = join(directory, 'idv.json')
  writeFileSync(file, JSON.stringify({ providers }))
  return file
}

/** On PostgreSQL the service is a node of a cluster. Here it is the only one. */
function absentPeers(failures: unknown[]) {
  return {
    takeTurn: (work: () => Promise<void>) => work(),
    awaitTurn: (work: () => Promise<void>) => work(),
    notify() {},
    onRolledBack: (cause: Error) => void failures.push(cause),
  }
}

function testLogger(onLog: TestAppOptions['onLog']) {
  return onLog === undefined
    ? pino({ level: 'silent' })
    : pino({ level: 'trace', base: null }, { write: onLog })
}

/**
 * Sends every other request through the listener, like requests from the socket, and the rest directly to Fastify. Both
 * must give the same answers.
 */
function callerInto(app: FastifyInstance) {
  let requests = 0
  return async (
    method: 'GET' | 'POST' | 'DELETE',
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const request = {
      method,
      url,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    }
    requests += 1
    const response = await (requests % 2 === 0 ? app.inject(request) : arriveAt(app, request))
    const isJson = String(response.headers['content-type']).includes('json')
    return {
      status: response.statusCode,
      headers: response.headers,
      body: isJson ? response.json() : response.body,
    }
  }
}
