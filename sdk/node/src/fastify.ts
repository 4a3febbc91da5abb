/** The guard for Fastify 5. */

import { finished, pipeline, type Readable, Transform } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { runningHash } from './actions/result-hash.ts'
import type { Admitted, Finish, GuardedRequest, RequestAuthority } from './guard/admission.ts'
import { type ConnectedRequest, isBrokenOff } from './guard/broken-off.ts'
import { requestGuard } from './guard/guard.ts'
import { hashedBody } from './guard/hashed-body.ts'
import { singleHeader } from './guard/headers.ts'
import { checkRoute, type GuardOptions, type RouteOptions, requestedAction } from './guard/options.ts'
import type { RefusedAnswer } from './guard/refusal.ts'
import { announcesBody, BodyNotBound, BodyTooLarge, NO_BODY_SHA256 } from './guard/request-body.ts'
import { newSha256 } from './sha256.ts'

export type { RequestAuthority } from './guard/admission.ts'
export type { GuardOptions, RouteOptions } from './guard/options.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The agent and the person that the request acts for. Set by the guard. */
    authority?: RequestAuthority
  }
}

/** The part of a request that the guard reads. */
export interface FastifyGuardedRequest {
  readonly method: string
  readonly originalUrl: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly raw?: ConnectedRequest
  readonly routeOptions?: { readonly url?: string | undefined }
  authority?: RequestAuthority
}

/** The part of a reply that the guard uses. */
export interface FastifyGuardedReply {
  readonly statusCode: number
  /** Whether the handler has sent the reply, or has taken it over. */
  readonly sent: boolean
  readonly raw: {
    readonly statusCode: number
    readonly errored?: Error | null
    readonly writableEnded: boolean
    readonly destroyed?: boolean
    /** Of HTTP/2. */
    readonly stream?: { readonly destroyed: boolean }
    once(event: 'close', listener: () => void): unknown
  }
  code(status: number): unknown
  headers(values: Record<string, string>): unknown
  send(body: string): unknown
}

/** Options of a route. Spread them into your own route options. */
export interface GuardedRoute {
  preParsing(
    request: FastifyGuardedRequest,
    reply: FastifyGuardedReply,
    payload: Readable,
    done: (error: Error | null, payload: Readable) => void,
  ): void
  preHandler(request: FastifyGuardedRequest, reply: FastifyGuardedReply, done: (error?: Error) => void): void
  onSend(request: FastifyGuardedRequest, reply: FastifyGuardedReply, payload: unknown): Promise<unknown>
}

/** Creates the guard of a route: `authority(action, resource, options)`. */
export interface FastifyAuthority {
  (
    action: string,
    resource: string | ((request: FastifyRequest) => string),
    options?: RouteOptions<FastifyRequest>,
  ): GuardedRoute
  /** Serves the metadata of this API (RFC 9728) and names it in every 401. */
  serveMetadata(app: FastifyApp): void
}

/** The part of an app that is used. */
export interface FastifyApp {
  get(path: string, handler: () => Promise<object>): unknown
}

/**
 * Creates `authority(action, resource)`, which returns the options of a guarded route. Before the handler runs, the guard
 * verifies the token and asks the service to authorize the action. When the response is sent, it completes the action record.
 *
 * @example
 * ```ts
 * import fastify from 'fastify'
 * import { deputyGuard } from '@deputize/sdk/fastify'
 *
 * const authority = deputyGuard({ url: 'http://127.0.0.1:8420' })
 * const app = fastify()
 *
 * app.get('/events', authority('read', 'calendar:events'), async (request) => ({
 *   reader: request.authority?.agent_id,
 *   events: ['stand-up'],
 * }))
 * ```
 */
export function deputyGuard(options: GuardOptions): FastifyAuthority {
  const { admit, description } = requestGuard(options)
  const replies = new WeakMap<object, OpenReply>()
  const guardOf: GuardOf = (action, resource, more = {}) => {
    checkRoute(action, resource, more)
    description.addScope(action, resource)
    return {
      preParsing(request, _reply, payload, done) {
        const isBound = more.bind_body !== false && mayHaveBody(request)
        done(null, isBound ? watchedBody(request, payload) : payload)
      },
      // Uses a callback and not a promise, so that the handler runs inside its action.
      preHandler(request, reply, done) {
        pass().then(
          (admitted) => admitted?.during(() => done()),
          (error: Error) => done(error),
        )

        async function pass(): Promise<Admitted | undefined> {
          // Fastify calls this hook with its own request.
          const requested = requestedAction(action, resource, more, request as FastifyRequest)
          const decision = await admit(guardedRequest(request), requested)
          if ('refused' in decision) {
            sendRefusal(reply, decision.refused)
            return undefined
          }
          const { authority, finish } = decision.admitted
          request.authority = authority
          if (finish !== undefined) replies.set(request, openReply(request, reply, finish))
          return decision.admitted
        }
      },
      async onSend(request, _reply, payload) {
        const open = replies.get(request)
        return open === undefined ? payload : open.watched(payload)
      },
    }
  }
  return Object.assign(guardOf, {
    serveMetadata(app: FastifyApp) {
      description.advertise()
      app.get(description.path, description.document)
    },
  })
}

type GuardOf = (
  action: string,
  resource: string | ((request: FastifyRequest) => string),
  options?: RouteOptions<FastifyRequest>,
) => GuardedRoute

function guardedRequest(request: FastifyGuardedRequest): GuardedRequest {
  const { method, originalUrl: target, headers, routeOptions } = request
  return {
    method,
    target,
    header: (name) => singleHeader(headers[name]),
    route: routeOptions?.url,
    bodySha256: (max_bytes) => parsedSha256(request, max_bytes),
  }
}

/** Bodies, hashed while a parser reads them. Fastify limits their length (`bodyLimit`). */
const bodies = new WeakMap<object, WatchedBody>()

interface WatchedBody {
  readonly stream: Readable
  /** Undefined until the parser has read the whole body. */
  sha256: string | undefined
}

function watchedBody(request: object, payload: Readable & { receivedEncodedLength?: number }): Readable {
  const hash = newSha256()
  const hashing = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  const watched: WatchedBody = { stream: hashing, sha256: undefined }
  bodies.set(request, watched)
  hashing.once('end', () => {
    watched.sha256 = hash.hex()
  })
  // Fastify compares this length with the header, if a hook before this one has decompressed the body.
  Object.defineProperty(hashing, 'receivedEncodedLength', { get: () => payload.receivedEncodedLength })
  return pipeline(payload, hashing, () => undefined) // the parser sees the error, too
}

/** Whether the request may have a body. In HTTP/2, a body needs no header. */
function mayHaveBody({ raw, headers }: FastifyGuardedRequest): boolean {
  return (raw?.httpVersionMajor ?? 1) > 1 || announcesBody(headers)
}

async function parsedSha256(request: FastifyGuardedRequest, max_bytes: number): Promise<string> {
  if (!mayHaveBody(request)) return NO_BODY_SHA256
  const watched = bodies.get(request)
  if (watched !== undefined && hasNoParser(request)) await drain(watched.stream, max_bytes)
  if (watched?.sha256 === undefined) throw new BodyNotBound(NOT_PARSED)
  return watched.sha256
}

/** Whether Fastify leaves the body of this request unread, so that the guard must read it. */
function hasNoParser({ method, headers }: FastifyGuardedRequest): boolean {
  return BODYLESS.includes(method) || (headers['content-type'] === undefined && !announcesBody(headers))
}

const BODYLESS = ['GET', 'HEAD']

async function drain(stream: Readable, max_bytes: number): Promise<void> {
  let size = 0
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > max_bytes) throw new BodyTooLarge(max_bytes)
  }
}

const NOT_PARSED =
  "No content type parser has read it before the handler, or another preParsing hook replaced the guard's."

function sendRefusal(reply: FastifyGuardedReply, { status, headers, body }: RefusedAnswer): void {
  reply.code(status)
  reply.headers({ ...headers })
  reply.send(JSON.stringify(body))
}

/** A reply whose action is open. */
interface OpenReply {
  /** Returns the same payload, hashed while it is sent. A reply that can't be sent has another payload afterwards. */
  watched(payload: unknown): unknown
}

/** Ends the action when the reply is closed, because it can still fail until then. */
function openReply(
  { raw: request = {} }: FastifyGuardedRequest,
  reply: FastifyGuardedReply,
  finish: Finish,
): OpenReply {
  const { raw } = reply
  let isHandled = false
  let isClosed = raw.destroyed ?? raw.stream?.destroyed ?? false // the caller may have left before the decision
  let result_hash: string | undefined
  let errored: Error | undefined
  function end(): void {
    const isWhole = raw.writableEnded || !isBrokenOff(request, { errored: raw.errored ?? errored ?? null })
    void finish({
      succeeded: isWhole && raw.statusCode < 400,
      result_hash: isWhole ? result_hash : undefined,
    })
  }
  function sent(hash: string | undefined, error?: Error): void {
    result_hash = hash
    errored = error
  }
  raw.once('close', () => {
    isClosed = true
    // Otherwise the caller has left, and the handler is still working. A reply that is taken over counts as sent.
    if (isHandled || reply.sent) end()
  })
  return {
    watched(payload) {
      isHandled = true
      sent(hashOf(payload))
      if (isClosed) end()
      if (isStream(payload)) return hashedStream(payload, sent)
      if (isWebStream(payload)) return hashedWebStream(payload, sent)
      if (isResponse(payload) && isWebStream(payload.body) && !payload.bodyUsed)
        return new Response(hashedWebStream(payload.body, sent), payload)
      return payload
    },
  }
}

/** Called with the hash when all of a stream was read, or without one when it broke off. */
type Sent = (result_hash: string | undefined, error?: Error) => void

function hashOf(payload: unknown): string | undefined {
  const hash = runningHash()
  if (typeof payload === 'string' || payload instanceof Uint8Array) hash.add(payload)
  return hash.text()
}

// As Fastify tells them apart, because packages have streams and responses of their own.
function isStream(payload: unknown): payload is Readable {
  return isObject(payload) && typeof payload.pipe === 'function'
}

function isWebStream(payload: unknown): payload is ReadableStream<Uint8Array> {
  return isObject(payload) && typeof payload.getReader === 'function'
}

function isResponse(payload: unknown): payload is Response {
  return Object.prototype.toString.call(payload) === '[object Response]'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function hashedStream(payload: Readable, sent: Sent): Readable {
  const hash = runningHash()
  const hashing = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      hash.add(chunk)
      done(null, chunk)
    },
    flush(done) {
      sent(hash.text())
      done()
    },
  })
  finished(payload, { writable: false }, (error) => {
    if (error) sent(undefined, error)
  })
  return pipeline(payload, hashing, () => undefined)
}

function hashedWebStream(body: ReadableStream<Uint8Array>, sent: Sent): ReadableStream<Uint8Array> {
  return hashedBody(body, async (result_hash, isWhole) =>
    sent(result_hash, isWhole ? undefined : new Error('the stream broke off')),
  )
}
