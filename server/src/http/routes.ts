import {
  AuthorityError,
  type DownloadAnswer,
  invalidField,
  type Lane,
  mayOmitBody,
  type Operation,
  type OperationId,
} from '@deputize/protocol'
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import type { ValidatedInput } from '../access/authorize-caller.ts'
import type { KeyedAccess } from '../access/keyed-access.ts'
import { HANDLERS } from '../operations/handlers.ts'
import type { Handler, OperationCall, OperationContext } from '../operations/operation-context.ts'
import { assertGrantType } from '../operations/tokens/exchange-token.ts'
import type { ArrivedRequest } from './arrived-request.ts'
import { callEnvelope } from './call-envelope.ts'
import { sendDownload } from './downloads.ts'
import { sendEventStream, wantsEventStream } from './event-stream.ts'
import { isIdempotencyKey } from './idempotency-key.ts'
import { isPaged, namedAnswer, ownQuery } from './list-cursors.ts'
import { loadConfigOf } from './load/load-shedding.ts'
import { lazyValidator } from './validation.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: string
    form?: boolean
    /** A page that requires a credential. */
    guarded?: boolean
    /** A page for people who have signed in. Others are sent to the sign-in page. */
    visit?: boolean
    /** A script that pages of any site may load. */
    for_other_sites?: boolean
    /** An operation that pages of the sites in DEPUTY_WIDGET_ORIGINS may call. */
    cross_origin?: boolean
    oauth_errors?: boolean
    lane?: Lane
  }
}

export interface OperationRouteOptions {
  readonly context: OperationContext
}

/** Adds the route of one row of the operations table. */
export function addOperation(
  app: FastifyInstance,
  id: OperationId,
  row: Operation,
  { context }: OperationRouteOptions,
): void {
  const { keyed } = context.accessControl
  const handler = HANDLERS[id] as Handler<OperationId> // the table pairs each row with the handler of its own type
  const status = row.status ?? 200
  const hasPages = isPaged(row)
  app.route({
    ...routeOf(id, row),
    handler: async (request, reply) => {
      if (row.body === undefined) assertNoBody(request.body)
      if (row.query === undefined) assertNoQuery(request.query)
      const { params, body } = request
      const query = hasPages ? ownQuery(id, request.query) : request.query
      const input = { params, query, body }
      const call = {
        ...input,
        stepped_up: keyed !== undefined && (await isConfirmed(id, input, request, keyed)),
        idempotency_key: idempotencyKey(request),
        ...callEnvelope(id, request, reply, context),
      } as Parameters<typeof handler>[0] // the schemas of the row have just been checked
      if (row.event_stream === true && wantsEventStream(request))
        return sendEventStream(call as OperationCall<'listEvents'>, request, reply, context) // the only such row
      const answer: unknown = await handler(call, context)
      reply.code(status)
      if (row.streams !== undefined) return sendDownload(answer as DownloadAnswer, request, reply) // as the row says
      if (row.cache_control !== undefined) reply.header('cache-control', row.cache_control)
      if (row.media_type !== undefined) reply.type(row.media_type)
      return hasPages ? namedAnswer(id, answer) : answer
    },
  })
}

type RowRoute = Omit<RouteOptions, 'handler'>

const routes = new Map<OperationId, RowRoute>()

/** Returns the part of a route that depends only on its row. Made once, however many servers this process builds. */
function routeOf(id: OperationId, row: Operation): RowRoute {
  const known = routes.get(id)
  if (known !== undefined) return known
  const route = newRoute(id, row)
  routes.set(id, route)
  return route
}

function newRoute(id: OperationId, row: Operation): RowRoute {
  const { rest } = row
  return {
    method: row.method,
    url: urlOf(row),
    ...(row.max_body_bytes !== undefined && { bodyLimit: row.max_body_bytes }),
    ...(rest !== undefined && { preValidation: nameRest(rest) }),
    ...(mayOmitBody(row) && { preValidation: fillBody }),
    ...(id === 'exchangeToken' && { preValidation: checkGrantType }),
    config: {
      operation: id,
      ...(row.form === true && { form: true }),
      ...(row.oauth_errors === true && { oauth_errors: true }),
      ...(row.cross_origin === true && { cross_origin: true }),
      ...(row.max_body_bytes !== undefined && { large_body_bytes: row.max_body_bytes }),
      ...(row.lane !== undefined && { lane: row.lane }),
      ...loadConfigOf(id, row),
    },
    // In a form every value is text, as in a query.
    ...(row.form === true && {
      validatorCompiler: ({ schema, httpPart }: { schema: unknown; httpPart?: string }) =>
        lazyValidator(schema as object, httpPart === 'body' ? 'form' : (httpPart ?? 'form')),
    }),
    schema: {
      ...(row.params !== undefined && { params: row.params }),
      ...(row.query !== undefined && { querystring: row.query }),
      ...(row.body !== undefined && { body: row.body }),
      ...(row.media_type === undefined &&
        row.streams === undefined &&
        row.event_stream === undefined && { response: { [row.status ?? 200]: row.response } }),
    },
  }
}

/** Throws if the caller may not make the call. Otherwise returns whether the person has confirmed it with a passkey. */
export async function isConfirmed(
  id: OperationId,
  input: ValidatedInput,
  { caller, credentials }: Pick<ArrivedRequest, 'caller' | 'credentials'>,
  keyed: KeyedAccess,
): Promise<boolean> {
  if (credentials === undefined) return false
  await keyed.authorize(caller, id, input, credentials.presented_token)
  return keyed.confirm(caller, id, input, credentials.grant)
}

/** Returns the path in the router's syntax. */
export function urlOf({ path, rest }: Operation): string {
  const open = rest === undefined ? path : path.replace(`{${rest}}`, '*')
  return open.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** Renames the rest of the path from `*` to its name in the table. */
function nameRest(rest: string): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const { '*': remaining, ...params } = request.params as Record<string, string> // path parameters are strings
    request.params = { ...params, [rest]: remaining }
  }
}

async function fillBody(request: FastifyRequest): Promise<void> {
  if (request.body === undefined) request.body = {}
}

async function checkGrantType({ body }: FastifyRequest): Promise<void> {
  const { grant_type } = (body ?? {}) as Readonly<Record<string, string>> // a form, whose values are text
  if (grant_type !== undefined) assertGrantType(grant_type)
}

function idempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (!isIdempotencyKey(key))
    throw invalidField('Idempotency-Key', 'must be 1 to 255 printable ASCII characters without spaces')
  return key
}

/** Accepts an empty object, which clients that always send JSON use for no body. */
function assertNoBody(body: unknown): void {
  if (body === undefined) return
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new AuthorityError('invalid_request', 'This operation accepts no body.')
  const [name] = Object.keys(body)
  if (name !== undefined)
    throw invalidField(`/${name}`, 'is not a known field. This operation accepts no body.')
}

function assertNoQuery(query: unknown): void {
  const [name] = Object.keys(query as object) // Fastify always passes an object
  if (name !== undefined)
    throw invalidField(`?${name}`, 'is not a known parameter. This operation accepts no query parameters.')
}
