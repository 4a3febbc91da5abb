import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { readJson } from '@deputize/protocol'
import type { FastifyBaseLogger } from 'fastify'
import { PUBLIC_CALLER } from '../access/caller.ts'
import type { CallEnvelope, OperationContext } from '../operations/operation-context.ts'
import { logAnswer } from './answers.ts'
import type { AnswerHeaders, ArrivedRequest } from './arrived-request.ts'
import type { LeanGuard } from './authenticate.ts'
import { handOverRefusal } from './handed-over.ts'
import { type LeanMatch, type LeanRoute, leanRoutes } from './lean-routes.ts'
import type { LoadShedder } from './load-shedding.ts'
import type { Metrics } from './metrics.ts'
import { isPlainRequest } from './plain-request.ts'
import { requestId } from './request-id.ts'
import { isConfirmed } from './routes.ts'
import { standingHeaders } from './standing-headers.ts'
import { traceId } from './trace-id.ts'

export interface LeanPathOptions {
  readonly context: OperationContext
  readonly metrics: Metrics
  readonly logger: FastifyBaseLogger
  readonly guard: LeanGuard
  readonly shedder: LoadShedder
  /** Takes the request over. */
  readonly fastify: RequestListener
}

/** A request that nothing unusual was found about so far. */
interface LeanCall extends LeanMatch {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly started_ms: number
  /** Headers of the answer beside those that every answer has. */
  readonly headers: Record<string, string>
}

/**
 * Answers the most frequent calls without Fastify, with the same guards, limits, readers, validators, handlers and
 * serializers. Everything unusual goes to Fastify: a request that was not counted yet as it arrived, to be judged from the
 * beginning, and a call that was refused with its refusal, to be answered. So every refusal is written in one place.
 */
export function leanPath(options: LeanPathOptions): RequestListener {
  const { guard, shedder, fastify } = options
  const find = leanRoutes()
  const lean = answering(options)
  return (request, response) => {
    const started_ms = performance.now()
    const found = find(request.method, request.url)
    if (found === undefined) return void fastify(request, response)
    // Before anything else is read of it: under load, most calls end here.
    if (!shedder.admits(found.route.load_rank, request, response)) return
    if (!isPlainRequest(request, found.route.has_body) || !guard.isWelcome(request))
      return void fastify(request, response)
    const call = { ...found, request, response, started_ms, headers: {} }
    if (found.route.has_body) request.once('readable', () => lean.readBody(call))
    else lean.answerWithoutBody(call)
  }
}

function answering({ context, metrics, logger, guard, fastify }: LeanPathOptions) {
  const headersOf = standingHeaders(context)
  const { keyed } = context.accessControl

  /** A body that has not arrived as a whole with its first bytes goes to Fastify, which waits for the rest. */
  function readBody(call: LeanCall): void {
    const { request, response, route, params } = call
    const bytes: Buffer | null = request.read(Number(request.headers['content-length']))
    if (bytes === null) return void fastify(request, response)
    const body = jsonIn(bytes)
    if (body !== undefined && route.accepts(params, body)) return void answer(call, body)
    // Bytes can be put back until the end of the body is announced, which is after this turn.
    request.unshift(bytes)
    fastify(request, response)
  }

  function answerWithoutBody(call: LeanCall): void {
    if (call.route.accepts(call.params, undefined)) void answer(call, undefined)
    else fastify(call.request, call.response)
  }

  /** Admits the call, carries it out and answers it. From here on nobody else may do so. */
  async function answer(call: LeanCall, body: unknown): Promise<void> {
    const { request, response, route, headers, started_ms } = call
    const arrived = arrivedRequest(call)
    try {
      const admitting = guard.admit(arrived, answerHeaders(headers))
      if (admitting !== undefined) await admitting
      const input = { params: call.params, query: {}, body }
      const stepped_up = keyed !== undefined && (await isConfirmed(route.id, input, arrived, keyed))
      const envelope = { stepped_up, caller: arrived.caller, ...envelopeOf(call, context) }
      const handlerCall = { ...input, ...envelope } as Parameters<LeanRoute['handler']>[0] // as the schemas of the row say
      send(call, route.serialize(await route.handler(handlerCall, context)))
    } catch (error) {
      handOverRefusal(request, { error, request: arrived, headers, started_ms })
      fastify(request, response)
    }
  }

  function send({ request, response, route, headers, started_ms }: LeanCall, text: string): void {
    const request_id = requestId(request.headers['x-request-id'])
    const { id, status, cache_control } = route
    const length = String(Buffer.byteLength(text))
    response.writeHead(status, {
      ...headersOf(request_id),
      ...headers,
      ...(cache_control !== undefined && { 'cache-control': cache_control }),
      'content-type': 'application/json; charset=utf-8',
      'content-length': length,
    })
    response.end(text)
    metrics.onResponse(id, status, performance.now() - started_ms)
    logAnswer(logger, { id: request_id, headers: request.headers, method: route.method }, route.url, status)
  }

  return { readBody, answerWithoutBody }
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return readJson(bytes)
  } catch {
    return undefined
  }
}

function arrivedRequest({ request, route }: LeanCall): ArrivedRequest {
  const { method = '', url = '', headers, socket } = request
  const ip = socket.remoteAddress ?? ''
  const routeOptions = { config: { operation: route.id } }
  return {
    caller: PUBLIC_CALLER,
    credentials: undefined,
    method,
    url,
    ip,
    headers,
    socket,
    raw: request,
    routeOptions,
  }
}

function answerHeaders(headers: Record<string, string>): AnswerHeaders {
  return {
    header(name, value) {
      headers[name] = value
    },
    headers: (values) => Object.assign(headers, values),
  }
}

function envelopeOf(
  { request, route, headers }: LeanCall,
  { accessControl, public_url }: OperationContext,
): Omit<CallEnvelope, 'stepped_up' | 'caller'> {
  const { dpop, host, 'idempotency-key': idempotency_key } = request.headers
  return {
    origin: accessControl.keyed === undefined ? `http://${host}` : public_url(),
    operation_id: route.id,
    idempotency_key: idempotency_key as string | undefined, // a plain request has at most one
    trace_id: traceId(request),
    proof: typeof dpop === 'string' ? dpop : undefined,
    hasLeft: () => request.socket.destroyed,
    onReplay() {
      headers['idempotency-replayed'] = 'true'
    },
    onSession() {}, // no call of the lean path starts a session
  }
}
