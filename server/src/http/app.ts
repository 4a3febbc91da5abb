import { randomBytes } from 'node:crypto'
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
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { OperationContext } from '../operations/operation-context.ts'
import { answerBrokenHttp, answerError, answerUnrouted } from './answers.ts'
import { type AuthenticationOptions, addAuthentication } from './authenticate.ts'
import { limitConnections } from './connections.ts'
import { addPreflights } from './cross-origin.ts'
import { addDashboard, readDashboard } from './dashboard.ts'
import { FORM_TYPE, readForm } from './form.ts'
import { localNameAddress } from './local-name.ts'
import { addMessageCallbacks } from './message-callbacks.ts'
import type { Metrics } from './metrics.ts'
import { addPages } from './pages.ts'
import { addPeoplePages } from './people-pages.ts'
import { addProviderCallbacks } from './provider-callbacks.ts'
import { addOperation } from './routes.ts'
import { addSandboxPages } from './sandbox-pages.ts'
import { lazySerializer } from './serialization.ts'
import { addSetupPage } from './setup-page.ts'
import { addSignInPages } from './sign-in-pages.ts'
import { namesOf } from './trace-id.ts'
import { lazyValidator, validationError } from './validation.ts'
import { addVerifyMePage } from './verify-me-page.ts'
import { addWidgetScript } from './widget-script.ts'

const BODY_LIMIT = 1024 * 1024
const MAX_CONNECTIONS = 4_000
/** A connection on which nothing moves is closed: its client does not read. Longer than any call waits for a decision. */
const SILENCE_MS = 60_000
/**
 * Longer than load balancers keep an idle connection (most for a minute), so that they close it, not the service: a request
 * that is on its way when the service closes is lost.
 */
const IDLE_MS = 72_000
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

export interface AppOptions {
  readonly context: OperationContext
  readonly metrics: Metrics
  readonly logger: FastifyBaseLogger
  readonly rate_limit_per_minute: number
  readonly connection_limit: number
  readonly trusted_proxies: readonly string[]
  /** The port that callers must name in Host; known only once the server listens. */
  readonly port: () => number
}

/** The HTTP server with every route, not listening: tests inject requests into it. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  assertEveryOperationHasAccess()
  const app = newServer(options)
  app.setValidatorCompiler(({ schema, httpPart }) => lazyValidator(schema as object, httpPart ?? 'body'))
  app.setSerializerCompiler(({ schema }) => lazySerializer(schema))
  acceptBodies(app)
  addHooks(app, options)
  const { onRefusal } = addAuthentication(app, authenticationOptions(options))
  for (const [id, row] of Object.entries<Operation>(OPERATIONS))
    addOperation(app, id as OperationId, row, options)
  addPreflights(app)
  addPages(app, options)
  addDashboard(app, { ...options.context, build: readDashboard() })
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
  limitConnections(app.server, {
    per_address: options.connection_limit,
    total: Math.max(MAX_CONNECTIONS, options.connection_limit),
    trusted_proxies: options.trusted_proxies,
  })
  await app.ready()
  return app
}

function newServer({ logger, trusted_proxies }: AppOptions) {
  return fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    requestIdHeader: false,
    genReqId: ({ headers }) => requestId(headers['x-request-id']),
    // A logger per request would only add its id, and the few lines that are written name it themselves.
    childLoggerFactory: (parent) => parent,
    routerOptions: { maxParamLength: 400, ignoreTrailingSlash: false, caseSensitive: true },
    trustProxy: trusted_proxies.length === 0 ? false : [...trusted_proxies],
    requestTimeout: 15_000,
    connectionTimeout: SILENCE_MS,
    keepAliveTimeout: IDLE_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // Without the interval, Node checks headersTimeout and requestTimeout only twice a minute.
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 2_000 },
    schemaErrorFormatter: (errors, place) =>
      validationError(errors as Parameters<typeof validationError>[0], place),
    frameworkErrors: (error, request, reply) => answerError(error, request, withRequestId(request, reply)),
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

/** Deny by default: the service does not start when an operation has no row in the access table. */
function assertEveryOperationHasAccess(): void {
  const { missing, idle } = accessGaps()
  if (missing.length + idle.length > 0)
    throw new Error(
      `the access table lacks rows for: ${missing.join(', ') || 'none'}; it has rows without an operation: ${idle.join(', ') || 'none'}`,
    )
}

const PROCESS_ID = randomBytes(6).toString('hex')
let requests = 0

/** The caller's own request id, or a new one that is unique across processes. */
function requestId(given: unknown): string {
  if (typeof given === 'string' && REQUEST_ID.test(given)) return given
  requests += 1
  return `req_${PROCESS_ID}_${requests.toString(36)}`
}

/** Operations accept JSON, except those whose row says form: they accept a form only. */
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
      if ((request.routeOptions.config.form === true) !== isForm)
        throw new AuthorityError('unsupported_media_type')
      done(null, read(body))
    } catch (error) {
      done(error as JsonError | AuthorityError) // the readers throw nothing else
    }
  }
}

/** One year. Browsers then refuse to reach this host over plain http, where a session could be taken. */
const HSTS = 'max-age=31536000'

function addHooks(app: FastifyInstance, { context, metrics }: AppOptions): void {
  const isSecure = context.public_url().startsWith('https:')
  app.addHook('onRequest', (request, reply, done) => {
    withRequestId(request, reply)
    if (isSecure) reply.header('strict-transport-security', HSTS)
    if (context.isShuttingDown()) reply.header('connection', 'close')
    const elsewhere = localNameAddress(request, context.public_url)
    if (elsewhere === undefined) done()
    else reply.header('cache-control', 'no-store').redirect(elsewhere)
  })
  // Without a route nothing says which bodies are accepted, so the body of such a request is not read.
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.is404) answerUnrouted(request, reply)
    else done(null, payload)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { config, url } = request.routeOptions
    metrics.onResponse(config.operation ?? 'page', reply.statusCode, reply.elapsedTime)
    // The line is made only for those who read it: this is done for every request.
    if (request.log.level === 'debug' || request.log.level === 'trace')
      request.log.debug(
        { ...namesOf(request), method: request.method, path: url, status: reply.statusCode },
        'request answered',
      )
    done()
  })
}

/** Sets the headers of every answer, including those to malformed addresses. */
function withRequestId(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff' })
}
