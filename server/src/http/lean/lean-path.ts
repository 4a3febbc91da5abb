import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { readJson } from '@deputize/protocol'
import type { FastifyBaseLogger } from 'fastify'
import { PUBLIC_CALLER } from '../../access/caller.ts'
import type { OperationContext } from '../../operations/operation-context.ts'
import { logAnswer } from '../answers.ts'
import type { AnswerHeaders, ArrivedRequest, LeanRequest } from '../arrived-request.ts'
import { callEnvelope } from '../call-envelope.ts'
import { type HandedOverRefusal, handedOverRefusal, handOverRefusal } from '../connections/handed-over.ts'
import type { LeanGuard } from '../guard/authenticate.ts'
import { type LoadShedder, overloadAnswer } from '../load/load-shedding.ts'
import type { Metrics } from '../metrics.ts'
import { requestId } from '../request-id.ts'
import { isConfirmed } from '../routes.ts'
import { standingHeaders } from '../standing-headers.ts'
import { type LeanMatch, type LeanRoute, leanRoutes } from './lean-routes.ts'
import { isPlainRequest } from './plain-request.ts'

export interface LeanPathOptions {
  readonly context: OperationContext
  readonly metrics: Metrics
  readonly logger: FastifyBaseLogger
  readonly guard: LeanGuard
  readonly shedder: LoadShedder
  /** Handles requests that the lean path doesn't. */
  readonly fastify: RequestListener
}

/** A request and the ways to answer it. */
export interface LeanExchange {
  readonly request: LeanRequest
  send(status: number, headers: Record<string, string>, text: string): void
  /** Makes Fastify handle the request from the start. */
  passOn(): void
  /** Makes Fastify answer with the refusal. */
  passRefusal(refusal: HandedOverRefusal): void
}

export interface LeanPath {
  /** Handles requests that the HTTP server has read. */
  readonly listener: RequestListener
  /** Returns the route of a request, or undefined if it isn't a call that can be carried out here. */
  find(method: string | undefined, url: string | undefined): LeanMatch | undefined
  /** Carries out a call that a front has read. */
  carry(match: LeanMatch, exchange: LeanExchange, body: Buffer): void
}

/** A request that has been ordinary so far. */
interface LeanCall extends LeanMatch {
  readonly exchange: LeanExchange
  readonly started_ms: number
  /** Ends the call for load shedding. */
  readonly end: () => void
  /** Headers of the answer in addition to those that every answer has. */
  readonly headers: Record<string, string>
}

/**
 * Answers the most frequent calls without Fastify, with the same guards, limits, readers, validators, handlers and
 * serializers. Everything unusual goes to Fastify: a request that hasn't been counted goes as it arrived and is handled
 * from the start, and a refused call goes with its refusal and is only answered. So all refusals are written in one
 * place.
 */
export function leanPath(options: LeanPathOptions): LeanPath {
  const { guard, shedder, fastify } = options
  const find = leanRoutes()
  const lean = answering(options)
  return {
    listener(request, response) {
      const started_ms = performance.now()
      const found = handedOverRefusal(request) === undefined ? find(request.method, request.url) : undefined
      if (found === undefined) return void fastify(request, response)
      // Comes before anything else is read: under load, most calls end here.
      if (!shedder.admits(found.route.load_rank, request, response)) return
      if (!isPlainRequest(request, found.route.has_body) || !guard.isWelcome(request))
        return void fastify(request, response)
      const exchange = new SocketExchange(request, response, fastify)
      const call = { ...found, exchange, started_ms, end: endsWithItsAnswer, headers: {} }
      if (found.route.has_body) request.once('readable', () => lean.readBody(call, request))
      else lean.answer(call, undefined)
    },
    find,
    carry({ route, params }, exchange, body) {
      const started_ms = performance.now()
      const { request } = exchange
      if (shedder.isRefused(route.load_rank, request)) {
        const { status, headers, text } = overloadAnswer()
        return exchange.send(status, headers, text)
      }
      if (!isPlainRequest(request, route.has_body) || !guard.isWelcome(request)) return exchange.passOn()
      lean.answerBytes(
        { route, params, exchange, started_ms, end: shedder.begin(request), headers: {} },
        body,
      )
    },
  }
}

/** Does nothing: the load shedder has counted the request and tracks its answer. */
function endsWithItsAnswer(): void {}

/** The exchange of a request that the HTTP server has read. */
class SocketExchange implements LeanExchange {
  readonly request: IncomingMessage
  readonly #response: ServerResponse
  readonly #fastify: RequestListener

  constructor(request: IncomingMessage, response: ServerResponse, fastify: RequestListener) {
    this.request = request
    this.#response = response
    this.#fastify = fastify
  }

  send(status: number, headers: Record<string, string>, text: string): void {
    this.#response.writeHead(status, headers)
    this.#response.end(text)
  }

  passOn(): void {
    this.#fastify(this.request, this.#response)
  }

  passRefusal(refusal: HandedOverRefusal): void {
    handOverRefusal(this.request, refusal)
    this.passOn()
  }
}

function answering({ context, metrics, logger, guard }: LeanPathOptions) {
  const headersOf = standingHeaders(context)
  const { keyed } = context.accessControl

  /** A body that hasn't arrived completely goes to Fastify, which waits for the rest. */
  function readBody(call: LeanCall, request: IncomingMessage): void {
    const bytes: Buffer | null = request.read(Number(request.headers['content-length']))
    if (bytes === null) return void passOn(call)
    const body = jsonIn(bytes)
    if (body !== undefined && call.route.accepts(call.params, body)) return void carryOut(call, body)
    // Bytes can be put back until the end of the body is announced, which is after this turn.
    request.unshift(bytes)
    passOn(call)
  }

  function answerBytes(call: LeanCall, bytes: Buffer): void {
    const body = call.route.has_body ? jsonIn(bytes) : undefined
    if (call.route.has_body && body === undefined) passOn(call)
    else answer(call, body)
  }

  function answer(call: LeanCall, body: unknown): void {
    if (call.route.accepts(call.params, body)) void carryOut(call, body)
    else passOn(call)
  }

  function passOn({ exchange, end }: LeanCall): void {
    end()
    exchange.passOn()
  }

  /** Admits the call, carries it out and answers it. It can't be passed on after this. */
  async function carryOut(call: LeanCall, body: unknown): Promise<void> {
    const { exchange, route, headers, started_ms } = call
    const arrived = arrivedRequest(call)
    const reply = answerHeaders(headers)
    let text: string
    try {
      const admitting = guard.admit(arrived, reply)
      if (admitting !== undefined) await admitting
      const input = { params: call.params, query: {}, body }
      const stepped_up = keyed !== undefined && (await isConfirmed(route.id, input, arrived, keyed))
      const handlerCall = {
        ...input,
        stepped_up,
        idempotency_key: arrived.headers['idempotency-key'], // a plain request has at most one
        ...callEnvelope(route.id, arrived, reply, context),
      } as Parameters<LeanRoute['handler']>[0] // as the schemas of the row say
      text = route.serialize(await route.handler(handlerCall, context))
    } catch (error) {
      call.end()
      return exchange.passRefusal({ error, request: arrived, headers, started_ms })
    }
    send(call, text) // a failure after this is not a refusal: the call may already be answered
  }

  function send({ exchange, route, headers, started_ms, end }: LeanCall, text: string): void {
    const { request } = exchange
    const request_id = requestId(request.headers['x-request-id'])
    const { id, status, cache_control } = route
    const all = Object.assign(headersOf(request_id), headers)
    if (cache_control !== undefined) all['cache-control'] = cache_control
    all['content-type'] = 'application/json; charset=utf-8'
    all['content-length'] = String(Buffer.byteLength(text))
    end()
    exchange.send(status, all, text)
    metrics.onResponse(id, status, performance.now() - started_ms)
    logAnswer(logger, { id: request_id, headers: request.headers, method: route.method }, route.url, status)
  }

  return { readBody, answerBytes, answer }
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return readJson(bytes)
  } catch {
    return undefined
  }
}

function arrivedRequest({ exchange: { request }, route }: LeanCall): ArrivedRequest {
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
