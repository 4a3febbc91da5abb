/** The guard for Fastify 5. */

import { pipeline, Readable, Transform } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Admitted, Finish, RequestAuthority } from './guard/admission.ts'
import { requestGuard } from './guard/guard.ts'
import { singleHeader } from './guard/headers.ts'
import { type GuardOptions, type RouteOptions, requestedAction } from './guard/options.ts'
import type { RefusedAnswer } from './guard/refusal.ts'
import { runningHash } from './result-hash.ts'

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
  authority?: RequestAuthority
}

/** The part of a reply that the guard uses. */
export interface FastifyGuardedReply {
  readonly statusCode: number
  code(status: number): unknown
  headers(values: Record<string, string>): unknown
  send(body: string): unknown
}

/** Options of a route. Spread them into your own route options. */
export interface GuardedRoute {
  preHandler(request: FastifyGuardedRequest, reply: FastifyGuardedReply, done: (error?: Error) => void): void
  onSend(request: FastifyGuardedRequest, reply: FastifyGuardedReply, payload: unknown): Promise<unknown>
}

/** Creates the guard of a route: `authority(action, resource, options)`. */
export type FastifyAuthority = (
  action: string,
  resource: string | ((request: FastifyRequest) => string),
  options?: RouteOptions<FastifyRequest>,
) => GuardedRoute

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
  const { admit } = requestGuard(options)
  const finishings = new WeakMap<object, Finish>()
  return (action, resource, more = {}) => ({
    // Uses a callback and not a promise, so that the handler runs inside its action.
    preHandler(request, reply, done) {
      pass().then(
        (admitted) => admitted?.during(() => done()),
        (error: Error) => done(error),
      )

      async function pass(): Promise<Admitted | undefined> {
        const { method, originalUrl: target, headers } = request
        const header = (name: string) => singleHeader(headers[name])
        // Fastify calls this hook with its own request.
        const requested = requestedAction(action, resource, more, request as FastifyRequest)
        const decision = await admit({ method, target, header }, requested)
        if ('refused' in decision) {
          sendRefusal(reply, decision.refused)
          return undefined
        }
        const { authority, finish } = decision.admitted
        request.authority = authority
        if (finish !== undefined) finishings.set(request, finish)
        return decision.admitted
      }
    },
    async onSend(request, reply, payload) {
      const ended = finishings.get(request)
      if (ended === undefined) return payload
      const finish = (result_hash?: string, succeeded = reply.statusCode < 400) =>
        void ended({ succeeded, result_hash })
      if (isStream(payload)) return hashedStream(payload, finish)
      finish(hashOf(payload))
      return payload
    },
  })
}

function sendRefusal(reply: FastifyGuardedReply, { status, headers, body }: RefusedAnswer): void {
  reply.code(status)
  reply.headers({ ...headers })
  reply.send(JSON.stringify(body))
}

function hashOf(payload: unknown): string | undefined {
  const hash = runningHash()
  if (typeof payload === 'string' || payload instanceof Uint8Array) hash.add(payload)
  return hash.text()
}

function isStream(payload: unknown): payload is Readable {
  return payload instanceof Readable
}

/** The same stream, hashed while it is sent. The action ends with it. */
function hashedStream(
  payload: Readable,
  finish: (result_hash?: string, succeeded?: boolean) => void,
): Readable {
  const hash = runningHash()
  const hashing = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      hash.add(chunk)
      done(null, chunk)
    },
    flush(done) {
      finish(hash.text())
      done()
    },
  })
  payload.once('error', () => finish(undefined, false))
  // Also runs if the client disconnects in the middle of the response.
  return pipeline(payload, hashing, () => finish())
}
