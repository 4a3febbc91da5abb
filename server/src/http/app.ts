import type { RequestListener, Server } from 'node:http'
import {
  AuthorityError,
  accessGaps,
  type JsonError,
  OPERATIONS,
  type Operation,
  type OperationId,
  readJson,
} from '@deputize/protocol'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { OperationContext } from '../operations/operation-context.ts'
import { answerBrokenHttp, answerError, answerUnrouted, logAnswer } from './answers.ts'
import { HEAD_MS, IDLE_MS, SILENCE_MS } from './connections/connection-times.ts'
import { limitConnections } from './connections/connections.ts'
import { drain } from './connections/drain.ts'
import { handedOverRefusal } from './connections/handed-over.ts'
import { handleInTurn } from './connections/in-turn.ts'
import { FORM_TYPE, readForm } from './form.ts'
import { type Fronts, type FrontsOptions, openFronts } from './fronts/fronts.ts'
import { openOwnFront } from './fronts/own-front.ts'
import { takeConnections } from './fronts/take-connections.ts'
import { type AuthenticationOptions, addAuthentication } from './guard/authenticate.ts'
import { addPreflights } from './guard/cross-origin.ts'
import { localNameAddress } from './guard/local-name.ts'
import { leanPath } from './lean/lean-path.ts'
import { leanPatterns } from './lean/lean-routes.ts'
import { limitLargeBodies } from './load/large-bodies.ts'
import { LoadShedder, shedLoad } from './load/load-shedding.ts'
import type { Metrics } from './metrics.ts'
import { addDashboard, ownDashboard } from './pages/dashboard.ts'
import { addMessageCallbacks } from './pages/message-callbacks.ts'
import { addPages } from './pages/pages.ts'
import { addProviderCallbacks } from './pages/provider-callbacks.ts'
import { addSandboxPages } from './pages/sandbox-pages.ts'
import { addSetupPage } from './pages/setup-page.ts'
import { addVerifyMePage } from './pages/verify-me-page.ts'
import { addWidgetScript } from './pages/widget-script.ts'
import { addPeoplePages } from './people/people-pages.ts'
import { addSignInPages } from './people/sign-in-pages.ts'
import { requestId } from './request-id.ts'
import { addOperation } from './routes.ts'
import { lazySerializer } from './serialization.ts'
import { namingHeaders, standingHeaders } from './standing-headers.ts'
import { lazyValidator, validationError } from './validation.ts'

const BODY_LIMIT = 1024 * 1024

export interface AppOptions {
  readonly context: OperationContext
  readonly metrics: Metrics
  readonly logger: FastifyBaseLogger
  readonly rate_limit_per_minute: number
  readonly longest_wait_ms: number
  /** Maximum number of connections from one address. */
  readonly connection_limit: number
  /** Maximum number of connections from all addresses. */
  readonly most_connections: number
  readonly trusted_proxies: readonly string[]
  /** The port that callers must name in Host; known only once the server listens. */
  readonly port: () => number
}

/** The HTTP server with every route, not yet listening. Tests inject requests into it. */
export interface BuiltApp {
  readonly app: FastifyInstance
  /** Starts threads that listen in its place. */
  openFronts(place: Pick<FrontsOptions, 'threads' | 'host' | 'port'>): Promise<Fronts>
  /** Stops it without cutting off a request. */
  drain(): Promise<void>
}

export async function buildApp(options: AppOptions): Promise<BuiltApp> {
  assertEveryOperationHasAccess()
  const app = newServer(options)
  app.setValidatorCompiler(({ schema, httpPart }) => lazyValidator(schema as object, httpPart ?? 'body'))
  app.setSerializerCompiler(({ schema }) => lazySerializer(schema))
  acceptBodies(app)
  addHooks(app, options)
  const shedder = new LoadShedder({
    longest_wait_ms: options.longest_wait_ms,
    storeWaitMs: () => options.context.clerk.expectedWaitMs(),
    onShed: options.metrics.onShed,
  })
  shedLoad(app, shedder)
  const { onRefusal, leanGuard: guard } = addAuthentication(app, authenticationOptions(options))
  limitLargeBodies(app, BODY_LIMIT)
  for (const [id, row] of Object.entries<Operation>(OPERATIONS))
    addOperation(app, id as OperationId, row, options)
  addPreflights(app)
  addPages(app, options)
  const { access, node } = options.context
  addDashboard(app, { version: node.version, access, build: ownDashboard() })
  addSignInPages(app, options)
  addPeoplePages(app, options)
  addSetupPage(app, options)
  addWidgetScript(app, options)
  addVerifyMePage(app)
  addProviderCallbacks(app, options)
  addMessageCallbacks(app, options)
  addSandboxPages(app, options)
  app.setNotFoundHandler((request, reply) => answerUnrouted(request, reply))
  app.setErrorHandler((error, request, reply) =>
    answerError(onRefusal(error, request, reply), request, reply),
  )
  const lean = leanPath({ ...options, guard, shedder, fastify: app.routing })
  putInFront(app.server, lean.listener)
  const connections = limitConnections(app.server, {
    per_address: options.connection_limit,
    total: options.most_connections,
    trusted_proxies: options.trusted_proxies,
  })
  const { server } = app
  const readRequests = takeConnections(server)
  handleInTurn(server)
  const front = openOwnFront({ server, connections, lean, readRequests })
  await app.ready()
  return {
    app,
    openFronts: (place) =>
      openFronts({ ...place, server, connections, lean, readRequests, calls: leanPatterns() }),
    drain: () => drain(app, front),
  }
}

/** Puts the listener in front of Fastify, which gets the requests that the listener doesn't answer. */
function putInFront(server: Server, listener: RequestListener): void {
  server.removeAllListeners('request')
  server.on('request', listener)
}

function newServer({ logger, trusted_proxies }: AppOptions) {
  return fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    requestIdHeader: false,
    genReqId: ({ headers }) => requestId(headers['x-request-id']),
    // A logger per request would only add its id, which the few lines that are logged include anyway.
    childLoggerFactory: (parent) => parent,
    routerOptions: { maxParamLength: 400, ignoreTrailingSlash: false, caseSensitive: true },
    trustProxy: trusted_proxies.length === 0 ? false : [...trusted_proxies],
    requestTimeout: 15_000,
    connectionTimeout: SILENCE_MS,
    keepAliveTimeout: IDLE_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // Without the interval, Node checks headersTimeout and requestTimeout only twice a minute.
    http: { headersTimeout: HEAD_MS, connectionsCheckingInterval: 2_000 },
    schemaErrorFormatter: (errors, place) =>
      validationError(errors as Parameters<typeof validationError>[0], place),
    frameworkErrors: (error, request, reply) =>
      answerError(error, request, reply.headers(namingHeaders(request.id))),
    clientErrorHandler: answerBrokenHttp,
  })
}

function authenticationOptions({ context, metrics, logger, ...options }: AppOptions): AuthenticationOptions {
  return {
    ...options,
    keyed: context.accessControl.keyed,
    public_url: context.public_url,
    clock: context.clock,
    cross_origin: context,
    countRefusal: (call) => context.accessControl.securityEvents.note(call),
    onSecurityEvent(event) {
      metrics.onSecurityEvent(event.code)
      logger.warn({ security: event }, 'access denied: caller attempted an operation outside its permissions')
    },
  }
}

/** Throws if an operation has no row in the access table, or a row has no operation: the service denies by default. */
function assertEveryOperationHasAccess(): void {
  const { missing, idle } = accessGaps()
  if (missing.length + idle.length > 0)
    throw new Error(
      `the access table lacks rows for: ${missing.join(', ') || 'none'}; it has rows without an operation: ${idle.join(', ') || 'none'}`,
    )
}

/** Accepts JSON only, and for operations whose row says `form`, a form only. */
function acceptBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(FORM_TYPE, { parseAs: 'buffer' }, bodyParser(true, readForm))
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, bodyParser(false, readJson))
}

function bodyParser(isForm: boolean, read: (body: Buffer) => unknown) {
  return (
    request: FastifyRequest,
    body: Buffer,
    done: (error: Error | null, body?: unknown) => void,
  ): void => {
    try {
      const { form = false } = request.routeOptions.config
      if (form !== isForm) throw new AuthorityError('unsupported_media_type')
      assertPlain(request.headers['content-encoding'])
      if (body.length === 0 && !isForm) throw emptyBody()
      done(null, read(body))
    } catch (error) {
      done(error as JsonError | AuthorityError) // the readers throw nothing else
    }
  }
}

function emptyBody(): AuthorityError {
  return new AuthorityError(
    'malformed_json',
    'The body is empty. Send a JSON object. A request without a body needs no Content-Type.',
  )
}

function assertPlain(encoding: string | undefined): void {
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return
  throw new AuthorityError(
    'unsupported_media_type',
    'The body must not be compressed. Send it without the header Content-Encoding.',
  )
}

function addHooks(app: FastifyInstance, { context, metrics }: AppOptions): void {
  const headersOf = standingHeaders(context)
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headersOf(request.id))
    const refused = handedOverRefusal(request.raw)
    if (refused !== undefined) {
      request.caller = refused.request.caller
      request.credentials = refused.request.credentials
      reply.headers(refused.headers)
      return done(refused.error as Error) // the error handler takes any thrown value
    }
    const elsewhere = localNameAddress(request, context.public_url)
    if (elsewhere === undefined) done()
    else reply.header('cache-control', 'no-store').redirect(elsewhere)
  })
  // Without a route it is unknown which bodies are accepted, so the body isn't read.
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.is404) answerUnrouted(request, reply)
    else done(null, payload)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { config, url } = request.routeOptions
    const started_ms = handedOverRefusal(request.raw)?.started_ms
    const duration_ms = started_ms === undefined ? reply.elapsedTime : performance.now() - started_ms
    metrics.onResponse(config.operation ?? 'page', reply.statusCode, duration_ms)
    logAnswer(request.log, request, url, reply.statusCode)
    done()
  })
}
