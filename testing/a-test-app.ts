import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeBase64 } from '@deputize/protocol'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { type AccessControl, openAccessControl } from '../server/src/access/access-control.ts'
import { type Clerk, clerk } from '../server/src/clerk/clerk.ts'
import { runBatch } from '../server/src/clerk/run-batch.ts'
import { VERSION } from '../server/src/deputy.ts'
import { buildApp } from '../server/src/http/app.ts'
import { metrics } from '../server/src/http/metrics.ts'
import { CALLBACK_PATH } from '../server/src/http/sign-in-pages.ts'
import { openKeyRing } from '../server/src/keys/key-ring.ts'
import { openCheckpointSigner } from '../server/src/log/checkpoint-signer.ts'
import { checkpointFile } from '../server/src/log/guard.ts'
import { logTree } from '../server/src/log/tree.ts'
import type { OperationContext } from '../server/src/operations/operation-context.ts'
import { outbound } from '../server/src/outbound/outbound.ts'
import { loadPolicies } from '../server/src/policies/load-policies.ts'
import type { ReadStore } from '../server/src/store/port.ts'
import type { Row } from '../server/src/store/values.ts'
import { signOn } from '../server/src/verification/oidc.ts'
import type { Provider } from '../server/src/verification/providers.ts'
import { isOnPostgres, someStores } from './test-stores.ts'

/** Anything with an `after` hook: a test, or a whole file of them. */
export interface Scope {
  after(clean: () => void | Promise<void>): void
}

export function temporaryDirectory(scope: Scope): string {
  const directory = mkdtempSync(join(tmpdir(), 'deputy-'))
  scope.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** The key of vaults that only tests open. */
export const TEST_VAULT_KEY: Uint8Array = new Uint8Array(32).fill(7)

/** A clock that stands still until it is moved. */
export interface ManualClock {
  (): number
  advance(ms: number): void
}

export function manualClock(start = Date.parse('2027-01-01T00:00:00Z')): ManualClock {
  let now_ms = start
  return Object.assign(() => now_ms, {
    advance(ms: number) {
      now_ms += ms
    },
  })
}

/** The address of the service that tests inject requests into. */
export const TEST_URL = 'http://localhost'

export interface TestApp {
  readonly app: FastifyInstance
  /** What the operations work with. */
  readonly context: OperationContext
  /** Opens a socket, for what has to come from another program; from then on nothing can be injected. */
  listen(host_name?: string): Promise<string>
  readonly clock: ManualClock
  readonly directory: string
  readonly accessControl: AccessControl
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  delete(path: string, headers?: Record<string, string>): Promise<Answer>
  /** The reading side of the store; it closes with the service. */
  readonly reader: ReadStore
  /** What a query finds in the store, seen from outside the service. */
  rows(sql: string): Promise<Row[]>
  /** Changes what is stored behind the back of the service. */
  damage(sql: string): Promise<void>
  /** How many leaves the log has. */
  logSize(): Promise<number>
  /** The texts of the log, oldest first. */
  leafTexts(): Promise<string[]>
  /** Has the clerk carry a command out, for what no operation asks for. */
  submit: Clerk['submit']
  /** Expires what is overdue, as the running service does every few seconds. */
  sweep(): Promise<void>
}

export interface Answer {
  readonly status: number
  readonly headers: Record<string, unknown>
  // Tests look into answers freely; a wrong guess fails the test.
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test asserts
  readonly body: any
}

/** The whole service on a real store of the kind that the environment names, with a clock that the test moves; requests are injected. */
export async function aTestApp(
  scope: Scope,
  options: {
    rate_limit?: number
    queue_limit?: number
    quorum?: number
    database_url?: string
    access?: 'open' | 'keyed'
    /** Who people sign on with. */
    providers?: readonly Provider[]
    clock?: ManualClock
    trusted_proxies?: readonly string[]
    /** How many proofs of possession are told apart at most. */
    proof_limit?: number
    /** Hears what the service writes to its log. */
    onLog?: (line: string) => void
  } = {},
): Promise<TestApp> {
  const directory = temporaryDirectory(scope)
  const clock = options.clock ?? manualClock()
  const keys = openKeyRing(directory, clock(), true)
  const { instance, vault_key } = keys
  const stores = await someStores({
    directory,
    instance,
    vault_key,
    clock,
    database_url: options.database_url,
  })
  const { writer: store, reader, rows, damage } = stores
  const failures: unknown[] = []
  const desk = clerk((commands) => runBatch(store, commands, (cause) => failures.push(cause)), {
    queue_limit: options.queue_limit ?? 10_000,
    batch_limit: 512,
    batches_in_flight: 1,
  })
  const checkpointSigner = await openCheckpointSigner({
    reader: reader.log,
    guard: checkpointFile(join(directory, 'checkpoint')),
    ...keys.log,
    clock,
    interval_ms: 0, // whoever asks gets a checkpoint at once, however still the clock stands
    keep: ({ root, ...checkpoint }) =>
      desk.submit({ kind: 'keep_checkpoint', root: encodeBase64(root), ...checkpoint }),
    cosign: undefined,
    quorum: options.quorum ?? 0,
    onTrouble: (cause) => (options.quorum === undefined ? failures.push(cause) : undefined),
  })
  let port = 80
  let host_name = '127.0.0.1'
  const public_url = () => (port === 80 ? TEST_URL : `http://${host_name}:${port}`)
  const mode = options.access ?? 'open'
  const issuer = mode === 'open' ? `urn:deputy:open:${keys.instance}` : TEST_URL
  const accessControl = await openAccessControl({
    mode,
    public_url,
    issuer,
    reader,
    ephemeral: stores.ephemeral,
    keys,
    clock,
    is_alone: !isOnPostgres,
    ...(options.proof_limit !== undefined && { proof_limit: options.proof_limit }),
  })
  const context: OperationContext = {
    accessControl,
    clerk: desk,
    reader,
    ephemeral: stores.ephemeral,
    keys,
    signOn: signOn({
      providers: options.providers ?? [],
      callFor: () => outbound({ allow_loopback: true }),
      clock,
      redirect_uri: () => `${public_url()}${CALLBACK_PATH}`,
    }),
    public_url,
    tree: logTree(reader.log),
    checkpointSigner,
    clock,
    issuer,
    access: mode,
    version: VERSION,
    policies: loadPolicies(),
    statusIndexes: counter(),
    approval_ttl_ms: 3_600_000,
    pending_ttl_ms: 900_000,
    isShuttingDown: () => false,
  }
  const app = await buildApp({
    context,
    metrics: metrics(() => desk.waiting()),
    logger:
      options.onLog === undefined
        ? pino({ level: 'silent' })
        : pino({ level: 'trace', base: null }, { write: options.onLog }),
    rate_limit_per_minute: options.rate_limit ?? 0,
    trusted_proxies: options.trusted_proxies ?? [],
    port: () => port,
  })
  scope.after(async () => {
    await app.close()
    await checkpointSigner.close()
    await desk.drain()
    await stores.close()
    if (failures.length > 0) throw failures[0]
  })

  async function call(
    method: 'GET' | 'POST' | 'DELETE',
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await app.inject({
      method,
      url,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const isJson = String(response.headers['content-type']).includes('json')
    return {
      status: response.statusCode,
      headers: response.headers,
      body: isJson ? response.json() : response.body,
    }
  }

  return {
    app,
    context,
    clock,
    directory,
    accessControl,
    async listen(name = host_name) {
      const address = await app.listen({ host: '127.0.0.1', port: 0 })
      port = Number(new URL(address).port)
      host_name = name
      return public_url()
    },
    get: (path) => call('GET', path),
    post: (path, body, headers) => call('POST', path, body, headers),
    delete: (path, headers) => call('DELETE', path, undefined, headers),
    reader,
    rows,
    damage,
    logSize: async () => Number((await rows('SELECT count(*) AS size FROM leaves'))[0]?.size),
    leafTexts: async () =>
      (await rows('SELECT leaf FROM leaves ORDER BY log_index')).map(({ leaf }) => String(leaf)),
    submit: desk.submit,
    async sweep() {
      await desk.submit({ kind: 'sweep', limit: 500 })
    },
  }
}

/** Numbers from 0 on, each once. */
export function counter(): { next(): number } {
  let next = 0
  return { next: () => next++ }
}

/** A request for a token that is valid as it stands. */
export function anIssueRequest(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    developer_email: 'dev@example.com',
    agent_id: 'calendar-bot',
    resources: ['calendar:events', 'email:read'],
    actions: ['read', 'write'],
    ...changes,
  }
}
