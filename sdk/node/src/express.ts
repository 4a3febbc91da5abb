/** The guard for Express 5, and for other frameworks with handlers of the form `(req, res, next)`. */

import { type RunningHash, runningHash } from './actions/result-hash.ts'
import type { Admitted, GuardedRequest, RequestAuthority } from './guard/admission.ts'
import { type ConnectedRequest, isBrokenOff } from './guard/broken-off.ts'
import { requestGuard } from './guard/guard.ts'
import { singleHeader } from './guard/headers.ts'
import { type IncomingBody, incomingSha256 } from './guard/incoming-body.ts'
import { checkRoute, type GuardOptions, type RouteOptions, requestedAction } from './guard/options.ts'
import type { RefusedAnswer } from './guard/refusal.ts'

export type { RequestAuthority } from './guard/admission.ts'
export { keepBody } from './guard/incoming-body.ts'
export type { GuardOptions, RouteOptions } from './guard/options.ts'

declare global {
  namespace Express {
    interface Request {
      /** The agent and the person that the request acts for. Set by the guard. */
      authority?: RequestAuthority
    }
  }
}

/** The part of a request that the guard reads. */
export interface ExpressRequest extends IncomingBody, ConnectedRequest {
  readonly method: string
  readonly originalUrl: string
  /** The path of the router that the route belongs to. */
  readonly baseUrl?: string
  readonly route?: { readonly path?: unknown }
  /** The parameters of the path, as Express types them. */
  readonly params: Readonly<Record<string, string | string[]>>
  authority?: RequestAuthority
}

// Node declares these with overloads, which no narrower type matches.
type WriteMethod = (...parts: never[]) => unknown

/** The part of a response that the guard uses. */
export interface ExpressResponse {
  statusCode: number
  readonly errored?: Error | null
  setHeader(name: string, value: string): unknown
  write: WriteMethod
  end: WriteMethod
  once(event: 'close', listener: () => void): unknown
}

/** Middleware that runs before the handler. */
export type ExpressGuard<Request> = (
  request: Request,
  response: ExpressResponse,
  next: (error?: unknown) => void,
) => void

/** Creates the guard of a route: `authority(action, resource, options)`. */
export interface ExpressAuthority {
  <Request extends ExpressRequest>(
    action: string,
    resource: string | ((request: Request) => string),
    options?: RouteOptions<Request>,
  ): ExpressGuard<Request>
  /** Serves the metadata of this API (RFC 9728) and names it in every 401. */
  serveMetadata(app: ExpressApp): void
}

/** The part of an app or router that is used. */
export interface ExpressApp {
  get(
    path: string,
    handler: (request: object, response: ExpressResponse, next: (error?: unknown) => void) => void,
  ): unknown
}

/**
 * Creates `authority(action, resource)`, which guards a route. Before the handler runs, the guard verifies the token and asks
 * the service to authorize the action. After the response, it completes the action record.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { deputyGuard } from '@deputize/sdk/express'
 *
 * const authority = deputyGuard({ url: 'http://127.0.0.1:8420' })
 * const app = express()
 *
 * app.get('/events', authority('read', 'calendar:events'), (request, response) => {
 *   response.json({ reader: request.authority?.agent_id, events: ['stand-up'] })
 * })
 * ```
 */
export function deputyGuard(options: GuardOptions): ExpressAuthority {
  const { admit, description } = requestGuard(options)
  const guardOf: GuardOf = (action, resource, more = {}) => {
    checkRoute(action, resource, more)
    description.addScope(action, resource)
    return (request, response, next) => {
      pass().then(
        (admitted) => admitted?.during(() => next()),
        (error) => next(error),
      )

      async function pass(): Promise<Admitted | undefined> {
        const requested = requestedAction(action, resource, more, request)
        const decision = await admit(guardedRequest(request), requested)
        if ('refused' in decision) {
          sendRefusal(response, decision.refused)
          return undefined
        }
        const { authority, finish } = decision.admitted
        request.authority = authority
        if (finish !== undefined)
          onEnd(
            request,
            response,
            (result_hash, isWhole = true) =>
              void finish({ succeeded: isWhole && response.statusCode < 400, result_hash }),
          )
        return decision.admitted
      }
    }
  }
  return Object.assign(guardOf, {
    serveMetadata(app: ExpressApp) {
      description.advertise()
      app.get(description.path, (_request, response, next) => {
        description.document().then((document) => sendMetadata(response, document), next)
      })
    },
  })
}

type GuardOf = <Request extends ExpressRequest>(
  action: string,
  resource: string | ((request: Request) => string),
  options?: RouteOptions<Request>,
) => ExpressGuard<Request>

function guardedRequest(request: ExpressRequest): GuardedRequest {
  const { method, originalUrl: target, headers, baseUrl = '', route } = request
  return {
    method,
    target,
    header: (name) => singleHeader(headers[name]),
    route: route?.path === undefined ? undefined : `${baseUrl}${String(route.path)}`,
    bodySha256: (max_bytes) => incomingSha256(request, max_bytes),
  }
}

function sendRefusal(response: ExpressResponse, { status, headers, body }: RefusedAnswer): void {
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  endWith(response, JSON.stringify(body))
}

function sendMetadata(response: ExpressResponse, document: object): void {
  response.setHeader('content-type', 'application/json')
  endWith(response, JSON.stringify(document))
}

function endWith(response: ExpressResponse, text: string): void {
  const end = response.end as (text: string) => void // one of its overloads
  end.call(response, text)
}

/** Hashes the response while it is written, and calls `ended` when the handler has written all of it or broken it off. */
function onEnd(
  request: ExpressRequest,
  response: ExpressResponse,
  ended: (result_hash: string | undefined, isWhole?: boolean) => void,
): void {
  const hash = runningHash()
  const { write, end } = response
  let state: 'silent' | 'begun' | 'over' = 'silent'
  let isHashed = true
  watch()
  function watch(): void {
    response.write = (...parts: unknown[]) => {
      const given = write.apply(response, parts as never[]) // the arguments are passed on unchanged
      state = 'begun'
      isHashed = add(hash, parts) && isHashed
      return given
    }
    response.end = (...parts: unknown[]) => {
      const given = endUnwatched(parts)
      state = 'over'
      isHashed = add(hash, parts) && isHashed
      ended(isHashed ? hash.text() : undefined)
      return given
    }
  }
  function endUnwatched(parts: unknown[]): unknown {
    response.write = write
    response.end = end
    try {
      return end.apply(response, parts as never[]) // as above
    } catch (error) {
      watch() // what can't be sent is not the response: an error handler sends another
      throw error
    }
  }
  response.once('close', () => {
    if (state === 'over') return
    if (isBrokenOff(request, response)) ended(undefined, false)
    // The caller left in the middle of the response. A handler that has written nothing yet is still working.
    else if (state === 'begun') ended(undefined)
  })
}

/** Adds what is written. Returns whether its bytes are known: a text in another encoding than UTF-8 has others. */
function add(hash: RunningHash, [chunk, encoding]: readonly unknown[]): boolean {
  if (typeof chunk === 'string' && typeof encoding === 'string' && !/^utf-?8$/i.test(encoding)) return false
  if (typeof chunk === 'string' || chunk instanceof Uint8Array) hash.add(chunk)
  return true
}
