import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { readJson } from '@deputize/protocol'
import type { FastifyBaseLogger } from 'fastify'
import { LOCAL_CALLER } from '../access/caller.ts'
import type { OperationContext } from '../operations/operation-context.ts'
import { logAnswer } from './answers.ts'
import type { PlainGuard } from './authenticate.ts'
import { handOverRefusal } from './handed-over.ts'
import { type LeanMatch, type LeanRoute, leanRoutes } from './lean-routes.ts'
import type { Metrics } from './metrics.ts'
import { isPlainRequest } from './plain-request.ts'
import { requestId } from './request-id.ts'
import { standingHeaders } from './standing-headers.ts'
import { traceId } from './trace-id.ts'

export interface LeanPathOptions {
  readonly context: OperationContext
  readonly metrics: Metrics
  readonly logger: FastifyBaseLogger
  readonly guard: PlainGuard
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
 * Answers the most frequent calls of open mode without Fastify, with the same guard, limit, readers, validators, handlers and
 * serializers. Everything unusual goes to Fastify: a request that was not counted yet as it arrived, to be judged from the
 * beginning, and a call that was refused with its refusal, to be answered. So every refusal is written in one place.
 */
export function leanPath(options: LeanPathOptions): RequestListener {
  const { guard, fastify } = options
  const find = leanRoutes()
  const lean = answering(options)
  return (request, response) => {
    const started_ms = performance.now()
    const found = find(request.method, request.url)
    if (found === undefined || !isPlainRequest(request, found.route.has_body) || !guard.isWelcome(request))
      return void fastify(request, response)
    const call = { ...found, request, response, started_ms, headers: {} }
    if (found.route.has_body) request.once('readable', () => lean.readBody(call))
    else lean.answerWithoutBody(call)
  }
}

function answering({ context, metrics, logger, guard, fastify }: LeanPathOptions) {
  const headersOf = standingHeaders(context)

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

  /** Counts the call, carries it out and answers it. From here on nobody else may carry it out. */
  async function answer(call: LeanCall, body: unknown): Promise<void> {
    const { request, response, route, headers, started_ms } = call
    try {
      const limited = guard.count(request, headers)
      if (limited !== undefined) throw limited
      send(call, route.serialize(await route.handler(handlerCall(call, body), context)))
    } catch (error) {
      handOverRefusal(request, { error, headers, started_ms })
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

function handlerCall(
  { request, route, params, headers }: LeanCall,
  body: unknown,
): Parameters<LeanRoute['handler']>[0] {
  const input: { params: unknown; query: unknown; body: unknown } = { params, query: {}, body }
  return {
    ...input,
    stepped_up: false,
    caller: LOCAL_CALLER,
    origin: `http://${request.headers.host}`,
    operation_id: route.id,
    idempotency_key: request.headers['idempotency-key'],
    trace_id: traceId(request),
    hasLeft: () => request.socket.destroyed,
    onReplay() {
      headers['idempotency-replayed'] = 'true'
    },
    onSession() {}, // no call of the lean path starts a session
  } as Parameters<LeanRoute['handler']>[0] // the schemas of the row have just been checked
}
