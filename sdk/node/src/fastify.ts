/** The guard for Fastify 5. */

import { pipeline, Readable, Transform } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import {
  type Admitted,
  askedFor,
  type Finish,
  type GuardOptions,
  guard,
  type RefusedAnswer,
  type RequestAuthority,
  type RouteOptions,
} from './guard/guard.ts'
import { runningHash } from './result-hash.ts'

export type { GuardOptions, RequestAuthority, RouteOptions } from './guard/guard.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** In whose name the request is made; there behind a guard. */
    authority?: RequestAuthority
  }
}

/** As much of a request as is looked at. */
export interface FastifyGuardedRequest {
  readonly method: string
  readonly originalUrl: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  authority?: RequestAuthority
}

/** What a guard needs of a reply. */
export interface FastifyGuardedReply {
  readonly statusCode: number
  code(status: number): unknown
  headers(values: Record<string, string>): unknown
  send(body: string): unknown
}

/** Options of a route. Spread them where you have options of your own. */
export interface GuardedRoute {
  preHandler(request: FastifyGuardedRequest, reply: FastifyGuardedReply, done: (error?: Error) => void): void
  onSend(request: FastifyGuardedRequest, reply: FastifyGuardedReply, payload: unknown): Promise<unknown>
}

/** Makes the guard of a route: `authority(action, resource, options)`. */
export type FastifyAuthority = (
  action: string,
  resource: string | ((request: FastifyRequest) => string),
  options?: RouteOptions<FastifyRequest>,
) => GuardedRoute

/** Makes `authority(action, resource)`: the options of a route. */
export function deputyGuard(options: GuardOptions): FastifyAuthority {
  const { admit } = guard(options)
  const finishings = new WeakMap<object, Finish>()
  return (action, resource, more = {}) => ({
    // Told by a call and not by a promise, so that the handler runs as a part of its action.
    preHandler(request, reply, done) {
      pass().then(
        (admitted) => admitted?.during(() => done()),
        (error: Error) => done(error),
      )

      async function pass(): Promise<Admitted | undefined> {
        const { method, originalUrl: target, headers } = request
        const header = (name: string) => oneHeader(headers[name])
        const asked = askedFor(action, resource, more, request as FastifyRequest) // Fastify gives nothing less
        const admission = await admit({ method, target, header }, asked)
        if ('refused' in admission) {
          refuse(reply, admission.refused)
          return undefined
        }
        const { authority, finish } = admission.admitted
        request.authority = authority
        if (finish !== undefined) finishings.set(request, finish)
        return admission.admitted
      }
    },
    async onSend(request, reply, payload) {
      const ended = finishings.get(request)
      if (ended === undefined) return payload
      const finish = (result_hash?: string, succeeded = reply.statusCode < 400) =>
        void ended({ succeeded, result_hash })
      if (isStream(payload)) return watched(payload, finish)
      finish(hashOf(payload))
      return payload
    },
  })
}

function refuse(reply: FastifyGuardedReply, { status, headers, body }: RefusedAnswer): void {
  reply.code(status)
  reply.headers({ ...headers })
  reply.send(JSON.stringify(body))
}

function oneHeader(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function hashOf(payload: unknown): string | undefined {
  const hash = runningHash()
  if (typeof payload === 'string' || payload instanceof Uint8Array) hash.add(payload)
  return hash.text()
}

function isStream(payload: unknown): payload is Readable {
  return payload instanceof Readable
}

/** The same stream, hashed on its way out. Its end is the end of the action. */
function watched(payload: Readable, finish: (result_hash?: string, succeeded?: boolean) => void): Readable {
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
  // Half an answer that nobody hears the rest of is an answer.
  return pipeline(payload, hashing, () => finish())
}
