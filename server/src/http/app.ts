import { randomBytes } from 'node:crypto'
import {
  AuthorityError,
  invalidField,
  type JsonError,
  OAuthError,
  OPERATIONS,
  type Operation,
  type OperationId,
  oauthErrorBody,
  oauthErrorOf,
  readJson,
} from '@deputy/protocol'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { HANDLERS } from '../operations/handlers.ts'
import type { CallEnvelope, Handler, OperationContext } from '../operations/operation-context.ts'
import { FORM_TYPE, readForm } from './form.ts'
import type { Metrics } from './metrics.ts'
import { localRefusal } from './open-access.ts'
import { addPages } from './pages.ts'
import { PROBLEM_TYPE, problemAnswer, refusalOf } from './problem.ts'
import { rateLimiter } from './rate-limit.ts'
import { compileCheck, validationError } from './validation.ts'

const BODY_LIMIT = 1024 * 1024
const MAX_CONNECTIONS = 2_000
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/

export interface AppOptions {
  readonly context: OperationContext
  readonly metrics: Metrics
  readonly logger: FastifyBaseLogger
  readonly rate_limit_per_minute: number
  /** The port callers must name in Host; known only once the server listens. */
  readonly port: () => number
}

/** The whole HTTP face, without a socket: tests inject requests into it. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { context, logger } = options
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    requestIdHeader: false,
    genReqId: ({ headers }) => requestId(headers['x-request-id']),
    // A logger for each request would only repeat its id, which the few lines that are written name themselves.
    childLoggerFactory: (parent) => parent,
    routerOptions: { maxParamLength: 400, ignoreTrailingSlash: false, caseSensitive: true },
    requestTimeout: 15_000,
    keepAliveTimeout: 5_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // Without the second, Node looks at the first and at requestTimeout only twice a minute.
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 2_000 },
    schemaErrorFormatter: (errors, place) =>
      validationError(errors as Parameters<typeof validationError>[0], place),
    frameworkErrors: (error, request, reply) => answerError(error, request, identified(request, reply)),
    clientErrorHandler: answerBrokenHttp,
  })
  app.setValidatorCompiler(({ schema, httpPart }) => compileCheck(schema as object, httpPart ?? 'body'))
  acceptBodies(app)
  addHooks(app, options)
  for (const [id, row] of Object.entries<Operation>(OPERATIONS))
    addOperation(app, id as OperationId, row, context)
  addPages(app, options)
  app.setNotFoundHandler((request, reply) => answerUnrouted(request, reply))
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply))
  app.server.maxConnections = MAX_CONNECTIONS
  await app.ready()
  return app
}

const PROCESS_ID = randomBytes(6).toString('hex')
let requests = 0

/** The id that the caller gave, or one of ours: unique for this process, and this process among all others. */
function requestId(given: unknown): string {
  if (typeof given === 'string' && REQUEST_ID.test(given)) return given
  requests += 1
  return `req_${PROCESS_ID}_${requests.toString(36)}`
}

/** JSON everywhere, except where the row of the operation says form, and there nothing else. */
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

function addHooks(app: FastifyInstance, { context, metrics, port, rate_limit_per_minute }: AppOptions): void {
  const allowance = rateLimiter(rate_limit_per_minute, context.clock)
  const policy = `"caller";q=${rate_limit_per_minute};w=60`

  /** Refuses by returning an error. Hooks with a callback cost no promise, and every request passes here. */
  function admit(request: FastifyRequest, reply: FastifyReply): AuthorityError | undefined {
    const refusal = localRefusal(
      { method: request.method, remote_address: request.socket.remoteAddress, headers: request.headers },
      port(),
    )
    if (refusal !== undefined || rate_limit_per_minute === 0) return refusal
    const { isAllowed, remaining, reset_s } = allowance(request.ip)
    reply.header('ratelimit-policy', policy)
    reply.header('ratelimit', `"caller";r=${remaining};t=${reset_s}`)
    if (isAllowed) return undefined
    reply.header('retry-after', String(reset_s))
    return new AuthorityError('rate_limited')
  }

  app.addHook('onRequest', (request, reply, done) => {
    if (context.isShuttingDown()) reply.header('connection', 'close')
    done(admit(request, identified(request, reply)))
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { config, url } = request.routeOptions
    metrics.onResponse(config.operation ?? 'page', reply.statusCode, reply.elapsedTime)
    request.log.debug(
      { request_id: request.id, method: request.method, path: url, status: reply.statusCode },
      'answered',
    )
    done()
  })
}

/** The headers of every answer, those to addresses that cannot even be read included. */
function identified(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff' })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: string
    form?: boolean
    oauth_errors?: boolean
  }
}

function addOperation(
  app: FastifyInstance,
  id: OperationId,
  row: Operation,
  context: OperationContext,
): void {
  const handler = HANDLERS[id] as Handler<OperationId> // the table pairs each row with the handler of its own type
  const status = row.status ?? 200
  app.route({
    method: row.method,
    url: row.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: {
      operation: id,
      ...(row.form === true && { form: true }),
      ...(row.oauth_errors === true && { oauth_errors: true }),
    },
    // In a form everything is text, as in an address.
    ...(row.form === true && {
      validatorCompiler: ({ schema, httpPart }: { schema: unknown; httpPart?: string }) =>
        compileCheck(schema as object, httpPart === 'body' ? 'form' : (httpPart ?? 'form')),
    }),
    schema: {
      ...(row.params !== undefined && { params: row.params }),
      ...(row.query !== undefined && { querystring: row.query }),
      ...(row.body !== undefined && { body: row.body }),
      ...(row.media_type === undefined && { response: { [status]: row.response } }),
    },
    handler: async (request, reply) => {
      if (row.body === undefined) assertNoBody(request.body)
      if (row.query === undefined) assertNoQuery(request.query)
      const call = {
        params: request.params,
        query: request.query,
        body: request.body,
        ...envelopeOf(id, request, reply),
      } as Parameters<typeof handler>[0] // the schemas of the row have just been checked
      const answer = await handler(call, context)
      reply.code(status)
      if (row.cache_control !== undefined) reply.header('cache-control', row.cache_control)
      if (row.media_type !== undefined) reply.type(row.media_type)
      return answer
    },
  })
}

function envelopeOf(operation_id: OperationId, request: FastifyRequest, reply: FastifyReply): CallEnvelope {
  return {
    caller: 'local',
    origin: `http://${request.host}`,
    operation_id,
    idempotency_key: idempotencyKey(request),
    trace_id: traceId(request),
    onReplay: () => reply.header('idempotency-replayed', 'true'),
  }
}

function idempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key)) {
    throw invalidField('Idempotency-Key', 'must have 1 to 255 printable ASCII characters without blanks')
  }
  return key
}

function traceId({ headers }: FastifyRequest): string | undefined {
  const given = headers.traceparent
  return typeof given === 'string' ? TRACEPARENT.exec(given)?.[1] : undefined
}

/** An empty object says as little as no body; clients that always send JSON send it. */
function assertNoBody(body: unknown): void {
  if (body === undefined) return
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new AuthorityError('invalid_request', 'This operation takes no body.')
  const [name] = Object.keys(body)
  if (name !== undefined)
    throw invalidField(`/${name}`, 'is not a known field. This operation takes no body.')
}

function assertNoQuery(query: unknown): void {
  const [name] = Object.keys(query as object) // Fastify always gives an object
  if (name !== undefined)
    throw invalidField(`?${name}`, 'is not a known parameter. This operation takes none.')
}

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const oauth = request.routeOptions.config?.oauth_errors === true ? oauthRefusal(error) : undefined
  if (oauth !== undefined)
    return reply
      .code(400)
      .header('cache-control', 'no-store')
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(oauthErrorBody(oauth)))
  const { status, retry_after_s, body } = problemAnswer(error, request.id)
  if (refusalOf(error) === undefined)
    request.log.error({ err: error, request_id: request.id }, 'a request hit a bug')
  if (retry_after_s !== undefined && !reply.hasHeader('retry-after'))
    reply.header('retry-after', retry_after_s)
  return reply.code(status).type(PROBLEM_TYPE).send(JSON.stringify(body))
}

function oauthRefusal(error: unknown): OAuthError | undefined {
  if (error instanceof OAuthError) return error
  return error instanceof AuthorityError ? oauthErrorOf(error) : undefined
}

/** Nothing is routed here: either the address is wrong, or only the method is. */
function answerUnrouted(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?')[0] ?? ''
  const methods = methodsAt(path)
  if (methods.length === 0)
    return answerError(
      new AuthorityError(
        'not_found',
        `There is nothing at ${request.method} ${printable(path)}. See /docs for every address.`,
      ),
      request,
      reply,
    )
  reply.header('allow', methods.join(', '))
  return answerError(
    new AuthorityError(
      'method_not_allowed',
      `${printable(path)} takes ${methods.join(' or ')}, not ${request.method}.`,
    ),
    request,
    reply,
  )
}

function printable(path: string): string {
  return path.slice(0, 120).replaceAll(/[^\x21-\x7e]/g, '?')
}

function methodsAt(path: string): string[] {
  const parts = path.split('/')
  const rows = Object.values<Operation>(OPERATIONS).filter((row) => {
    const pattern = row.path.split('/')
    return (
      pattern.length === parts.length &&
      pattern.every((part, index) => part.startsWith('{') || part === parts[index])
    )
  })
  return [...new Set(rows.map((row) => row.method))].sort()
}

/** For bytes that are no HTTP at all there is no request to answer, only a socket. */
function answerBrokenHttp(error: Error & { code?: string }, socket: import('node:net').Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [status, reason] = BROKEN_HTTP[error.code ?? ''] ?? [
    '400 Bad Request',
    'The bytes received are not valid HTTP.',
  ]
  const body = JSON.stringify({
    type: 'about:blank',
    title: reason,
    status: Number.parseInt(status, 10),
    detail: reason,
  })
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: ${PROBLEM_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

const BROKEN_HTTP: Readonly<Record<string, readonly [string, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The headers are larger than the service accepts.',
  ],
}
