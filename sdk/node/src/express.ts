/** The guard for Express 5, and for anything else that takes `(req, res, next)`. */
import {
  type Admitted,
  askedFor,
  type GuardOptions,
  guard,
  type RefusedAnswer,
  type RequestAuthority,
  type RouteOptions,
} from './guard/guard.ts'
import { type RunningHash, runningHash } from './result-hash.ts'

export type { GuardOptions, RequestAuthority, RouteOptions } from './guard/guard.ts'

declare global {
  namespace Express {
    interface Request {
      /** In whose name the request is made; there behind a guard. */
      authority?: RequestAuthority
    }
  }
}

/** As much of a request as is looked at. */
export interface ExpressRequest {
  readonly method: string
  readonly originalUrl: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  authority?: RequestAuthority
}

// Node declares these with overloads, which nothing narrower can stand for.
type Writing = (...parts: never[]) => unknown

/** What a guard needs of a response. */
export interface ExpressResponse {
  statusCode: number
  setHeader(name: string, value: string): unknown
  write: Writing
  end: Writing
  once(event: 'close', listener: () => void): unknown
}

/** Stands before a handler. */
export type ExpressGuard<Request> = (
  request: Request,
  response: ExpressResponse,
  next: (error?: unknown) => void,
) => void

/** Makes the guard of a route: `authority(action, resource, options)`. */
export type ExpressAuthority = <Request extends ExpressRequest>(
  action: string,
  resource: string | ((request: Request) => string),
  options?: RouteOptions<Request>,
) => ExpressGuard<Request>

/** Makes `authority(action, resource)`, to stand before a handler. */
export function deputyGuard(options: GuardOptions): ExpressAuthority {
  const { admit } = guard(options)
  return (action, resource, more = {}) => {
    return (request, response, next) => {
      pass().then(
        (admitted) => admitted?.during(() => next()),
        (error) => next(error),
      )

      async function pass(): Promise<Admitted | undefined> {
        const { method, originalUrl: target, headers } = request
        const header = (name: string) => oneHeader(headers[name])
        const admission = await admit({ method, target, header }, askedFor(action, resource, more, request))
        if ('refused' in admission) {
          refuse(response, admission.refused)
          return undefined
        }
        const { authority, finish } = admission.admitted
        request.authority = authority
        if (finish !== undefined)
          onEnd(response, (result_hash) => void finish({ succeeded: response.statusCode < 400, result_hash }))
        return admission.admitted
      }
    }
  }
}

function oneHeader(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function refuse(response: ExpressResponse, { status, headers, body }: RefusedAnswer): void {
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  const end = response.end as (text: string) => void // one of its forms
  end.call(response, JSON.stringify(body))
}

/** Hashes what the handler answers on its way out, and tells when it has said all, whether anybody still listens or not. */
function onEnd(response: ExpressResponse, ended: (result_hash: string | undefined) => void): void {
  const hash = runningHash()
  const { write, end } = response
  let hasBegun = false
  response.write = (...parts: unknown[]) => {
    hasBegun = true
    add(hash, parts[0])
    return write.apply(response, parts as never[]) // whatever it was called with
  }
  response.end = (...parts: unknown[]) => {
    hasBegun = false
    response.write = write
    response.end = end
    add(hash, parts[0])
    ended(hash.text())
    return end.apply(response, parts as never[]) // likewise
  }
  // Half an answer that nobody hears the rest of is an answer. A handler that has said nothing yet is still at work.
  response.once('close', () => hasBegun && ended(undefined))
}

function add(hash: RunningHash, chunk: unknown): void {
  if (typeof chunk === 'string' || chunk instanceof Uint8Array) hash.add(chunk)
}
